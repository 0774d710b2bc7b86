-- Lifts the fence of a key's row, or leaves a bare one, which ends an hour from now (R5). Safe to repeat.
-- uses: row
-- KEYS: row index due ending
-- ARGV: key fence now fenceTtl
-- returns: 1
if not absent and not expired then
  if tonumber(found[3]) < tonumber(fence) then redis.call('HSET', row, 'fence', fence) end
  return 1
end
local highest = fence
if not absent and tonumber(found[3]) > tonumber(fence) then highest = found[3] end
write('', 0, highest, now, false, '[]', '')
return 1
