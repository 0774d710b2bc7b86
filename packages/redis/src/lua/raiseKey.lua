-- Lifts the fence of a key, so that every claim, sign-off and plan under a lower one is refused (R5). Safe to repeat.
-- uses: keyRow
-- KEYS: keyRow queue lane
-- ARGV: fence now fenceTtl
-- returns: 1
expireFence()
raiseTo(math.max(fenceStands, tonumber(fence)))
saveKey()
return 1
