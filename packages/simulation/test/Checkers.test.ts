import { checkers, type Entry, type EntryOf, type Terms } from "@botmesh/simulation"
import { expect, it } from "vitest"

const terms: Terms = { lease: 2000, settle: 5000, turnWait: 10_000 }
const broken = (invariant: string, history: ReadonlyArray<Entry>): number => {
  const checker = checkers.find((one) => one.invariant === invariant)
  if (checker === undefined) throw new Error(`there is no checker of ${invariant}`)
  return checker.check(history, terms).length
}

const at = { at: 0, machine: "a" }
const granted = (over: Partial<EntryOf<"granted">> = {}): Entry => ({
  _tag: "granted",
  ...at,
  key: "k",
  ticket: "t",
  fence: 1,
  overLiving: false,
  overDead: false,
  ahead: 0,
  ...over
})
const send = (over: Partial<EntryOf<"send">> = {}): Entry => ({
  _tag: "send",
  ...at,
  nth: 1,
  chat: "k",
  key: "k",
  text: "hola",
  op: "",
  hold: "own",
  fence: 1,
  thawed: false,
  ...over
})
const write = (over: Partial<EntryOf<"write">> = {}): Entry => ({
  _tag: "write",
  ...at,
  nth: 1,
  key: "k",
  id: "k/f/1",
  revision: 1,
  fence: 1,
  hold: "own",
  visit: 1,
  clear: false,
  accepted: true,
  wakeAt: null,
  expires: null,
  size: 0,
  ...over
})
const arrived = (nth: number, text: string): Entry => ({ _tag: "arrived", ...at, nth, chat: "k", text, stale: false })
const account = (over: Partial<EntryOf<"account">> = {}): Entry => ({
  _tag: "account",
  ...at,
  received: 0,
  handled: 0,
  dropped: 0,
  signals: 0,
  waiting: 0,
  conversations: 0,
  timers: 0,
  ...over
})

