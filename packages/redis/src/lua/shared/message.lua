-- Adds a message as the newest of its chat, unless it is known; the oldest goes when there are too many. An entry is
-- "bytes:id" and the message's text. A message without an id is never taken for another one (A4).
local function keepMessage()
  if id ~= '' and redis.call('HSETNX', ids, id, 1) == 0 then return end
  redis.call('RPUSH', messages, #id .. ':' .. id .. text)
  redis.call('HINCRBY', chat, 'count', 1)
  if redis.call('LLEN', messages) <= tonumber(limit) then return end
  local oldest = redis.call('LPOP', messages)
  local bytes, from = string.match(oldest, '^(%d+):()')
  redis.call('HDEL', ids, string.sub(oldest, from, from + bytes - 1))
end
