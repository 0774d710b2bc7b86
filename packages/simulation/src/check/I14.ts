/**
 * I14: a conversation goes on only from the highest revision: what it says comes from the very position that stands in the
 * store as it says it (R2: written ahead; R6: no parked copy that others have passed).
 */
import type { Checker, Violation } from "../History.ts"
import { Rows } from "./rows.ts"
import { isTimed, positionOf } from "./sends.ts"

export const i14: Checker = (history) => {
  const rows = new Rows()
  const stored = new Set<string>()
  const found: Array<Violation> = []
  for (const entry of history) {
    if (entry._tag === "write" && entry.accepted) {
      rows.put(entry)
      stored.add(entry.id)
    }
    if (entry._tag !== "send" || entry.hold !== "own" || isTimed(entry)) continue
    const position = positionOf(entry)
    // A conversation that keeps no checkpoint has no revisions.
    if (position === undefined || !stored.has(position.id)) continue
    const stands = rows.get(entry.key)
    if (stands?.id === position.id && stands.visit === position.visit && !stands.clear) continue
    found.push({
      invariant: "I14",
      detail: `${entry.machine} said "${entry.text}" at ${entry.at} as visit ${position.visit} of ${position.id}, where ${stands?.id ?? "nothing"} stands at visit ${stands?.visit ?? 0}`
    })
  }
  return found
}
