-- An operator's word: a dead record is opened again at the end of its key's queue, or one that nobody runs is deleted (IN7).
-- uses: keyRow records
-- KEYS: keyRow inbox queue lane marks ends index deadIndex age due
-- ARGV: key id decision now fenceTtl markTtl
-- returns: 1 done | 0 it is not one of these
local record = recordOf(id)
if not record or record.claimFence ~= '' then return 0 end
local isDead = record.diedAt ~= ''
if decision == 'requeue' then
  if not isDead then return 0 end
  redis.call('ZREM', deadIndex, placeOf(record))
  expireFence()
  record.number, record.attempts, record.crashes, record.due = nextNumber('record'), '0', '0', '0'
  record.reason, record.detail, record.diedAt = '', '', ''
  openRecord(record)
else
  if isDead then redis.call('ZREM', deadIndex, placeOf(record)) else closeRecord(record) end
  removeRecord(record, markTtl)
end
saveInbox()
return 1
