-- A fence above the last one of the partition, the clock's microseconds and the floor (R19). Lua's own number to text
-- conversion would lose digits.
local function nextFence(last, floor)
  now()
  return string.format('%.0f', math.max(last + 1, clock[1] * 1000000 + clock[2], floor + 1))
end
