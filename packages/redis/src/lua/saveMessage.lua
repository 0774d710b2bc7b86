-- Stores a message that went out. Safe to repeat.
-- uses: message
-- KEYS: chat messages ids
-- ARGV: id text limit
-- returns: nothing
keepMessage()
