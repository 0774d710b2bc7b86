-- Takes a place at the end of a key's queue, granted at once when the key is free; with an owner, only if no other has the
-- claim. Safe to repeat.
-- uses: time claim fence grant
-- KEYS: state queue prev claim
-- ARGV: key epoch place floor channel owner ttl
-- returns: { "granted", fence, previous } | { "queued" } | { "dead" } | { "duplicate" }
local found = redis.call('HMGET', state, '~' .. epoch, '=' .. key, ':fence')
if not found[1] or tonumber(found[1]) <= now() then return { 'dead' } end
if owner ~= '' and not claimed() then return { 'duplicate' } end
local holder, number, previous
if found[2] then
  holder, number, previous = string.match(found[2], '^(%S+ %S+ %S+) (%S+) (%S*)$')
  if holder == place then return { 'granted', number, previous } end
  if not alive(string.match(holder, '^%S+')) then holder = nil end
end
if not holder and redis.call('EXISTS', queue) == 0 then
  number, previous = grant(key, prev, place, floor, tonumber(found[3] or '0'))
  return { 'granted', number, previous }
end
-- A repeat stands near the end, if at all. A queue nobody asks about any more goes after ten minutes.
if not redis.call('LPOS', queue, place, 'RANK', -1) then redis.call('RPUSH', queue, place) end
redis.call('PEXPIRE', queue, 600000)
if holder then return { 'queued' } end
local granted
granted, number, previous = grantNext(key, queue, prev, place, floor)
if granted == place then return { 'granted', number, previous } end
return { 'queued' }
