-- Gives up a hold, which goes to the next living ticket, or a waiting place. A stranger's hold is left alone (COORD-08).
-- Safe to repeat.
-- uses: time grant
-- KEYS: live fence hold queue prev
-- ARGV: key epoch ticket incarnation channel remember
-- returns: 1 a hold was given up | 0 a place, or nothing
local mine = epoch .. ' ' .. ticket .. ' ' .. incarnation
local held = redis.call('HGET', hold, key)
if held and string.sub(held, 1, #mine + 1) == mine .. ' ' then
  if not grantNext(key, queue, prev, '', 0) then redis.call('HDEL', hold, key) end
  return 1
end
redis.call('LREM', queue, 1, mine)
return 0
