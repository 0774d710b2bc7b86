-- Frees a lock if the token has it. Safe to repeat.
-- KEYS: lock
-- ARGV: token
-- returns: 1 it was freed | 0
if string.match(redis.call('GET', lock) or '', '^%S*') ~= token then return 0 end
return redis.call('DEL', lock)
