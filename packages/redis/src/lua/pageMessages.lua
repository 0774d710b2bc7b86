-- Messages of a chat, oldest of the page first. Messages are numbered from 0 for ever, so a cursor stays good.
-- KEYS: chat messages
-- ARGV: below limit
-- returns: the number of the first entry (0 when none is before it), the entries
local count = tonumber(redis.call('HGET', chat, 'count') or '0')
local oldest = count - redis.call('LLEN', messages)
local top = math.min(tonumber(below), count)
local from = math.max(oldest, top - limit)
if from >= top then return { 0, {} } end
local entries = redis.call('LRANGE', messages, from - oldest, top - 1 - oldest)
return { from > oldest and from or 0, entries }
