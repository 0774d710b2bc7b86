/** OUT1 to OUT7: the outbox. */
import { expect } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Durability, markTtl } from "../../spi/Durability.ts"
import type { Report, SendState } from "../../spi/Outbox.ts"
import type { Test } from "../Conformance.ts"
import { attempt, drain, everyPage, outbox, outboxOf, plan, stateOf, times, unbounded } from "./Fixtures.ts"

const lane = "c1:u1"
const confirmed: Report = { _tag: "confirmed", receipt: { ref: { id: "99", chatId: "c1" } } }
const unknown: Report = { _tag: "unknown", detail: "cut" }
const in1s = Effect.map(Clock.currentTimeMillis, (now) => now + 1_000)

export const planning = (test: Test<Durability>): void => {
  test("OUT1 a known send is kept as it was first, and another content under its id is told, R7", () =>
    Effect.gen(function* () {
      const box = yield* outbox
      const bot = "out1/known"
      const planned = (content: string, id = "s1") => box.plan(bot, lane, 1, [{ id, content }])
      const fresh = { id: "s1", state: "planned", isNew: true, diverged: false, receipt: undefined }
      expect(yield* planned("one")).toEqual({ _tag: "planned", sends: [fresh] })
      expect(yield* planned("one")).toEqual({ _tag: "planned", sends: [{ ...fresh, isNew: false }] })
      expect(yield* planned("two")).toEqual({ _tag: "planned", sends: [{ ...fresh, isNew: false, diverged: true }] })
      const send = yield* attempt(bot, lane)
      expect(send.content).toBe("one")
      yield* box.report(bot, lane, "s1", send.token, confirmed)
      expect(yield* planned("one")).toMatchObject({
        sends: [{ state: "confirmed", isNew: false, receipt: { ref: { id: "99", chatId: "c1" } } }]
      })
      expect(yield* drain(bot, lane)).toEqual([])
      expect(yield* box.plan(bot, "c2", 1, [{ id: "s1", content: "one" }])).toMatchObject({ sends: [{ isNew: true }] })
    }))

  test("OUT1 what went out stays known for seven days, R7", () =>
    Effect.gen(function* () {
      const bot = "out1/seven"
      yield* plan(bot, lane, 1, "s1")
      yield* drain(bot, lane)
      yield* TestClock.adjust(markTtl - 1)
      expect(yield* plan(bot, lane, 1, "s1")).toMatchObject({ sends: [{ state: "confirmed", isNew: false }] })
      yield* TestClock.adjust(1)
      expect(yield* stateOf(bot, lane, "s1")).toBeUndefined()
      expect(yield* plan(bot, lane, 1, "s1")).toMatchObject({ sends: [{ state: "planned", isNew: true }] })
    }))

  test("OUT2 sends go out in the order they were planned, and a repeated plan adds only what is new, I12", () =>
    Effect.gen(function* () {
      const bot = "out2/order"
      yield* plan(bot, lane, 1, "z", "b", "y")
      yield* plan(bot, lane, 2, "z", "a", "b", "x")
      yield* plan(bot, lane, 2)
      expect(yield* drain(bot, lane)).toEqual(["z", "b", "y", "a", "x"])
      const twice = yield* Effect.flip(plan(bot, lane, 2, "q", "q"))
      expect(twice.reason).toBe("invalid")
    }))

  test("OUT2 plans made at once do not mix: each is stored whole and in a row", () =>
    Effect.gen(function* () {
      const bot = "out2/whole"
      yield* Effect.forEach(
        times(12),
        (n) => Effect.andThen(Effect.yieldNow, plan(bot, lane, 1, `${n}a`, `${n}b`, `${n}c`)),
        unbounded
      )
      const ids = yield* drain(bot, lane)
      expect(ids).toHaveLength(36)
      for (const n of times(12)) {
        const at = ids.indexOf(`${n}a`)
        expect(ids.slice(at, at + 3)).toEqual([`${n}a`, `${n}b`, `${n}c`])
      }
    }))

  test("OUT3 a plan under a lower fence is refused and stores nothing; a plan raises the fence, R5", () =>
    Effect.gen(function* () {
      const { inbox, raiseFence } = yield* Durability
      const bot = "out3/fence"
      const high = 1_767_225_600_000_123
      expect(yield* plan(bot, lane, high, "s1")).toMatchObject({ _tag: "planned" })
      expect(yield* plan(bot, lane, high - 1, "s2")).toEqual({ _tag: "superseded", fence: high })
      expect(yield* stateOf(bot, lane, "s2")).toBeUndefined()
      // Inbox and outbox of a key have one fence.
      expect(yield* inbox.claim(bot, lane, { fence: high - 1, owner: "a" })).toEqual({
        _tag: "superseded",
        fence: high
      })
      yield* inbox.claim(bot, lane, { fence: high + 2, owner: "b" })
      expect(yield* plan(bot, lane, high + 1, "s2")).toEqual({ _tag: "superseded", fence: high + 2 })
      yield* raiseFence(bot, lane, high + 4)
      expect(yield* plan(bot, lane, high + 3, "s2")).toEqual({ _tag: "superseded", fence: high + 4 })
      // The lane, not the fence, guards what is planned already.
      expect(yield* drain(bot, lane)).toEqual(["s1"])
    }))
}

