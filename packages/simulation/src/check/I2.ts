/** I2: accepted writes of a key never go back in fence, and none comes under a fence that was raised above it (R5). */
import type { Checker, Violation } from "../History.ts"

export const i2: Checker = (history) => {
  const highest = new Map<string, number>()
  const found: Array<Violation> = []
  for (const entry of history) {
    if (entry._tag === "raise") {
      highest.set(entry.key, Math.max(highest.get(entry.key) ?? 0, entry.fence))
    } else if (entry._tag === "write" && entry.accepted) {
      const before = highest.get(entry.key) ?? 0
      if (entry.fence < before)
        found.push({
          invariant: "I2",
          detail: `${entry.machine} wrote ${entry.key} revision ${entry.revision} under ${entry.fence} at ${entry.at}, after ${before}`
        })
      highest.set(entry.key, Math.max(before, entry.fence))
    }
  }
  return found
}
