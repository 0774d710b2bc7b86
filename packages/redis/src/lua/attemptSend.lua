-- Takes the lane's oldest unfinished send, one attempt at a time (OUT4, OUT5). Safe to repeat with the same token.
-- uses: keyRow sends
-- KEYS: keyRow queue lane sends over index ending age due
-- ARGV: key token deadline lost now fenceTtl markTtl
-- returns: { "attempt" or "unknown", more behind it 1 or 0, the send's values } | { "waiting", until } | { "empty" }
local ids = redis.call('ZRANGE', lane, 0, 1)
local head = ids[1] and sendOf(ids[1])
if not head then return { 'empty' } end
local left = ids[2] and 1 or 0
local before = copyOf(head)
if head.state == 'attempting' then
  if head.token == token then return { 'attempt', left, replyOf(head) } end
  if head['until'] ~= '' and tonumber(head['until']) > tonumber(now) then return { 'waiting', head['until'] } end
  head.state, head['until'], head.detail, head.changedAt = 'unknown', '', '=' .. lost, now
  writeSend(head, before)
  saveOutbox()
end
if head.state == 'unknown' then return { 'unknown', left, replyOf(head) } end
if tonumber(head.due) > tonumber(now) then return { 'waiting', head.due } end
head.state, head.token, head['until'], head.changedAt = 'attempting', token, deadline, now
head.attempts = digits(head.attempts + 1)
writeSend(head, before)
saveOutbox()
return { 'attempt', left, replyOf(head) }
