-- Stores what a step sends, whole and in order, under its turn's fence (OUT1 to OUT3). Safe to repeat.
-- uses: keyRow sends
-- KEYS: keyRow queue lane sends over index ending age due
-- ARGV: key fence now fenceTtl markTtl (id content hash)...
-- returns: { "superseded", the fence that stands } | { "planned", for each: id, state, new 1 or 0, other content 1 or 0, receipt }
expireFence()
if fenceStands > tonumber(fence) then return { 'superseded', digits(fenceStands) } end
raiseTo(tonumber(fence))
-- What need not be known any more: of this lane, and a few places in the lists.
for _, old in ipairs(redis.call('ZRANGEBYSCORE', over, '-inf', now, 'LIMIT', 0, 20)) do
  redis.call('HDEL', sends, 's' .. old, 'c' .. old)
  redis.call('ZREM', over, old)
end
for _, place in ipairs(redis.call('ZRANGEBYSCORE', ending, '-inf', now, 'LIMIT', 0, 20)) do
  redis.call('ZREM', index, place)
  redis.call('ZREM', ending, place)
end
local answer = { 'planned' }
for i = 6, #ARGV, 3 do
  local id, content, hash = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local send = known(id)
  if send then
    answer[#answer + 1] = { id, send.state, 0, send.hash == hash and 0 or 1, send.receipt }
  else
    local gone = sendOf(id)
    redis.call('HSET', sends, 'c' .. id, content)
    writeSend({ id = id, number = nextNumber('send'), hash = hash, state = 'planned', attempts = '0', resends = '0',
      due = '0', ['until'] = '', token = '', receipt = '', detail = '', plannedAt = now, changedAt = now }, gone)
    answer[#answer + 1] = { id, 'planned', 1, 0, '' }
  end
end
saveOutbox()
return answer
