-- Gives up a hold, which goes to the next living ticket, or a waiting place. A stranger's hold is left alone (COORD-08).
-- Safe to repeat.
-- uses: time grant
-- KEYS: state queue prev
-- ARGV: key place channel
-- returns: 1 a hold was given up | 0 a place, or nothing
local held = redis.call('HGET', state, '=' .. key)
if held and string.sub(held, 1, #place + 1) == place .. ' ' then
  if not grantNext(key, queue, prev, '', 0) then redis.call('HDEL', state, '=' .. key) end
  return 1
end
redis.call('LREM', queue, 1, place)
return 0
