-- A decision on a send: resend or hold an unknown one, requeue one that left its lane, drop one that did not go out (R11).
-- uses: keyRow sends
-- KEYS: keyRow queue lane sends over index ending age due
-- ARGV: key id decision allowed next now fenceTtl markTtl
-- returns: 1 done | 0 its state does not allow it
local send = known(id)
if not send or not string.find(allowed, ' ' .. send.state .. ' ', 1, true) then return 0 end
local before = copyOf(send)
expireFence()
-- What was held may have gone out: to plan it again is to resend it.
if decision == 'resend' or (decision == 'requeue' and send.state == 'held') then
  send.resends = digits(send.resends + 1)
end
if decision == 'requeue' then send.number = nextNumber('send') end
send.state, send.changedAt = next, now
if next == 'planned' then send.due = '0' end
writeSend(send, before)
saveOutbox()
return 1
