/**
 * I17: timers act only with the turn and a current revision, not before their time, and none outlives its conversation.
 */
import type { Checker, Violation } from "../History.ts"
import { Rows } from "./rows.ts"
import { isTimed, positionOf } from "./sends.ts"

export const i17: Checker = (history) => {
  const rows = new Rows()
  const stored = new Set<string>()
  const found: Array<Violation> = []
  /** A replica may know of a deadline that another has met since: until then its timer stands. */
  let latest = 0
  const broken = (detail: string): void => {
    found.push({ invariant: "I17", detail })
  }
  for (const entry of history) {
    if (entry._tag === "write" && entry.accepted) {
      rows.put(entry)
      stored.add(entry.id)
      latest = Math.max(latest, entry.wakeAt ?? 0)
    }
    const isQuiet = entry._tag === "account" && entry.conversations === 0 && entry.waiting === 0
    if (isQuiet && entry.timers > 0 && entry.at > latest)
      broken(`${entry.machine} has ${entry.timers} timers and no conversation at the end`)
    if (entry._tag !== "send" || !isTimed(entry)) continue
    if (entry.hold !== "own") {
      if (!entry.thawed)
        broken(`a timer of ${entry.machine} said "${entry.text}" at ${entry.at}: the turn was ${entry.hold}`)
      continue
    }
    const position = positionOf(entry)
    if (position === undefined || !stored.has(position.id)) continue
    const stands = rows.get(entry.key)
    if (stands?.id !== position.id || stands.visit !== position.visit || stands.clear)
      broken(
        `a timer of ${entry.machine} said "${entry.text}" at ${entry.at} for visit ${position.visit} of ${position.id}`
      )
  }
  return found
}
