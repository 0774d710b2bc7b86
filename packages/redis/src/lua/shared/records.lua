-- Records of a key: a hash with "s" and the id for what changes, "e" and the id for the event. "" stands for null.
local fields = { 'number', 'dedupe', 'recordedAt', 'attempts', 'crashes', 'due', 'claimFence', 'claimOwner', 'claimedAt',
  'reason', 'detail', 'diedAt' }
local function recordOf(id)
  local packed = redis.call('HGET', inbox, 's' .. id)
  if not packed then return nil end
  local values, record = cjson.decode(packed), { id = id }
  for i, field in ipairs(fields) do record[field] = values[i] end
  return record
end
local function valuesOf(record)
  local values = {}
  for i, field in ipairs(fields) do values[i] = record[field] end
  return values
end
local function writeRecord(record) redis.call('HSET', inbox, 's' .. record.id, cjson.encode(valuesOf(record))) end
local function replyOf(record)
  return { record.id, redis.call('HGET', inbox, 'e' .. record.id), unpack(valuesOf(record)) }
end
local function placeOf(record) return listed(record.number, key .. '\0' .. record.id) end
local function openRecord(record)
  writeRecord(record)
  redis.call('ZADD', queue, record.number, record.id)
  redis.call('ZADD', index, 0, placeOf(record))
  redis.call('ZADD', age, record.recordedAt, key .. '\0' .. record.id)
end
local function closeRecord(record)
  redis.call('ZREM', queue, record.id)
  redis.call('ZREM', index, placeOf(record))
  redis.call('ZREM', age, key .. '\0' .. record.id)
end
local function freeRecord(record) record.claimFence, record.claimOwner, record.claimedAt = '', '', '' end
local function buryRecord(record, why, what)
  closeRecord(record)
  freeRecord(record)
  record.reason, record.detail, record.diedAt = why, what, now
  writeRecord(record)
  redis.call('ZADD', deadIndex, 0, placeOf(record))
end
local function removeRecord(record, markTtl)
  redis.call('HDEL', inbox, 's' .. record.id, 'e' .. record.id)
  if record.dedupe == '' then return end
  -- Its mark outlives it (R15); where nothing is left the marks go together.
  local until_ = digits(now + markTtl)
  redis.call('HSET', marks, record.dedupe, record.id .. ' ' .. until_)
  redis.call('ZADD', ends, until_, record.dedupe)
  if redis.call('EXISTS', inbox) == 1 then return end
  redis.call('PEXPIRE', marks, markTtl + fenceTtl)
  redis.call('PEXPIRE', ends, markTtl + fenceTtl)
end
-- The last step of an act: when the key's oldest record is due, and who runs it.
local function saveInbox()
  local oldest = redis.call('ZRANGE', queue, 0, 0)[1]
  local record = oldest and recordOf(oldest)
  if record then
    redis.call('ZADD', due, record.due, key)
    redis.call('HSET', keyRow, 'owner', record.claimOwner)
  else
    redis.call('ZREM', due, key)
    redis.call('HDEL', keyRow, 'owner')
  end
  saveKey()
end
