-- Extends a liveness that still stands and never revives one (R3). Safe to repeat.
-- uses: time
-- KEYS: state
-- ARGV: epoch lease
-- returns: nothing when the epoch is dead | key, ticket, fence of each hold of the epoch
if not alive(epoch) then return false end
redis.call('HSET', state, '~' .. epoch, string.format('%.0f', now() + lease))
local mine = epoch .. ' '
local rows = {}
local all = redis.call('HGETALL', state)
for i = 1, #all, 2 do
  if string.sub(all[i], 1, 1) == '=' and string.sub(all[i + 1], 1, #mine) == mine then
    local ticket, number = string.match(all[i + 1], '^%S+ (%S+) %S+ (%S+)')
    rows[#rows + 1] = string.sub(all[i], 2)
    rows[#rows + 1] = ticket
    rows[#rows + 1] = number
  end
end
return rows
