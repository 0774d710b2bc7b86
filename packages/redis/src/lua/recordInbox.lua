-- Journals a message unless it is known, and numbers it (IN1, IN2). Safe to repeat with the same id.
-- uses: keyRow records
-- KEYS: keyRow inbox queue lane marks ends index deadIndex age due
-- ARGV: key id dedupe event now fenceTtl
-- returns: 1 or 0 for new or known, the record's id
if redis.call('HEXISTS', inbox, 's' .. id) == 1 then return { 1, id } end
for _, old in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', now, 'LIMIT', 0, 10)) do
  redis.call('HDEL', marks, old)
  redis.call('ZREM', ends, old)
end
if dedupe ~= '' then
  local known, stays = string.match(redis.call('HGET', marks, dedupe) or '', '^(%S+) (%S*)$')
  if known and (stays == '' or tonumber(stays) > tonumber(now)) then return { 0, known } end
  redis.call('HSET', marks, dedupe, id .. ' ')
  redis.call('ZREM', ends, dedupe)
end
redis.call('PERSIST', marks)
redis.call('PERSIST', ends)
expireFence()
redis.call('HSET', inbox, 'e' .. id, event)
openRecord({ id = id, number = nextNumber('record'), dedupe = dedupe, recordedAt = now, attempts = '0', crashes = '0',
  due = '0', claimFence = '', claimOwner = '', claimedAt = '', reason = '', detail = '', diedAt = '' })
saveInbox()
return { 1, id }
