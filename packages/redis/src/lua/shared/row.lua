-- The checkpoint row of a key as it stands. An expired row counts as absent, save for its fence, for one more hour (R5).
local found = redis.call('HMGET', row, 'id', 'revision', 'fence', 'expires', 'data', 'applied')
local ends = tonumber(found[4] or '')
local absent = not found[1] or (ends and ends + fenceTtl <= tonumber(now))
local expired = ends and ends <= tonumber(now)

local function write(id, revision, fence, expires, data, applied, wakeAt)
  redis.call('DEL', row)
  redis.call('HSET', row, 'id', id, 'revision', revision, 'fence', fence, 'applied', applied)
  redis.call('ZREM', due, key)
  if data then
    redis.call('HSET', row, 'data', data)
    redis.call('ZADD', index, 0, key)
    if wakeAt ~= '' then
      redis.call('HSET', row, 'wakeAt', wakeAt)
      redis.call('ZADD', due, wakeAt, key)
    end
  else
    redis.call('ZREM', index, key)
  end
  if expires == '' then
    redis.call('ZREM', ending, key)
  else
    redis.call('HSET', row, 'expires', expires)
    redis.call('PEXPIRE', row, math.max(1, math.ceil(expires + fenceTtl - now)))
    if data then redis.call('ZADD', ending, expires + fenceTtl, key) else redis.call('ZREM', ending, key) end
  end
  -- Redis drops a row that has ended by itself, not what the indexes say of it: a few go with each write.
  local gone = redis.call('ZRANGEBYSCORE', ending, '-inf', now, 'LIMIT', 0, 10)
  for _, other in ipairs(gone) do
    redis.call('ZREM', index, other)
    redis.call('ZREM', due, other)
    redis.call('ZREM', ending, other)
  end
end
