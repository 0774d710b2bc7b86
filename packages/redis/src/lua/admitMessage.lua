-- Stores a chat and a message that came in. Safe to repeat; a repeat is no first contact.
-- uses: message
-- KEYS: chat messages ids
-- ARGV: isGroup named name id text limit
-- returns: 1 nobody had written in this chat before | 0
local first = redis.call('HSETNX', chat, 'isGroup', isGroup)
if named == '1' then redis.call('HSET', chat, 'name', name) end
keepMessage()
return first
