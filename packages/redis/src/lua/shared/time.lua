-- The server's clock, read when it is first asked for, and who lives by it: an epoch whose time is over counts for
-- nothing (CD2). The state of a partition is one hash: "~epoch" its end in ms, "=key" a hold, ":fence" the last fence.
local clock
local function now()
  clock = clock or redis.call('TIME')
  return clock[1] * 1000 + math.floor(clock[2] / 1000)
end
local function alive(epoch)
  local ends = redis.call('HGET', state, '~' .. epoch)
  return ends ~= false and tonumber(ends) > now()
end
