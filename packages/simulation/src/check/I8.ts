/**
 * I8: an event the transport was told is taken is handled, or dropped for a counted reason. A drop that was answered with a
 * refusal is none: whoever was refused delivers again. And whoever delivers is answered.
 */
import type { Checker, EntryOf, Violation } from "../History.ts"

const refusing: ReadonlySet<string> = new Set(["store-failed", "not-running", "overloaded"])
/** ms. */
const atOnce = 5
/** ms, in fair weather. */
const answeredWithin = 5000

export const i8: Checker = (history) => {
  const taken = new Map<string, string>()
  /** Everybody who was given it: one that is gone may have had it, and lost it (without durability). */
  const hands = new Map<string, Set<string>>()
  const handled = new Set<string>()
  const drops: Array<EntryOf<"dropped">> = []
  const refusals = new Map<string, Array<number>>()
  const open = new Map<number, EntryOf<"given">>()
  const gone = new Set<string>()
  const living = new Set<string>()
  let calmAt = Number.POSITIVE_INFINITY
  let end = 0
  for (const entry of history) {
    if (entry._tag === "given") {
      open.set(entry.nth, entry)
      hands.set(entry.id, (hands.get(entry.id) ?? new Set()).add(entry.machine))
    } else if (entry._tag === "answered") {
      open.delete(entry.nth)
      const name = `${entry.machine} ${entry.id}`
      if (!entry.taken) refusals.set(name, [...(refusals.get(name) ?? []), entry.at])
      if (entry.taken && entry.id !== "" && !taken.has(entry.id)) taken.set(entry.id, entry.machine)
    } else if (entry._tag === "handled") handled.add(entry.id)
    else if (entry._tag === "dropped" && entry.reason !== "duplicate") drops.push(entry)
    else if (entry._tag === "fault" && (entry.verb === "crash" || entry.verb === "stop")) gone.add(entry.machine)
    else if (entry._tag === "account") living.add(entry.machine)
    else if (entry._tag === "calm") calmAt = entry.at
    else if (entry._tag === "end") end = entry.at
  }
  const found: Array<Violation> = []
  // A refusal is told in the moment of its drop; a drop that comes later is the end of what had been taken.
  const isRefusal = ({ at, id, machine, reason }: EntryOf<"dropped">): boolean =>
    refusing.has(reason) && (refusals.get(`${machine} ${id}`) ?? []).some((told) => Math.abs(told - at) <= atOnce)
  for (const drop of drops) if (!isRefusal(drop)) handled.add(drop.id)
  for (const [id, machine] of taken) {
    const isGone = [...(hands.get(id) ?? [])].some((hand) => gone.has(hand) || !living.has(hand))
    if (!handled.has(id) && !isGone)
      found.push({ invariant: "I8", detail: `${machine} took ${id}, and nothing came of it` })
  }
  for (const { at, id, machine } of open.values()) {
    if (living.has(machine) && Math.max(at, calmAt) + answeredWithin < end)
      found.push({ invariant: "I8", detail: `${machine} was given ${id} at ${at} and never answered` })
  }
  return found
}
