-- A clean stop: the epoch's liveness and holds end now and its tickets are dead, so a take-over costs no lease (R25).
-- Safe to repeat.
-- KEYS: state
-- ARGV: epoch left partition
-- returns: how many holds were given up
redis.call('HDEL', state, '~' .. epoch)
local mine = epoch .. ' '
local dropped = 0
local all = redis.call('HGETALL', state)
for i = 1, #all, 2 do
  if string.sub(all[i], 1, 1) == '=' and string.sub(all[i + 1], 1, #mine) == mine then
    dropped = dropped + redis.call('HDEL', state, all[i])
  end
end
if dropped > 0 then redis.call('PUBLISH', left, partition) end
return dropped
