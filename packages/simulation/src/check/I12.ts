/**
 * I12: what is sent to a chat keeps the order of its turns, and within a turn that of its program. What arrived is judged:
 * the fence of the turn it was begun under never goes back, and within a turn nothing overtakes. What a freeze held back on
 * its way does not count (R10).
 */
import type { Checker, EntryOf, Violation } from "../History.ts"

export const i12: Checker = (history) => {
  const found: Array<Violation> = []
  const broken = (detail: string): void => {
    found.push({ invariant: "I12", detail })
  }
  const begun = new Map<number, EntryOf<"send">>()
  const last = new Map<string, EntryOf<"send">>()
  const parts = new Map<string, number>()
  for (const entry of history) {
    if (entry._tag === "send") begun.set(entry.nth, entry)
    if (entry._tag !== "arrived") continue
    const part = /^Eco (\S+) (\d)$/u.exec(entry.text)
    if (part !== null) {
      const line = part[1] ?? ""
      const nth = Number(part[2])
      if (nth === 2 && !entry.stale && parts.get(line) !== 1)
        broken(`${entry.chat} read "${entry.text}" at ${entry.at} without its first part`)
      if (!entry.stale || nth === 1) parts.set(line, nth)
    }
    const send = begun.get(entry.nth)
    if (send === undefined || send.hold !== "own" || entry.stale) continue
    const before = last.get(entry.chat)
    if (before !== undefined && (send.fence < before.fence || (send.fence === before.fence && send.nth < before.nth)))
      broken(`${entry.chat} read "${entry.text}" at ${entry.at} after "${before.text}"`)
    last.set(entry.chat, send)
  }
  return found
}
