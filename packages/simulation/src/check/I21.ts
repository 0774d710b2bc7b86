/** I21: one execution per idempotency key: what a step runs has the same key however often it is begun (R1, R2). */
import type { Checker, Violation } from "../History.ts"

export const i21: Checker = (history) => {
  const keys = new Map<string, string>()
  const found: Array<Violation> = []
  for (const entry of history) {
    if (entry._tag !== "charged") continue
    // In the worlds' own bot each run of a flow charges once.
    const run = entry.id.slice(0, entry.id.indexOf(":"))
    const before = keys.get(run)
    if (before !== undefined && before !== entry.id)
      found.push({ invariant: "I21", detail: `${run} was charged as ${before}, then as ${entry.id} at ${entry.at}` })
    keys.set(run, entry.id)
  }
  return found
}
