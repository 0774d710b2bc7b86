/** I3: every grant of a key has a higher fence than all grants before it, whatever its backend went through. */
import type { Checker, Violation } from "../History.ts"

export const i3: Checker = (history) => {
  const highest = new Map<string, number>()
  const found: Array<Violation> = []
  for (const entry of history) {
    if (entry._tag !== "granted") continue
    const before = highest.get(entry.key) ?? 0
    if (entry.fence <= before)
      found.push({ invariant: "I3", detail: `fence ${entry.fence} of ${entry.key} was granted after ${before}` })
    highest.set(entry.key, Math.max(before, entry.fence))
  }
  return found
}
