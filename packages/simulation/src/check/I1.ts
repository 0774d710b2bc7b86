/**
 * I1: one holder a key at a time, and nobody acts for a key that is another's. What a machine pushes out in the very
 * instant it wakes from a freeze was checked before it: no client can hold that back (R10).
 */
import type { Checker, Violation } from "../History.ts"
import { isTimed } from "./sends.ts"

export const i1: Checker = (history) => {
  const found: Array<Violation> = []
  const broken = (detail: string): void => {
    found.push({ invariant: "I1", detail })
  }
  for (const entry of history) {
    if (entry._tag === "granted" && entry.overLiving)
      broken(`${entry.machine} was granted ${entry.key} (${entry.fence}) at ${entry.at} while another held it`)
    if (entry._tag === "acted" && entry.hold === "other" && !entry.thawed)
      broken(`${entry.machine} acted for ${entry.key} (${entry.fence}) at ${entry.at}, which was another's`)
    if (entry._tag === "send" && entry.hold !== "own" && entry.hold !== "dead" && !entry.thawed && !isTimed(entry))
      broken(`${entry.machine} sent "${entry.text}" to ${entry.chat} at ${entry.at}: the turn was ${entry.hold}`)
  }
  return found
}