export const attempting = (test: Test<Durability>): void => {
  test("OUT4 of many attempts at once one takes the oldest, the others wait for its deadline, R11", () =>
    Effect.gen(function* () {
      const box = yield* outbox
      const bot = "out4/many"
      yield* plan(bot, lane, 1, "s1", "s2")
      const until = yield* in1s
      const all = yield* Effect.forEach(
        times(20),
        () => Effect.andThen(Effect.yieldNow, box.attempt(bot, lane, until)),
        unbounded
      )
      const taken = all.flatMap((found) => (found._tag === "attempt" ? [found] : []))
      expect(taken.map(({ left, send }) => [send.id, send.state, send.attempts, left])).toEqual([
        ["s1", "attempting", 1, true]
      ])
      expect(all.filter((found) => found._tag === "waiting" && found.until === until)).toHaveLength(19)
      // Another lane is another matter.
      yield* plan(bot, "c2", 1, "s1")
      expect((yield* attempt(bot, "c2")).id).toBe("s1")
    }))

  test("DUR-11 a send that is to wait keeps its place, and everything behind it waits too, I12", () =>
    Effect.gen(function* () {
      const box = yield* outbox
      const bot = "dur11/later"
      yield* plan(bot, lane, 1, "s1", "s2", "s3", "s4")
      const first = yield* attempt(bot, lane)
      yield* box.report(bot, lane, "s1", first.token, confirmed)
      const limited = yield* attempt(bot, lane)
      const due = (yield* Clock.currentTimeMillis) + 3_000
      expect(yield* box.report(bot, lane, "s2", limited.token, { _tag: "later", due, detail: "429" })).toBe(true)
      expect(yield* box.attempt(bot, lane, due)).toEqual({ _tag: "waiting", until: due })
      yield* TestClock.adjust(2_999)
      expect((yield* box.attempt(bot, lane, due + 9))._tag).toBe("waiting")
      yield* TestClock.adjust(1)
      expect(yield* box.find(bot, lane, "s2")).toMatchObject({ attempts: 1, detail: "429", state: "planned" })
      expect(yield* drain(bot, lane)).toEqual(["s2", "s3", "s4"])
      expect(yield* box.find(bot, lane, "s2")).toMatchObject({ attempts: 2, resends: 0 })
    }))

  test("OUT5 an attempt without a word is unknown, and nothing of its lane goes out before a decision, R11", () =>
    Effect.gen(function* () {
      const box = yield* outbox
      const bot = "out5/unknown"
      yield* plan(bot, lane, 1, "s1", "s2")
      yield* attempt(bot, lane, 1_000)
      yield* TestClock.adjust(999)
      expect((yield* box.attempt(bot, lane, yield* in1s))._tag).toBe("waiting")
      yield* TestClock.adjust(1)
      for (const _ of times(3)) {
        const found = yield* box.attempt(bot, lane, yield* in1s)
        expect(found).toMatchObject({ _tag: "unknown", send: { id: "s1", attempts: 1, state: "unknown" } })
      }
      expect((yield* box.list(bot, { state: "unknown", limit: 9 })).items.map(({ id }) => id)).toEqual(["s1"])
      expect(yield* box.hold(bot, lane, "s2")).toBe(false)
      expect(yield* box.resend(bot, lane, "s2")).toBe(false)
      expect(yield* box.resend(bot, lane, "s1")).toBe(true)
      expect(yield* box.resend(bot, lane, "s1")).toBe(false)
      const again = yield* attempt(bot, lane)
      expect(again).toMatchObject({ id: "s1", attempts: 2, resends: 1 })
      expect(yield* box.report(bot, lane, "s1", again.token, unknown)).toBe(true)
      expect((yield* box.attempt(bot, lane, yield* in1s))._tag).toBe("unknown")
      expect(yield* box.hold(bot, lane, "s1")).toBe(true)
      expect(yield* drain(bot, lane)).toEqual(["s2"])
      expect(yield* stateOf(bot, lane, "s1")).toBe("held")
    }))

  test("OUT6 only the last attempt is heard, and its report again is a repeat, I11", () =>
    Effect.gen(function* () {
      const box = yield* outbox
      const bot = "out6/last"
      yield* plan(bot, lane, 1, "s1")
      const first = yield* attempt(bot, lane)
      yield* TestClock.adjust(1_000)
      yield* box.attempt(bot, lane, yield* in1s)
      yield* box.resend(bot, lane, "s1")
      const second = yield* attempt(bot, lane)
      expect(second.token).not.toBe(first.token)
      for (const report of [confirmed, unknown, { _tag: "refused", detail: "x" } as const])
        expect(yield* box.report(bot, lane, "s1", first.token, report)).toBe(false)
      expect(yield* stateOf(bot, lane, "s1")).toBe("attempting")
      for (const _ of times(3)) expect(yield* box.report(bot, lane, "s1", second.token, confirmed)).toBe(true)
      expect(yield* box.report(bot, lane, "s1", second.token, unknown)).toBe(false)
      expect(yield* box.find(bot, lane, "s1")).toMatchObject({ state: "confirmed", attempts: 2, resends: 1 })
      expect(yield* box.report(bot, lane, "nothing", second.token, confirmed)).toBe(false)
    }))

  test("OUT6 what the transport says late is still the truth, until the next attempt", () =>
    Effect.gen(function* () {
      const box = yield* outbox
      const late = Effect.fnUntraced(function* (name: string, prepare: "unknown" | "held" | "resent", report: Report) {
        const bot = `out6/${name}`
        yield* plan(bot, lane, 1, "s1")
        const { token } = yield* attempt(bot, lane)
        yield* box.report(bot, lane, "s1", token, unknown)
        if (prepare === "held") yield* box.hold(bot, lane, "s1")
        if (prepare === "resent") yield* box.resend(bot, lane, "s1")
        return [yield* box.report(bot, lane, "s1", token, report), yield* stateOf(bot, lane, "s1")]
      })
      const refused: Report = { _tag: "refused", detail: "bad" }
      expect(yield* late("a", "unknown", confirmed)).toEqual([true, "confirmed"])
      expect(yield* late("b", "held", confirmed)).toEqual([true, "confirmed"])
      expect(yield* late("c", "resent", confirmed)).toEqual([true, "confirmed"])
      expect(yield* drain("out6/c", lane)).toEqual([])
      expect(yield* late("d", "unknown", refused)).toEqual([true, "refused"])
      expect(yield* late("e", "held", refused)).toEqual([false, "held"])
      expect(yield* late("f", "resent", unknown)).toEqual([false, "planned"])
    }))

  test("OUT7 refused, dead and held sends leave the lane; they come back at its end when requeued, never when dropped", () =>
    Effect.gen(function* () {
      const box = yield* outbox
      const bot = "out7/leave"
      yield* plan(bot, lane, 1, "s1", "s2", "s3", "s4", "s5")
      const end = Effect.fnUntraced(function* (report: Report) {
        const send = yield* attempt(bot, lane)
        yield* box.report(bot, lane, send.id, send.token, report)
        return send.id
      })
      expect(yield* end({ _tag: "refused", detail: "bad" })).toBe("s1")
      expect(yield* end({ _tag: "dead", detail: "closed window" })).toBe("s2")
      expect(yield* end(unknown)).toBe("s3")
      expect(yield* box.requeue(bot, lane, "s3")).toBe(false)
      expect(yield* box.hold(bot, lane, "s3")).toBe(true)
      expect(yield* box.counts(bot)).toMatchObject({ pending: 2, dead: 3 })
      yield* TestClock.adjust("30 days")
      expect(yield* box.requeue(bot, lane, "s2")).toBe(true)
      expect(yield* box.requeue(bot, lane, "s2")).toBe(false)
      expect(yield* box.requeue(bot, lane, "s3")).toBe(true)
      expect(yield* box.requeue(bot, lane, "s4")).toBe(false)
      expect(yield* box.drop(bot, lane, "s1")).toBe(true)
      expect(yield* box.drop(bot, lane, "s5")).toBe(true)
      expect(yield* box.drop(bot, lane, "s5")).toBe(false)
      expect((yield* attempt(bot, lane)).id).toBe("s4")
      expect(yield* box.drop(bot, lane, "s4")).toBe(false)
      yield* TestClock.adjust(1_000)
      yield* box.attempt(bot, lane, yield* in1s)
      yield* box.resend(bot, lane, "s4")
      expect(yield* drain(bot, lane)).toEqual(["s4", "s2", "s3"])
      expect(yield* plan(bot, lane, 1, "s1", "s5")).toMatchObject({
        sends: [{ state: "dropped" }, { state: "dropped" }]
      })
      // A held one may have gone out before: sending it is a resend.
      expect(yield* box.find(bot, lane, "s3")).toMatchObject({ resends: 1 })
      expect(yield* box.find(bot, lane, "s2")).toMatchObject({ resends: 0 })
    }))
}

