/** IN1 to IN7: the inbox. */
import { expect } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { dedupeKey } from "../../model/StoredEvent.ts"
import { Durability, markTtl } from "../../spi/Durability.ts"
import type { Test } from "../Conformance.ts"
import { claim, inbox, message, messageOf, record, tagOf, times, unbounded } from "./Fixtures.ts"

const key = "c1:u1"
const never = { reason: "attempts", detail: "no" } as const

export const recording = (test: Test<Durability>): void => {
  test("IN1 a message that was recorded is a duplicate while its record is there, and seven days longer, R15", () =>
    Effect.gen(function* () {
      const box = yield* inbox
      const bot = "in1/repeat"
      const event = message("m1")
      const again = Effect.map(box.record(bot, key, { event, dedupe: dedupeKey(event) }), ({ _tag }) => _tag)
      const id = yield* record(bot, key, "m1")
      expect(yield* box.record(bot, key, { event, dedupe: dedupeKey(event) })).toEqual({ _tag: "duplicate", id })
      yield* claim(bot, key, 1)
      yield* TestClock.adjust("30 days")
      expect(yield* again).toBe("duplicate")
      expect(yield* box.ack(bot, key, id, 1)).toBe(true)
      yield* TestClock.adjust(markTtl - 1)
      expect(yield* again).toBe("duplicate")
      yield* TestClock.adjust(1)
      expect(yield* again).toBe("recorded")
    }))

  test("IN1 a dead message is a duplicate as long as it is there, and seven days after it was dropped", () =>
    Effect.gen(function* () {
      const box = yield* inbox
      const bot = "in1/dead"
      const event = message("m1")
      const again = Effect.map(box.record(bot, key, { event, dedupe: dedupeKey(event) }), ({ _tag }) => _tag)
      const id = yield* record(bot, key, "m1")
      yield* claim(bot, key, 1)
      yield* box.dead(bot, key, id, 1, never)
      yield* TestClock.adjust("30 days")
      expect(yield* again).toBe("duplicate")
      yield* box.drop(bot, key, id)
      yield* TestClock.adjust(markTtl - 1)
      expect(yield* again).toBe("duplicate")
      yield* TestClock.adjust(1)
      expect(yield* again).toBe("recorded")
    }))

  test("IN1 of 50 concurrent records of one message one is recorded, and all name it", () =>
    Effect.gen(function* () {
      const box = yield* inbox
      const event = message("m1")
      for (const round of times(5)) {
        const found = yield* Effect.forEach(
          times(50),
          () =>
            Effect.andThen(Effect.yieldNow, box.record(`in1/many${round}`, key, { event, dedupe: dedupeKey(event) })),
          unbounded
        )
        expect(found.filter(({ _tag }) => _tag === "recorded")).toHaveLength(1)
        expect(new Set(found.map(({ id }) => id)).size).toBe(1)
      }
    }))

  test("IN1 an edit is another message, and one without an id is never a repeat, A4", () =>
    Effect.gen(function* () {
      const box = yield* inbox
      const bot = "in1/other"
      for (const event of [message("m1", "a"), message("m1", "b"), message("", "c"), message("", "c")]) {
        expect((yield* box.record(bot, key, { event, dedupe: dedupeKey(event) }))._tag).toBe("recorded")
      }
      const event = message("m1", "a")
      expect((yield* box.record(bot, "c2", { event, dedupe: dedupeKey(event) }))._tag).toBe("recorded")
      expect((yield* box.record("in1/else", key, { event, dedupe: dedupeKey(event) }))._tag).toBe("recorded")
    }))
}

