-- Writes the layout of a prefix if there is none yet (R20). Safe to repeat.
-- KEYS: layout
-- ARGV: mine
-- returns: the layout that stands
redis.call('SET', layout, mine, 'NX')
return redis.call('GET', layout)
