-- Takes a place at the end of a key's queue, granted at once when the key is free. Safe to repeat.
-- uses: time grant
-- KEYS: live fence hold queue prev
-- ARGV: key epoch ticket incarnation floor channel remember keep
-- returns: { "granted", fence, previous } | { "queued" } | { "dead" }
if not alive(epoch) then return { 'dead' } end
local mine = epoch .. ' ' .. ticket .. ' ' .. incarnation
local held = redis.call('HGET', hold, key)
local holder, number, previous
if held then
  holder, number, previous = string.match(held, '^(%S+ %S+ %S+) (%S+) (%S*)$')
  if holder == mine then return { 'granted', number, previous } end
  if not alive(string.match(holder, '^%S+')) then holder = nil end
end
if not holder and redis.call('EXISTS', queue) == 0 then
  number, previous = grant(key, prev, mine, floor)
  return { 'granted', number, previous }
end
-- A repeat stands near the end, if at all.
if not redis.call('LPOS', queue, mine, 'RANK', -1) then redis.call('RPUSH', queue, mine) end
redis.call('PEXPIRE', queue, keep)
if holder then return { 'queued' } end
local place
place, number, previous = grantNext(key, queue, prev, mine, floor)
if place == mine then return { 'granted', number, previous } end
return { 'queued' }