it("I1 a turn over a living one, and an act for what is another's; not what a thaw pushes out", () => {
  expect(broken("I1", [granted({ overLiving: true })])).toBe(1)
  expect(broken("I1", [send({ hold: "other" })])).toBe(1)
  expect(broken("I1", [send({ hold: "other", thawed: true }), send(), granted({ overDead: true })])).toBe(0)
})
it("I2 an accepted write under a lower fence, and one under a raised fence", () => {
  expect(broken("I2", [write({ fence: 2 }), write({ fence: 1, revision: 2 })])).toBe(1)
  expect(broken("I2", [{ _tag: "raise", ...at, key: "k", fence: 5 }, write({ fence: 4 })])).toBe(1)
  expect(broken("I2", [write({ fence: 2 }), write({ fence: 1, revision: 2, accepted: false })])).toBe(0)
})
it("I3 a fence that does not grow", () => {
  expect(broken("I3", [granted({ fence: 2 }), granted({ fence: 2 })])).toBe(1)
  expect(broken("I3", [granted({ fence: 2 }), granted({ fence: 3 })])).toBe(0)
})
it("I4 an act under a lease that has run out", () => {
  expect(broken("I4", [send({ hold: "dead" })])).toBe(1)
  expect(broken("I4", [send()])).toBe(0)
})
it("I5 a ticket that passes another", () => {
  expect(broken("I5", [granted({ ahead: 1 })])).toBe(1)
  expect(broken("I5", [granted()])).toBe(0)
})
it("I6 somebody still waits at the end, or heard late of a turn", () => {
  const end: Entry = { _tag: "end", ...at, ending: "done", waiting: 0, held: 0 }
  expect(broken("I6", [{ ...end, waiting: 1 }])).toBe(1)
  expect(broken("I6", [{ ...end, held: 1 }])).toBe(1)
  const has = (late: number): Entry => ({ _tag: "has", at: 10_000 + late, machine: "a", key: "k", nth: 1, fence: 1 })
  const calm: Entry = { _tag: "calm", ...at }
  expect(broken("I6", [calm, granted({ at: 10_000 }), has(1500)])).toBe(1)
  expect(broken("I6", [calm, granted({ at: 10_000 }), has(50), end])).toBe(0)
})
it("I7 a session of one who does not lead, and an act of one who led", () => {
  const lead = (machine: string, when: number): Entry => granted({ machine, at: when, key: "lead/provider:phone" })
  const session = (machine: string, when: number): Entry => ({ _tag: "session", at: when, machine, open: true })
  expect(broken("I7", [lead("a", 0), session("b", 1)])).toBe(1)
  expect(broken("I7", [lead("a", 0), session("a", 1), lead("b", 2), send({ at: 3 })])).toBe(1)
  expect(broken("I7", [lead("a", 0), session("a", 1), send({ at: 3 })])).toBe(0)
})
it("I12 a send of an earlier turn after one of a later, and a second part without its first", () => {
  expect(
    broken("I12", [send({ nth: 1, fence: 2 }), send({ nth: 2, fence: 1 }), arrived(1, "a"), arrived(2, "b")])
  ).toBe(1)
  expect(broken("I12", [send(), arrived(1, "Eco x 2")])).toBe(1)
  expect(broken("I12", [send(), send({ nth: 2 }), arrived(1, "Eco x 1"), arrived(2, "Eco x 2")])).toBe(0)
})
it("I13 revisions that do not chain, a run that comes back, a read of what does not stand", () => {
  expect(broken("I13", [write(), write({ revision: 3 })])).toBe(1)
  const cleared = [write(), write({ revision: 2, clear: true })]
  expect(broken("I13", [...cleared, write({ id: "k/f/2" })])).toBe(0)
  expect(broken("I13", [...cleared, write({ id: "k/f/2", revision: 3 })])).toBe(1)
  expect(
    broken("I13", [...cleared, write({ id: "k/f/2" }), write({ id: "k/f/2", revision: 2, clear: true }), write()])
  ).toBe(1)
  expect(broken("I13", [write(), { _tag: "read", ...at, key: "k", id: "", revision: 0, clear: false, fence: 0 }])).toBe(
    1
  )
})
it("I14 a conversation that speaks from another position than the stored one", () => {
  expect(broken("I14", [write({ visit: 2 }), send({ op: "k/f/1:1:name" })])).toBe(1)
  expect(broken("I14", [write({ visit: 2 }), send({ op: "k/f/1:2:name" })])).toBe(0)
})
it("I15 a message that answers two questions", () => {
  const answer = (question: string): Entry => ({ _tag: "answer", ...at, chat: "k", question, value: "s 1" })
  expect(broken("I15", [answer("liked"), answer("why")])).toBe(1)
  expect(broken("I15", [answer("liked"), answer("liked")])).toBe(0)
})
it("I17 a timer that speaks without the turn, or for what is over, and one that outlives its conversation", () => {
  const late = (over: Partial<EntryOf<"send">>): Entry => send({ op: "k/f/1:1:nick.idle1", ...over })
  expect(broken("I17", [late({ hold: "none" })])).toBe(1)
  expect(broken("I17", [write({ visit: 2 }), late({})])).toBe(1)
  expect(broken("I17", [write(), late({})])).toBe(0)
  expect(broken("I17", [account({ at: 1, timers: 1 })])).toBe(1)
})
it("I18 a turn that is held too long, where nothing broke", () => {
  const freed: Entry = { _tag: "freed", at: 12_000, machine: "a", key: "k", fence: 1, dead: false }
  expect(broken("I18", [granted(), freed])).toBe(1)
  expect(broken("I18", [granted(), { ...freed, at: 9000 }])).toBe(0)
  const fault: Entry = { _tag: "fault", at: 3000, machine: "a", verb: "cut", until: 9000, detail: "" }
  expect(broken("I18", [granted(), fault, freed])).toBe(0)
})
it("I23 a list of a checkpoint without a bound, and more conversations than chats", () => {
  expect(broken("I23", [write({ size: 300 })])).toBe(1)
  expect(broken("I23", [account({ conversations: 2 })])).toBe(1)
  expect(broken("I23", [write({ size: 200 })])).toBe(0)
})
it("I24 an event nobody told the fate of", () => {
  const given: Entry = { _tag: "given", ...at, nth: 1, chat: "k", id: "1", again: false }
  const handled: Entry = { _tag: "handled", ...at, chat: "k", id: "1" }
  expect(broken("I24", [given, account({ received: 1 })])).toBe(1)
  expect(broken("I24", [given, handled, account({ received: 1, handled: 1 })])).toBe(0)
})
it("I25 somebody who does not get what they wanted, and a world that does not end", () => {
  expect(broken("I25", [{ _tag: "unfinished", ...at, what: "c0" }])).toBe(1)
  expect(broken("I25", [{ _tag: "end", ...at, ending: "stuck", waiting: 0, held: 0 }])).toBe(1)
})
it("I8 an event that was taken and came to nothing, and one that nobody answered", () => {
  const given: Entry = { _tag: "given", ...at, nth: 1, chat: "k", id: "1", again: false }
  const answered = (taken: boolean): Entry => ({ _tag: "answered", ...at, nth: 1, id: "1", taken })
  const dropped = (when: number): Entry => ({
    _tag: "dropped",
    at: when,
    machine: "a",
    reason: "store-failed",
    chat: "k",
    id: "1"
  })
  const end: Entry = { _tag: "end", at: 20_000, machine: "world", ending: "done", waiting: 0, held: 0 }
  const rest: ReadonlyArray<Entry> = [{ _tag: "calm", ...at }, account(), end]
  expect(broken("I8", [given, answered(true), ...rest])).toBe(1)
  expect(broken("I8", [given, ...rest])).toBe(1)
  // Refused, and told so: whoever delivers comes again. Dropped later: lost, and counted.
  expect(broken("I8", [given, dropped(0), answered(false), answered(true), ...rest])).toBe(1)
  expect(broken("I8", [given, answered(true), dropped(1000), ...rest])).toBe(0)
  expect(broken("I8", [given, answered(true), { _tag: "handled", ...at, chat: "k", id: "1" }, ...rest])).toBe(0)
})
it("I14 a rightful holder whose write is refused, and an earlier holder's write after it has read", () => {
  expect(broken("I14", [write({ revision: 1 }), write({ revision: 2 }), write({ accepted: false, fence: 2 })])).toBe(1)
  // The same write again.
  expect(broken("I14", [write({ revision: 1 }), write({ revision: 2 }), write({ accepted: false })])).toBe(0)
  const read: Entry = { _tag: "read", ...at, key: "k", id: "k/f/1", revision: 1, clear: false, fence: 9 }
  expect(broken("I14", [write(), read, write({ revision: 2, fence: 8 })])).toBe(1)
  expect(broken("I14", [write(), read, write({ revision: 2, fence: 9 })])).toBe(0)
})
it("I21 one run that is charged under two keys", () => {
  const charged = (id: string): Entry => ({ _tag: "charged", ...at, id })
  expect(broken("I21", [charged("k/f/1:4:charge"), charged("k/f/1:5:charge")])).toBe(1)
  expect(broken("I21", [charged("k/f/1:4:charge"), charged("k/f/1:4:charge"), charged("k/f/2:4:charge")])).toBe(0)
})
