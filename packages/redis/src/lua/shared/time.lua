-- The server's clock, and who lives by it: an epoch whose time is over counts for nothing (CD2).
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local function alive(epoch)
  local expiry = redis.call('HGET', live, epoch)
  return expiry ~= false and tonumber(expiry) > now
end
