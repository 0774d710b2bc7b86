/**
 * I14: a conversation goes on only from the highest revision: what it says comes from the very position that stands in the
 * store as it says it (R2: written ahead; R6: no parked copy that others have passed), what a holder writes follows on
 * what stands, and what it has read is not changed by an earlier holder any more (R5: raised, then read).
 */
import type { Checker, Violation } from "../History.ts"
import { isRepeat, Rows } from "./rows.ts"
import { isTimed, positionOf } from "./sends.ts"

export const i14: Checker = (history) => {
  const rows = new Rows()
  const stored = new Set<string>()
  const written = new Set<string>()
  const readUnder = new Map<string, number>()
  const found: Array<Violation> = []
  const broken = (detail: string): void => {
    found.push({ invariant: "I14", detail })
  }
  for (const entry of history) {
    if (entry._tag === "read") readUnder.set(entry.key, Math.max(readUnder.get(entry.key) ?? 0, entry.fence))
    if (entry._tag === "write") {
      const { accepted, fence, hold, id, key, machine, revision } = entry
      // The same write may arrive a second time, long after others.
      const name = `${id} ${revision} ${fence}`
      const stands = rows.get(key)
      if (!accepted && hold === "own" && !written.has(name) && stands !== undefined && stands.fence <= fence)
        broken(
          `${machine} wrote revision ${revision} of ${id} at ${entry.at} over ${stands.id} revision ${stands.revision}`
        )
      const repeats = stands !== undefined && isRepeat(stands, entry)
      if (accepted && !repeats && fence < (readUnder.get(key) ?? 0))
        broken(`${machine} wrote ${key} under ${fence} at ${entry.at}, after ${readUnder.get(key) ?? 0} had read it`)
      written.add(name)
    }
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
    broken(
      `${entry.machine} said "${entry.text}" at ${entry.at} as visit ${position.visit} of ${position.id}, where ${stands?.id ?? "nothing"} stands at visit ${stands?.visit ?? 0}`
    )
  }
  return found
}
