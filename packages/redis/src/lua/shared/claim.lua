-- The claim of a message: "owner epoch" while its turn is not over, which counts while the epoch lives, then "owner" until
-- it expires (R15, R23).
local function claimed()
  local found = redis.call('GET', claim)
  if found then
    local by, under = string.match(found, '^(%S+) ?(%S*)$')
    if by ~= owner and (under == '' or alive(under)) then return false end
  end
  redis.call('SET', claim, owner .. ' ' .. epoch, 'PX', ttl)
  return true
end