export const overview = (test: Test<Durability>): void => {
  test("R11 lanes are due when their oldest send is, each once", () =>
    Effect.gen(function* () {
      const box = yield* outbox
      const bot = "r11/due"
      const now = yield* Clock.currentTimeMillis
      const lanes = times(11).map((n) => `k${String(n).padStart(2, "0")}`)
      for (const at of lanes.toReversed()) yield* plan(bot, at, 1, "s1", "s2")
      const later = yield* attempt(bot, "k02")
      yield* box.report(bot, "k02", "s1", later.token, { _tag: "later", due: now + 5_000, detail: "" })
      yield* attempt(bot, "k04", 3_000)
      yield* drain(bot, "k06")
      const lost = yield* attempt(bot, "k08")
      yield* box.report(bot, "k08", "s1", lost.token, unknown)
      const due = (before: number, limit: number) =>
        everyPage((after) => box.due(bot, after === undefined ? { before, limit } : { before, limit, after }))
      const open = lanes.filter((at) => at !== "k06")
      for (const limit of [1, 4, 8, 1_000]) {
        const found = yield* due(now, limit)
        expect(found.map((row) => row.lane).sort()).toEqual(open.filter((at) => at !== "k02" && at !== "k04"))
      }
      expect((yield* due(now + 3_000, 5)).map((row) => row.lane).sort()).toEqual(open.filter((at) => at !== "k02"))
      expect((yield* due(now + 5_000, 5)).map((row) => row.lane).sort()).toEqual(open)
    }))

  test("D2 sends are listed by state, the oldest first, each once across pages, and counted", () =>
    Effect.gen(function* () {
      const { outbox: found } = yield* Durability
      const box = outboxOf({ ...(yield* Durability), outbox: found })
      const bot = "d2/list"
      expect(yield* box.counts(bot)).toEqual({ pending: 0, dead: 0 })
      yield* TestClock.adjust(3)
      const oldest = yield* Clock.currentTimeMillis
      for (const n of times(10)) yield* plan(bot, `k${n % 3}`, 1, `${n}a`, `${n}b`)
      const list = (state: SendState, limit: number) =>
        everyPage((after) => box.list(bot, after === undefined ? { state, limit } : { state, limit, after }))
      for (const limit of [1, 7, 19, 20, 1_000]) {
        const sends = yield* list("planned", limit)
        expect(new Set(sends.map(({ id }) => id)).size).toBe(20)
        expect(sends).toHaveLength(20)
      }
      expect(yield* box.counts(bot)).toEqual({ pending: 20, dead: 0, oldest })
      yield* drain(bot, "k0")
      expect(yield* list("confirmed", 3)).toHaveLength(8)
      expect(yield* box.counts(bot)).toEqual({ pending: 12, dead: 0, oldest })
      expect(yield* box.counts("d2/other")).toEqual({ pending: 0, dead: 0 })
    }))
}
