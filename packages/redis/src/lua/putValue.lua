-- Writes a value unless a higher fence stands (ST9, R13). The fence stands an hour longer than the value. Safe to repeat.
-- KEYS: row
-- ARGV: fence live value expires now fenceTtl
-- returns: the fence that stands
local stands = redis.call('HGET', row, 'fence')
if stands and tonumber(stands) > tonumber(fence) then return stands end
redis.call('DEL', row)
redis.call('HSET', row, 'fence', fence)
if live == '1' then redis.call('HSET', row, 'value', value) end
if live ~= '1' then
  redis.call('PEXPIRE', row, fenceTtl)
elseif expires ~= '' then
  redis.call('HSET', row, 'expires', expires)
  redis.call('PEXPIRE', row, math.max(1, math.ceil(expires + fenceTtl - now)))
end
return fence
