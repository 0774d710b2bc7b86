-- Acknowledges, gives back or buries a record under the fence that claimed it (IN5, IN7). Safe to repeat.
-- uses: keyRow records
-- KEYS: keyRow inbox queue lane marks ends index deadIndex age due
-- ARGV: key id fence act failed later reason detail now fenceTtl markTtl
-- returns: 1 done, now or before | 0 refused, and nothing changed
if not stands[1] or fenceStands > tonumber(fence) then return 0 end
local record = recordOf(id)
local isOpen = record and record.diedAt == ''
if not isOpen or tonumber(record.claimFence) ~= tonumber(fence) then
  if spent ~= tonumber(fence) then return 0 end
  if act == 'ack' then return record and 0 or 1 end
  if act == 'dead' then return record and not isOpen and 1 or 0 end
  return isOpen and record.claimFence == '' and 1 or 0
end
if act == 'ack' then
  closeRecord(record)
  removeRecord(record, markTtl)
elseif act == 'dead' then
  buryRecord(record, reason, detail)
else
  freeRecord(record)
  if failed == '1' then record.attempts = digits(record.attempts + 1) end
  record.due = later
  writeRecord(record)
end
saveInbox()
return 1
