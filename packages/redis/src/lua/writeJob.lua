-- Writes a job's row if the one of revision `expected` stands ("": if none does), or deletes it. Safe to repeat.
-- KEYS: rows ids due
-- ARGV: id expected revision at data deletes
-- returns: 1 written, now or before | 0 another row stands
local stands = redis.call('HGET', rows, id)
local number = stands and string.match(stands, '^%d+') or ''
if deletes == '1' then
  if not stands then return 1 end
  if number ~= expected then return 0 end
  redis.call('HDEL', rows, id)
  redis.call('ZREM', ids, id)
  redis.call('ZREM', due, id)
  return 1
end
local row = revision .. ' ' .. at .. ' ' .. data
if stands == row then return 1 end
if number ~= expected then return 0 end
redis.call('HSET', rows, id, row)
redis.call('ZADD', ids, 0, id)
if at == '' then redis.call('ZREM', due, id) else redis.call('ZADD', due, at, id) end
return 1
