-- Extends a liveness that still stands and never revives one (R3). Safe to repeat.
-- uses: time
-- KEYS: live hold
-- ARGV: epoch lease
-- returns: nothing when the epoch is dead | key, ticket, fence of each hold of the epoch
if not alive(epoch) then return false end
redis.call('HSET', live, epoch, string.format('%.0f', now + lease))
local mine = epoch .. ' '
local rows = {}
local holds = redis.call('HGETALL', hold)
for i = 1, #holds, 2 do
  if string.sub(holds[i + 1], 1, #mine) == mine then
    local ticket, number = string.match(holds[i + 1], '^%S+ (%S+) %S+ (%S+)')
    rows[#rows + 1] = holds[i]
    rows[#rows + 1] = ticket
    rows[#rows + 1] = number
  end
end
return rows
