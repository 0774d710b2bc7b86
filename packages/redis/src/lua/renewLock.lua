-- A lock ends later. Safe to repeat.
-- KEYS: lock
-- ARGV: token ttl
-- returns: 1 | 0 when the token does not have it
if string.match(redis.call('GET', lock) or '', '^%S*') ~= token then return 0 end
return redis.call('PEXPIRE', lock, ttl)
