/** I4: a lease is given up before it expires elsewhere: nobody acts under an epoch that has run out at the backend. */
import type { Checker, Violation } from "../History.ts"

export const i4: Checker = (history) => {
  const found: Array<Violation> = []
  for (const entry of history) {
    if ((entry._tag === "acted" || entry._tag === "send") && entry.hold === "dead" && !entry.thawed)
      found.push({
        invariant: "I4",
        detail: `${entry.machine} acted for ${entry.key} at ${entry.at}, whose lease had expired`
      })
  }
  return found
}
