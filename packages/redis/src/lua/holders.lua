-- Who holds keys now, else who held them last, as far as that is remembered (R25).
-- uses: time
-- KEYS: state (prev)...
-- ARGV: (key)...
-- returns: an incarnation for each, or ""
local holders = {}
for i = 1, count do
  local held = redis.call('HGET', state, '=' .. ARGV[fixedArgs + i]) or ''
  local epoch, incarnation = string.match(held, '^(%S+) %S+ (%S+)')
  if not epoch or not alive(epoch) then incarnation = redis.call('GET', KEYS[fixedKeys + i]) or '' end
  holders[i] = incarnation
end
return holders
