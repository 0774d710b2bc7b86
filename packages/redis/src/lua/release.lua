-- Gives up a hold, which goes to the next living ticket, or a waiting place, and ends the owner's claim: kept until it
-- expires, or freed. A stranger's hold or claim is left alone (COORD-08). Safe to repeat.
-- uses: time fence grant
-- KEYS: state queue prev claim
-- ARGV: key place channel owner keep
-- returns: 1 a hold was given up | 0 a place, or nothing
if owner ~= '' and string.match(redis.call('GET', claim) or '', '^%S*') == owner then
  if keep == '1' then redis.call('SET', claim, owner, 'KEEPTTL') else redis.call('DEL', claim) end
end
local held = redis.call('HGET', state, '=' .. key)
if held and string.sub(held, 1, #place + 1) == place .. ' ' then
  if not grantNext(key, queue, prev, '', 0) then redis.call('HDEL', state, '=' .. key) end
  return 1
end
redis.call('LREM', queue, 1, place)
return 0
