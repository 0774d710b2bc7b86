-- A clean stop: the epoch's liveness and holds end now and its tickets are dead, so a take-over costs no lease (R25).
-- Safe to repeat.
-- KEYS: live hold
-- ARGV: epoch left partition
-- returns: how many holds were given up
redis.call('HDEL', live, epoch)
local mine = epoch .. ' '
local dropped = 0
local holds = redis.call('HGETALL', hold)
for i = 1, #holds, 2 do
  if string.sub(holds[i + 1], 1, #mine) == mine then
    dropped = dropped + redis.call('HDEL', hold, holds[i])
  end
end
if dropped > 0 then redis.call('PUBLISH', left, partition) end
return dropped
