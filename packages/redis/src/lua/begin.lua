-- Starts an epoch and drops the old one with its holds; its tickets are dead with it (R3). What other dead epochs left is
-- swept on the way. Safe to repeat.
-- uses: time
-- KEYS: live hold
-- ARGV: epoch old lease left partition
-- returns: how many holds were dropped
redis.call('HDEL', live, old)
redis.call('HSET', live, epoch, string.format('%.0f', now + lease))
local epochs = redis.call('HGETALL', live)
for i = 1, #epochs, 2 do
  if tonumber(epochs[i + 1]) <= now then redis.call('HDEL', live, epochs[i]) end
end
local dropped = 0
local holds = redis.call('HGETALL', hold)
for i = 1, #holds, 2 do
  if not alive(string.match(holds[i + 1], '^%S+')) then
    dropped = dropped + redis.call('HDEL', hold, holds[i])
  end
end
-- Who waits for one of them asks at once.
if dropped > 0 then redis.call('PUBLISH', left, partition) end
return dropped
