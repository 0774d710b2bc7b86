-- Writes a checkpoint, or with no data a tombstone, if the row is what the writer believes (ST1 to ST5). Safe to repeat.
-- uses: row
-- KEYS: row index due ending
-- ARGV: key id revision fence expires live data applied wakeAt now fenceTtl
-- returns: 1 accepted | 0 refused, and nothing changed
local text = live == '1' and data
local starts = tonumber(revision) == 1 and text
local function accept()
  write(id, revision, fence, expires, text, applied, wakeAt)
  return 1
end
if absent then return starts and accept() or 0 end
if tonumber(found[3]) > tonumber(fence) then return 0 end
if expired then return starts and accept() or 0 end
if found[1] ~= id then return starts and not found[5] and accept() or 0 end
if tonumber(found[2]) == tonumber(revision) then
  -- A repeat after a lost reply (ST3).
  local same = tonumber(found[3]) == tonumber(fence) and found[5] == text and found[6] == applied
  return same and 1 or 0
end
if found[5] and tonumber(found[2]) == tonumber(revision) - 1 then return accept() end
return 0
