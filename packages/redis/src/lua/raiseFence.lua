-- Lifts the fence of a key's row, or leaves a bare one, which ends an hour from now (R5). Safe to repeat.
-- uses: row
-- KEYS: row index due ending
-- ARGV: key fence now fenceTtl
-- returns: the fence that stands, as text: a number of the protocol is none of Lua's
if not absent and not expired then
  if tonumber(found[3]) >= tonumber(fence) then return found[3] end
  redis.call('HSET', row, 'fence', fence)
  return fence
end
local highest = fence
if not absent and tonumber(found[3]) > tonumber(fence) then highest = found[3] end
write('', 0, highest, now, false, '[]', '')
return highest
