-- Starts an epoch and drops the old one with its holds; its tickets are dead with it (R3). What other dead epochs left is
-- swept on the way. Safe to repeat.
-- uses: time
-- KEYS: state
-- ARGV: epoch old lease left partition
-- returns: how many holds were dropped
redis.call('HDEL', state, '~' .. old)
redis.call('HSET', state, '~' .. epoch, string.format('%.0f', now() + lease))
local all = redis.call('HGETALL', state)
local lives = {}
for i = 1, #all, 2 do
  if string.sub(all[i], 1, 1) == '~' then
    if tonumber(all[i + 1]) > now() then
      lives[string.sub(all[i], 2)] = true
    else
      redis.call('HDEL', state, all[i])
    end
  end
end
local dropped = 0
for i = 1, #all, 2 do
  if string.sub(all[i], 1, 1) == '=' and not lives[string.match(all[i + 1], '^%S+')] then
    dropped = dropped + redis.call('HDEL', state, all[i])
  end
end
-- Who waits for one of them asks at once.
if dropped > 0 then redis.call('PUBLISH', left, partition) end
return dropped
