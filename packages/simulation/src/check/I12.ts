/**
 * I12: what is sent to a chat keeps the order of its turns, and within a turn that of its program. What arrived is judged:
 * the fence of the turn it was begun under never goes back, and within a turn nothing overtakes.
 */
import type { Checker, EntryOf, Violation } from "../History.ts"

export const i12: Checker = (history) => {
  const found: Array<Violation> = []
  const begun = new Map<number, EntryOf<"send">>()
  const last = new Map<string, EntryOf<"send">>()
  const parts = new Map<string, number>()
  for (const entry of history) {
    if (entry._tag === "send") begun.set(entry.nth, entry)
    if (entry._tag !== "arrived") continue
    const send = begun.get(entry.nth)
    if (send === undefined || send.hold !== "own" || entry.stale) continue
    const before = last.get(entry.chat)
    if (before !== undefined && (send.fence < before.fence || (send.fence === before.fence && send.nth < before.nth)))
      found.push({
        invariant: "I12",
        detail: `${entry.chat} read "${entry.text}" at ${entry.at} after "${before.text}"`
      })
    last.set(entry.chat, send)
    const part = /^Eco (\S+) (\d)$/u.exec(entry.text)
    if (part === null) continue
    const line = part[1] ?? ""
    const nth = Number(part[2])
    if (nth === 2 && parts.get(line) !== 1)
      found.push({
        invariant: "I12",
        detail: `${entry.chat} read "${entry.text}" at ${entry.at} without its first part`
      })
    parts.set(line, nth)
  }
  return found
}
