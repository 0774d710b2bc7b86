-- Reads a value that only leaders write, and lifts its fence (ST9, R13). A bare fence goes after an hour. Safe to repeat.
-- KEYS: row
-- ARGV: fence now fenceTtl
-- returns: the fence that stands, the value or nothing, its end or nothing
local found = redis.call('HMGET', row, 'fence', 'value', 'expires')
if found[1] and tonumber(found[1]) >= tonumber(fence) then return found end
redis.call('HSET', row, 'fence', fence)
local ended = found[3] and tonumber(found[3]) <= tonumber(now)
if ended or not found[2] then redis.call('PEXPIRE', row, fenceTtl) end
return { fence, found[2], found[3] }
