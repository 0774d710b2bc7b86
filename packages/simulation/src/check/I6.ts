/**
 * I6: no wake-up is lost. When the world has come to rest nobody waits or holds any more; and in fair weather a replica
 * knows of its grant at once: it is told, and need not ask.
 */
import type { Checker, EntryOf, Violation } from "../History.ts"

/** ms that a wake takes at most while nothing is broken; who is not woken asks each second. */
const knownWithin = 100

export const i6: Checker = (history, { lease }) => {
  const found: Array<Violation> = []
  const open = new Map<number, EntryOf<"asked">>()
  const given = new Map<string, number>()
  const dead = new Set<string>()
  let calmAt = Number.POSITIVE_INFINITY
  for (const entry of history) {
    if (entry._tag === "calm") calmAt = entry.at
    else if (entry._tag === "fault" && entry.verb === "crash") dead.add(entry.machine)
    else if (entry._tag === "granted") given.set(`${entry.machine} ${entry.key} ${entry.fence}`, entry.at)
    else if (entry._tag === "asked") open.set(entry.nth, entry)
    else if (entry._tag === "over") open.delete(entry.nth)
    else if (entry._tag === "has") {
      const at = given.get(`${entry.machine} ${entry.key} ${entry.fence}`)
      if (at !== undefined && at > calmAt + lease && entry.at - at > knownWithin)
        found.push({
          invariant: "I6",
          detail: `${entry.machine} heard of its turn for ${entry.key} only ${entry.at - at} ms after it was given`
        })
    } else if (entry._tag === "end" && (entry.waiting > 0 || entry.held > 0))
      found.push({ invariant: "I6", detail: `at the end ${entry.waiting} wait and ${entry.held} are held by nobody` })
  }
  for (const { key, machine, nth } of open.values()) {
    if (!dead.has(machine))
      found.push({ invariant: "I6", detail: `${machine} still waits for ${key} (${nth}) at the end` })
  }
  return found
}
