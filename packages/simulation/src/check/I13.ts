/** I13: revisions chain from one on, a run that was cleared stays cleared, and a refused write changes nothing. */
import type { Checker, Violation } from "../History.ts"
import { isExpired, isRepeat, Rows, type Write } from "./rows.ts"

const chains = (stands: Write | undefined, next: Write, over: ReadonlySet<string>): boolean => {
  if (over.has(next.id) && stands?.id !== next.id) return false
  if (stands === undefined || isExpired(stands, next.at)) return next.revision === 1 && !next.clear
  if (stands.id !== next.id) return stands.clear && next.revision === 1 && !next.clear
  if (isRepeat(stands, next)) return true
  return !stands.clear && next.revision === stands.revision + 1
}

export const i13: Checker = (history) => {
  const rows = new Rows()
  const over = new Set<string>()
  const found: Array<Violation> = []
  for (const entry of history) {
    if (entry._tag === "read") {
      const stands = rows.get(entry.key)
      if ((stands?.id ?? "") !== entry.id || (stands?.revision ?? 0) !== entry.revision)
        found.push({
          invariant: "I13",
          detail: `${entry.key} reads ${entry.id} revision ${entry.revision} at ${entry.at}, where ${stands?.id ?? "nothing"} revision ${stands?.revision ?? 0} stands`
        })
    }
    if (entry._tag !== "write" || !entry.accepted) continue
    const stands = rows.get(entry.key)
    if (!chains(stands, entry, over))
      found.push({
        invariant: "I13",
        detail: `${entry.machine} wrote ${entry.key} ${entry.id} revision ${entry.revision}${entry.clear ? " (cleared)" : ""} at ${entry.at} over ${stands?.id ?? "nothing"} revision ${stands?.revision ?? 0}`
      })
    rows.put(entry)
    if (entry.clear) over.add(entry.id)
  }
  return found
}