export const claiming = (test: Test<Durability>): void => {
  test("IN2 records are claimed in the order they were recorded, one under each fence, I5", () =>
    Effect.gen(function* () {
      const box = yield* inbox
      const bot = "in2/order"
      const all = times(12).map((n) => `m${n}`)
      for (const id of all) yield* record(bot, key, id)
      const taken: Array<string | undefined> = []
      for (const fence of times(12).map((n) => n + 1)) {
        const claimed = yield* box.claim(bot, key, { fence, owner: `o${fence % 2}` })
        if (claimed._tag !== "claimed") throw new Error(claimed._tag)
        expect(claimed.left).toBe(fence < 12)
        taken.push(messageOf(claimed.record))
        expect(yield* box.ack(bot, key, claimed.record.id, fence)).toBe(true)
        expect(yield* box.claim(bot, key, { fence, owner: `o${fence % 2}` })).toEqual({ _tag: "spent" })
      }
      expect(taken).toEqual(all)
      expect(yield* box.claim(bot, key, { fence: 13, owner: "o" })).toEqual({ _tag: "empty" })
    }))

  test("IN2 what many record at once is numbered apart, and claimed once each in that order", () =>
    Effect.gen(function* () {
      const box = yield* inbox
      const bot = "in2/many"
      yield* Effect.forEach(times(40), (n) => Effect.andThen(Effect.yieldNow, record(bot, key, `m${n}`)), unbounded)
      const numbers: Array<number> = []
      const seen = new Set<string | undefined>()
      for (const n of times(40)) {
        const found = yield* claim(bot, key, n + 1)
        numbers.push(found.number)
        seen.add(messageOf(found))
        yield* box.ack(bot, key, found.id, n + 1)
      }
      expect(seen.size).toBe(40)
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
    }))

  test("IN2 the same claimant asking again gets the same record, R4", () =>
    Effect.gen(function* () {
      const bot = "in2/again"
      yield* record(bot, key, "m1")
      yield* record(bot, key, "m2")
      const first = yield* claim(bot, key, 5)
      expect(yield* claim(bot, key, 5)).toEqual(first)
      expect(first).toMatchObject({ attempts: 0, crashes: 0, claim: { fence: 5, owner: "a" } })
    }))

  test("IN3 while the oldest backs off nothing later of its key is claimed, and other keys go on, R4", () =>
    Effect.gen(function* () {
      const box = yield* inbox
      const bot = "in3/backoff"
      const id = yield* record(bot, key, "m1")
      yield* record(bot, key, "m2")
      yield* record(bot, "c2", "m3")
      const due = (yield* Clock.currentTimeMillis) + 1_000
      yield* claim(bot, key, 1)
      expect(yield* box.release(bot, key, id, { fence: 1, failed: true, due })).toBe(true)
      expect(yield* box.claim(bot, key, { fence: 2, owner: "a" })).toEqual({ _tag: "waiting", until: due })
      expect(messageOf(yield* claim(bot, "c2", 1))).toBe("m3")
      yield* TestClock.adjust(999)
      expect(tagOf(yield* box.claim(bot, key, { fence: 3, owner: "a" }))).toBe("waiting")
      yield* TestClock.adjust(1)
      const again = yield* claim(bot, key, 3)
      expect([messageOf(again), again.attempts]).toEqual(["m1", 1])
    }))

  test("IN4 whatever comes under a lower fence is refused and changes nothing, R5", () =>
    Effect.gen(function* () {
      const { inbox: box, raiseFence } = yield* Durability
      const bot = "in4/lower"
      const high = 1_767_225_600_000_123
      const id = yield* record(bot, key, "m1")
      yield* claim(bot, key, high)
      yield* raiseFence(bot, key, high + 1)
      yield* raiseFence(bot, key, high)
      const stands = yield* box.find(bot, key, id)
      expect(yield* box.claim(bot, key, { fence: high, owner: "a" })).toEqual({ _tag: "superseded", fence: high + 1 })
      expect(yield* box.ack(bot, key, id, high)).toBe(false)
      expect(yield* box.release(bot, key, id, { fence: high, failed: true, due: 9 })).toBe(false)
      expect(yield* box.dead(bot, key, id, high, never)).toBe(false)
      expect(yield* box.find(bot, key, id)).toEqual(stands)
      expect(messageOf(yield* claim(bot, key, high + 1, "b"))).toBe("m1")
      expect(yield* box.ack(bot, key, id, high + 1)).toBe(true)
      // Not even once it is done.
      expect(yield* box.ack(bot, key, id, high)).toBe(false)
    }))

  test("IN4 a fence can be raised where nothing stands, and a claim raises it, R5", () =>
    Effect.gen(function* () {
      const { inbox: box, raiseFence } = yield* Durability
      const bot = "in4/bare"
      yield* raiseFence(bot, key, 7)
      yield* record(bot, key, "m1")
      expect(yield* box.claim(bot, key, { fence: 6, owner: "a" })).toEqual({ _tag: "superseded", fence: 7 })
      expect(yield* box.claim(bot, "c2", { fence: 9, owner: "a" })).toEqual({ _tag: "empty" })
      expect(yield* box.claim(bot, "c2", { fence: 8, owner: "a" })).toEqual({ _tag: "superseded", fence: 9 })
      yield* TestClock.adjust("59 minutes")
      expect(yield* box.claim(bot, "c2", { fence: 8, owner: "a" })).toEqual({ _tag: "superseded", fence: 9 })
    }))
}

