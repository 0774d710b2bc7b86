-- Grants a key. A place is "epoch ticket incarnation"; a hold is its place, fence and previous holder.
-- Who held last is remembered for 15 min; who is forgotten costs a read (C2).
local function grant(key, prev, place, floor, last)
  local number = nextFence(last or 0, floor)
  local incarnation = string.match(place, '%S+$')
  local previous = redis.call('GET', prev) or ''
  if previous ~= incarnation then redis.call('SET', prev, incarnation, 'PX', 900000) end
  redis.call('HSET', state, '=' .. key, place .. ' ' .. number .. ' ' .. previous, ':fence', number)
  return number, previous
end

-- Grants a free key to its first living ticket and wakes its owner, unless that is `mine`. At most 100 dead ones are
-- skipped a call (R8): who waits behind them asks again.
local function grantNext(key, queue, prev, mine, floor)
  for _ = 1, 100 do
    local place = redis.call('LPOP', queue)
    if not place then return nil end
    if alive(string.match(place, '^%S+')) then
      local last = tonumber(redis.call('HGET', state, ':fence') or '0')
      local number, previous = grant(key, prev, place, floor, last)
      if place ~= mine then
        local wake = place .. ' ' .. number .. ' ' .. previous .. ' ' .. key
        redis.call('PUBLISH', channel .. string.match(place, '%S+$'), wake)
      end
      return place, number, previous
    end
  end
end
