-- Takes a key out of the indexes if its row is gone or has expired: what a reader found that no row stands behind.
-- Safe to repeat.
-- KEYS: row index due ending
-- ARGV: key now fenceTtl
-- returns: 1 taken out | 0 the row lives
local found = redis.call('HMGET', row, 'id', 'expires')
local ends = tonumber(found[2] or '')
if found[1] and not (ends and ends <= tonumber(now)) then return 0 end
redis.call('ZREM', due, key)
if found[1] and ends + fenceTtl > tonumber(now) then return 1 end
redis.call('ZREM', index, key)
redis.call('ZREM', ending, key)
return 1
