-- The row of a conversation key: its fence, the numbers it gave, the fence that took a record last. One with nothing open
-- has no fence any more once an hour has passed (R5). Numbers are written in full: Lua's own way would lose digits.
local stands = redis.call('HMGET', keyRow, 'fence', 'touched', 'record', 'send', 'spent')
local fenceStands, touched = tonumber(stands[1] or '0'), tonumber(stands[2] or now)
local numbers = { record = tonumber(stands[3] or '0'), send = tonumber(stands[4] or '0') }
local spent = tonumber(stands[5] or '0')
local function digits(number) return string.format('%.0f', number) end
local function isBare() return redis.call('EXISTS', queue) == 0 and redis.call('EXISTS', lane) == 0 end
local function expireFence()
  if touched + fenceTtl <= tonumber(now) and isBare() then fenceStands = 0 end
end
local function raiseTo(number) fenceStands, touched = number, tonumber(now) end
local function nextNumber(kind)
  numbers[kind] = math.max(numbers[kind] + 1, math.ceil(tonumber(now)))
  return digits(numbers[kind])
end
local function saveKey()
  redis.call('HSET', keyRow, 'fence', digits(fenceStands), 'touched', digits(touched), 'record', digits(numbers.record),
    'send', digits(numbers.send), 'spent', digits(spent))
  if isBare() then redis.call('PEXPIRE', keyRow, fenceTtl) else redis.call('PERSIST', keyRow) end
end
-- Where a row stands in a list by number: texts that compare as the numbers do.
local function listed(number, name) return string.rep('0', 16 - #number) .. number .. ' ' .. name end