export const signing = (test: Test<Durability>): void => {
  test("IN5 only the claim that stands signs a record off, I10", () =>
    Effect.gen(function* () {
      const box = yield* inbox
      const bot = "in5/only"
      const id = yield* record(bot, key, "m1")
      const refused = Effect.gen(function* () {
        expect(yield* box.ack(bot, key, id, 9)).toBe(false)
        expect(yield* box.dead(bot, key, id, 9, never)).toBe(false)
        expect(yield* box.release(bot, key, id, { fence: 9, failed: true })).toBe(false)
      })
      yield* refused
      yield* claim(bot, key, 3)
      yield* refused
      expect((yield* box.find(bot, key, id))?.attempts).toBe(0)
      expect(yield* box.release(bot, key, id, { fence: 3 })).toBe(true)
      expect(yield* box.ack(bot, key, id, 3)).toBe(false)
      expect(yield* box.dead(bot, key, id, 3, never)).toBe(false)
      expect(messageOf(yield* claim(bot, key, 4))).toBe("m1")
      expect(yield* box.release(bot, key, id, { fence: 3 })).toBe(false)
      expect(yield* box.ack(bot, key, id, 4)).toBe(true)
      expect(yield* box.claim(bot, key, { fence: 5, owner: "a" })).toEqual({ _tag: "empty" })
    }))

  test("IN5 the same sign-off again is a repeat and changes nothing", () =>
    Effect.gen(function* () {
      const box = yield* inbox
      const bot = "in5/again"
      const [first, second, third] = [
        yield* record(bot, key, "m1"),
        yield* record(bot, key, "m2"),
        yield* record(bot, key, "m3")
      ]
      yield* claim(bot, key, 1)
      for (const _ of times(3)) expect(yield* box.ack(bot, key, first, 1)).toBe(true)
      yield* claim(bot, key, 2)
      const due = yield* Clock.currentTimeMillis
      for (const _ of times(3)) expect(yield* box.release(bot, key, second, { fence: 2, failed: true, due })).toBe(true)
      expect((yield* box.find(bot, key, second))?.attempts).toBe(1)
      yield* claim(bot, key, 3)
      for (const _ of times(3)) expect(yield* box.dead(bot, key, second, 3, never)).toBe(true)
      expect((yield* box.list(bot, { state: "dead", limit: 9 })).items).toHaveLength(1)
      // One that was never claimed is given back without a word.
      expect(yield* box.release(bot, key, third)).toBe(true)
      expect(messageOf(yield* claim(bot, key, 4))).toBe("m3")
    }))

  test("IN6 an owner that vanished charges one crash; releases, its own return and repeats charge none, R14", () =>
    Effect.gen(function* () {
      const box = yield* inbox
      const bot = "in6/charge"
      const id = yield* record(bot, key, "m1")
      const crashes = Effect.fnUntraced(function* (fence: number, owner: string) {
        return (yield* claim(bot, key, fence, owner)).crashes
      })
      expect(yield* crashes(1, "a")).toBe(0)
      expect(yield* crashes(1, "a")).toBe(0)
      // It lost its turn and has another: it lives.
      expect(yield* crashes(2, "a")).toBe(0)
      yield* box.release(bot, key, id, { fence: 2 })
      expect(yield* crashes(3, "b")).toBe(0)
      expect(yield* crashes(4, "c")).toBe(1)
      expect(yield* crashes(4, "c")).toBe(1)
      yield* box.release(bot, key, id, { fence: 4, failed: true })
      const found = yield* claim(bot, key, 5, "d")
      expect([found.crashes, found.attempts]).toEqual([1, 1])
    }))

  test("DUR-09 a message that ends its process is dead at the sixth time, and the next of its chat is claimed at once, R14", () =>
    Effect.gen(function* () {
      const box = yield* inbox
      const bot = "dur09/poison"
      const id = yield* record(bot, key, "bum")
      yield* record(bot, key, "next")
      for (const n of times(6)) expect((yield* claim(bot, key, n + 1, `o${n}`)).crashes).toBe(n)
      const by = { fence: 7, owner: "o6" }
      const buried = yield* box.claim(bot, key, by)
      if (buried._tag !== "buried") throw new Error(buried._tag)
      expect([messageOf(buried.record), buried.record.crashes]).toEqual(["bum", 6])
      expect(buried.record.death).toMatchObject({ reason: "crashes", at: yield* Clock.currentTimeMillis })
      const next = yield* box.claim(bot, key, by)
      expect(next._tag === "claimed" && messageOf(next.record)).toBe("next")
      expect((yield* box.find(bot, key, id))?.death?.reason).toBe("crashes")
      expect(yield* box.counts(bot)).toMatchObject({ pending: 1, dead: 1 })
    }))
}
