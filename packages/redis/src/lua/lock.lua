-- Takes a lock that ends with its time (C15). Safe to repeat with the same token.
-- uses: time fence
-- KEYS: state lock
-- ARGV: token ttl floor
-- returns: the fence | nothing when another token has it
local by, number = string.match(redis.call('GET', lock) or '', '^(%S+) (%S+)$')
if by and by ~= token then return false end
if not by then
  number = nextFence(tonumber(redis.call('HGET', state, ':fence') or '0'), floor)
  redis.call('HSET', state, ':fence', number)
end
redis.call('SET', lock, token .. ' ' .. number, 'PX', ttl)
return number
