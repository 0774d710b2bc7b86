/** Checkers of turns: one an invariant, each a pure fold over the history. */
import type { Checker, Violation } from "../History.ts"

/** I1: once a later fence of a key has acted, no earlier one acts; so two never act at a time. */
export const i1: Checker = (history) => {
  const highest = new Map<string, number>()
  const violations: Array<Violation> = []
  for (const entry of history) {
    if (entry._tag !== "acted") continue
    const before = highest.get(entry.key) ?? 0
    if (entry.fence < before) {
      violations.push({
        invariant: "I1",
        detail: `${entry.machine} acted for ${entry.key} under fence ${entry.fence} at ${entry.at}, after ${before} had acted`
      })
    }
    highest.set(entry.key, Math.max(before, entry.fence))
  }
  return violations
}

/** I3: every grant of a key has a higher fence than the grant before. */
export const i3: Checker = (history) => {
  const seen = new Set<string>()
  const violations: Array<Violation> = []
  for (const entry of history) {
    if (entry._tag !== "granted") continue
    const mark = `${entry.key} ${entry.fence}`
    if (seen.has(mark))
      violations.push({ invariant: "I3", detail: `fence ${entry.fence} of ${entry.key} was granted twice` })
    seen.add(mark)
  }
  return violations
}

/** I6: whoever waited when the faults stopped, or asked after, is granted or gives up; nobody waits for ever. */
export const i6: Checker = (history) => {
  const open = new Map<number, string>()
  const died = new Set<string>()
  for (const entry of history) {
    if (entry._tag === "asked") open.set(entry.ticket, `${entry.machine} ${entry.key}`)
    else if (entry._tag === "granted" || entry._tag === "gave-up") open.delete(entry.ticket)
    else if (entry._tag === "fault" && entry.verb === "crash") died.add(entry.machine)
  }
  return [...open].flatMap(([ticket, who]) =>
    died.has(who.split(" ")[0] ?? "")
      ? []
      : [{ invariant: "I6", detail: `ticket ${ticket} (${who}) still waits at the end` }]
  )
}
