-- Takes the oldest open record of a key under a turn's fence (IN2 to IN6). The same claimant gets the same record.
-- uses: keyRow records
-- KEYS: keyRow inbox queue lane marks ends index deadIndex age due
-- ARGV: key fence owner crashesDead death now fenceTtl
-- returns: what came of it, then more behind it 1 or 0 and the record's values | until when | the fence that stands
expireFence()
if fenceStands > tonumber(fence) then return { 'superseded', digits(fenceStands) } end
raiseTo(tonumber(fence))
local ids = redis.call('ZRANGE', queue, 0, 1)
local head = ids[1] and recordOf(ids[1])
local left = ids[2] and 1 or 0
local function decide()
  if head and tonumber(head.claimFence) == tonumber(fence) then return { 'claimed', left, replyOf(head) } end
  if spent == tonumber(fence) then return { 'spent' } end
  if not head then return { 'empty' } end
  if head.claimFence ~= '' then
    -- Its owner is gone, unless it is this very one, which lost a turn and has another.
    if head.claimOwner ~= owner then head.crashes = digits(head.crashes + 1) end
    freeRecord(head)
    if tonumber(head.crashes) >= tonumber(crashesDead) then
      buryRecord(head, 'crashes', death)
      return { 'buried', left, replyOf(head) }
    end
    writeRecord(head)
  end
  if tonumber(head.due) > tonumber(now) then return { 'waiting', head.due } end
  head.claimFence, head.claimOwner, head.claimedAt = fence, owner, now
  writeRecord(head)
  spent = tonumber(fence)
  return { 'claimed', left, replyOf(head) }
end
local answer = decide()
saveInbox()
return answer
