-- What came of a send's last attempt (OUT6, OUT7). Safe to repeat.
-- uses: keyRow sends
-- KEYS: keyRow queue lane sends over index ending age due
-- ARGV: key id token report receipt detail later now fenceTtl markTtl
-- returns: 1 heard, now or before | 0 it is not the last attempt, or too late
local send = known(id)
if not send or send.token ~= token then return 0 end
local state = send.state
if state ~= 'attempting' then
  if state == report or (state == 'planned' and report == 'later') then return 1 end
  local late = report == 'confirmed' and (state == 'planned' or state == 'held')
  if state ~= 'unknown' and not late then return 0 end
end
local before = copyOf(send)
send.state = report == 'later' and 'planned' or report
send.due, send['until'], send.receipt, send.detail, send.changedAt = later, '', receipt, detail, now
writeSend(send, before)
saveOutbox()
return 1
