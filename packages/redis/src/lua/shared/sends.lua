-- Sends of a lane: a hash with "s" and the id for what changes, "c" and the id for the content. "" stands for null, and a
-- detail that is none begins with "=".
local fields = { 'number', 'hash', 'state', 'attempts', 'resends', 'due', 'until', 'token', 'receipt', 'detail',
  'plannedAt', 'changedAt', 'ends' }
local inLane = { planned = true, attempting = true, unknown = true }
local function sendOf(id)
  local packed = redis.call('HGET', sends, 's' .. id)
  if not packed then return nil end
  local values, send = cjson.decode(packed), { id = id }
  for i, field in ipairs(fields) do send[field] = values[i] end
  return send
end
-- Unless it is long done, and only waits to be swept.
local function known(id)
  local send = sendOf(id)
  if send and send.ends ~= '' and tonumber(send.ends) <= tonumber(now) then return nil end
  return send
end
local function valuesOf(send)
  local values = {}
  for i, field in ipairs(fields) do values[i] = send[field] end
  return values
end
local function replyOf(send)
  return { send.id, redis.call('HGET', sends, 'c' .. send.id), unpack(valuesOf(send)) }
end
local function placeOf(send) return send.state .. ' ' .. listed(send.number, key .. '\0' .. send.id) end
local function forgetPlace(send)
  redis.call('ZREM', index, placeOf(send))
  redis.call('ZREM', ending, placeOf(send))
end
-- Writes a send as it has become; `before` is it as it was, where it was.
local function writeSend(send, before)
  if before then forgetPlace(before) end
  local isOver = send.state == 'confirmed' or send.state == 'dropped'
  send.ends = isOver and digits(send.changedAt + markTtl) or ''
  redis.call('HSET', sends, 's' .. send.id, cjson.encode(valuesOf(send)))
  redis.call('ZADD', index, 0, placeOf(send))
  if isOver then
    redis.call('ZADD', ending, send.ends, placeOf(send))
    redis.call('ZADD', over, send.ends, send.id)
  else
    redis.call('ZREM', over, send.id)
  end
  if inLane[send.state] then
    redis.call('ZADD', lane, send.number, send.id)
    redis.call('ZADD', age, send.plannedAt, key .. '\0' .. send.id)
  else
    redis.call('ZREM', lane, send.id)
    redis.call('ZREM', age, key .. '\0' .. send.id)
  end
end
local function copyOf(send)
  local copy = {}
  for field, value in pairs(send) do copy[field] = value end
  return copy
end
-- The last step of an act: when the lane's oldest send is due.
local function saveOutbox()
  local oldest = redis.call('ZRANGE', lane, 0, 0)[1]
  local send = oldest and sendOf(oldest)
  if send then
    local at = send.state == 'planned' and send.due or send.state == 'attempting' and send['until'] or send.changedAt
    redis.call('ZADD', due, at, key)
  else
    redis.call('ZREM', due, key)
  end
  -- A lane with nothing but what is over goes as a whole once none of it need be known.
  local ends = not send and redis.call('ZCARD', over) * 2 == redis.call('HLEN', sends)
  for _, name in ipairs({ sends, over }) do
    if ends then redis.call('PEXPIRE', name, markTtl + fenceTtl) else redis.call('PERSIST', name) end
  end
  saveKey()
end
