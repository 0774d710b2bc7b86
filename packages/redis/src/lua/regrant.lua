-- Lifts the fence of a living hold above a number it was refused for (R19). Safe to repeat.
-- uses: time fence
-- KEYS: state
-- ARGV: key place above
-- returns: the fence | nothing when the hold is not this place's
local found = redis.call('HMGET', state, '=' .. key, ':fence')
local holder, number, previous = string.match(found[1] or '', '^(%S+ %S+ %S+) (%S+) (%S*)$')
if holder ~= place or not alive(string.match(place, '^%S+')) then return false end
if tonumber(number) > tonumber(above) then return number end
number = nextFence(tonumber(found[2] or '0'), above)
redis.call('HSET', state, '=' .. key, place .. ' ' .. number .. ' ' .. previous, ':fence', number)
return number
