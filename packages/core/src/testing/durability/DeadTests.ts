/** IN7 and what operators see of the inbox: dead letters, lists, due keys, counts. */
import { expect } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { dedupeKey } from "../../model/StoredEvent.ts"
import type { Durability } from "../../spi/Durability.ts"
import type { Test } from "../Conformance.ts"
import { claim, everyEvent, everyPage, inbox, message, messageOf, record, times } from "./Fixtures.ts"

const key = "c1:u1"
const never = { reason: "attempts", detail: "eight times in vain: ¡ñ!" } as const

export const letters = (test: Test<Durability>): void => {
  test("IN7 a dead record frees its chat's queue, and comes back at its end when it is requeued, D1", () =>
    Effect.gen(function* () {
      const box = yield* inbox
      const bot = "in7/requeue"
      const id = yield* record(bot, key, "m1")
      const later = yield* record(bot, key, "m2")
      yield* TestClock.adjust(5)
      yield* claim(bot, key, 1)
      yield* box.release(bot, key, id, { fence: 1, failed: true })
      yield* claim(bot, key, 2)
      expect(yield* box.dead(bot, key, id, 2, never)).toBe(true)
      const dead = yield* box.find(bot, key, id)
      expect(dead?.death).toEqual({ ...never, at: yield* Clock.currentTimeMillis })
      expect(dead?.attempts).toBe(1)
      expect(messageOf(yield* claim(bot, key, 3))).toBe("m2")
      expect(yield* box.requeue(bot, key, later)).toBe(false)
      expect(yield* box.requeue(bot, "c2", id)).toBe(false)
      expect(yield* box.requeue(bot, key, id)).toBe(true)
      expect(yield* box.requeue(bot, key, id)).toBe(false)
      yield* box.ack(bot, key, later, 3)
      const again = yield* claim(bot, key, 4)
      expect([messageOf(again), again.attempts, again.crashes, again.death]).toEqual(["m1", 0, 0, undefined])
      expect(yield* box.ack(bot, key, id, 4)).toBe(true)
      expect(yield* box.counts(bot)).toEqual({ pending: 0, dead: 0 })
    }))

  test("IN7 a dead or an idle record can be dropped, one that runs cannot", () =>
    Effect.gen(function* () {
      const box = yield* inbox
      const bot = "in7/drop"
      const [first, second, third] = [
        yield* record(bot, key, "m1"),
        yield* record(bot, key, "m2"),
        yield* record(bot, key, "m3")
      ]
      yield* claim(bot, key, 1)
      expect(yield* box.drop(bot, key, first)).toBe(false)
      expect(yield* box.drop(bot, "c2", second)).toBe(false)
      yield* box.dead(bot, key, first, 1, never)
      for (const id of [first, second]) {
        expect(yield* box.drop(bot, key, id)).toBe(true)
        expect(yield* box.drop(bot, key, id)).toBe(false)
        expect(yield* box.find(bot, key, id)).toBeUndefined()
      }
      expect((yield* claim(bot, key, 2)).id).toBe(third)
      for (const id of ["m1", "m2"]) {
        const event = message(id)
        expect((yield* box.record(bot, key, { event, dedupe: dedupeKey(event) }))._tag).toBe("duplicate")
      }
    }))

  test("A5 an event comes back as it was recorded, every field of each kind", () =>
    Effect.gen(function* () {
      const box = yield* inbox
      const bot = "a5/events"
      for (const [n, event] of everyEvent.entries()) {
        const { id } = yield* box.record(bot, `k${n}`, { event, dedupe: dedupeKey(event) })
        const claimed = yield* claim(bot, `k${n}`, 1)
        expect([claimed.id, claimed.event]).toEqual([id, event])
      }
      const event = { ...message("m9"), ref: { id: "m9", chatId: "c1", native: new Map() } }
      const refused = yield* Effect.flip(box.record(bot, key, { event, dedupe: "" }))
      expect([refused.reason, refused.isRetryable, refused.detail]).toEqual([
        "invalid",
        false,
        "the event is not plain JSON at $.event.ref.native: an instance of Map"
      ])
    }))
}

export const operations = (test: Test<Durability>): void => {
  test("R4 keys with open records are due when their oldest is, each once, with who runs it", () =>
    Effect.gen(function* () {
      const box = yield* inbox
      const bot = "r4/due"
      const now = yield* Clock.currentTimeMillis
      const keys = times(23).map((n) => `k${String(n).padStart(2, "0")}`)
      for (const at of keys.toReversed()) for (const n of [1, 2]) yield* record(bot, at, `m${n}${at}`)
      const [backs, runs, done] = ["k03", "k05", "k07"] as const
      const waiting = yield* claim(bot, backs, 1)
      yield* box.release(bot, backs, waiting.id, { fence: 1, due: now + 5_000 })
      yield* claim(bot, runs, 1, "owner")
      for (const fence of [1, 2]) yield* box.ack(bot, done, (yield* claim(bot, done, fence)).id, fence)
      const due = (before: number, limit: number) =>
        everyPage((after) => box.due(bot, after === undefined ? { before, limit } : { before, limit, after }))
      for (const limit of [1, 7, 22, 1_000]) {
        const found = yield* due(now, limit)
        expect(found.map((row) => row.key).sort()).toEqual(keys.filter((at) => at !== backs && at !== done))
        expect(found.flatMap(({ key: at, owner }) => (owner === undefined ? [] : [`${at} ${owner}`]))).toEqual([
          "k05 owner"
        ])
      }
      expect((yield* due(now + 5_000, 9)).find((row) => row.key === backs)).toEqual({ key: backs, due: now + 5_000 })
      expect(yield* box.due("r4/none", { before: now, limit: 5 })).toEqual({ items: [] })
    }))

  test("D1 records are listed by state, the oldest first, each once across pages", () =>
    Effect.gen(function* () {
      const box = yield* inbox
      const bot = "d1/list"
      const ids: Array<string> = []
      for (const n of times(31)) {
        if (n % 3 === 0) yield* TestClock.adjust(1)
        ids.push(yield* record(bot, `k${n % 5}`, `m${n}`))
      }
      const open = (limit: number) =>
        everyPage((after) =>
          box.list(bot, after === undefined ? { state: "open", limit } : { state: "open", limit, after })
        )
      for (const limit of [1, 6, 30, 31, 1_000]) {
        const found = yield* open(limit)
        expect(found.map(({ id }) => id).sort()).toEqual([...ids].sort())
        const numbers = found.map(({ number }) => number)
        expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
      }
      const first = yield* claim(bot, "k0", 1)
      yield* box.dead(bot, "k0", first.id, 1, never)
      expect((yield* box.list(bot, { state: "dead", limit: 5 })).items.map(({ id }) => id)).toEqual([first.id])
      expect(yield* open(1_000)).toHaveLength(30)
      const refused = yield* Effect.flip(box.list(bot, { state: "open", limit: 1_001 }))
      expect(refused.reason).toBe("invalid")
    }))

  test("I24 what is pending and what is dead is counted, with the age of the oldest", () =>
    Effect.gen(function* () {
      const box = yield* inbox
      const bot = "i24/inbox"
      expect(yield* box.counts(bot)).toEqual({ pending: 0, dead: 0 })
      yield* TestClock.adjust(10)
      const now = yield* Clock.currentTimeMillis
      const id = yield* record(bot, key, "m1")
      yield* TestClock.adjust(1_000)
      yield* record(bot, "c2", "m2")
      expect(yield* box.counts(bot)).toEqual({ pending: 2, dead: 0, oldest: now })
      yield* claim(bot, key, 1)
      yield* box.dead(bot, key, id, 1, never)
      expect(yield* box.counts(bot)).toEqual({ pending: 1, dead: 1, oldest: now + 1_000 })
    }))

  test("R21 two bots, and two keys that begin alike, share no record", () =>
    Effect.gen(function* () {
      const box = yield* inbox
      for (const [bot, at] of [
        ["r21/a", "c1"],
        ["r21/a", "c1:u1"],
        ["r21/b", "c1"],
        ["r21/a", "c1 "]
      ] as const) {
        yield* record(bot, at, "m1")
      }
      expect(yield* box.counts("r21/a")).toMatchObject({ pending: 3 })
      expect(yield* box.counts("r21/b")).toMatchObject({ pending: 1 })
      const first = yield* claim("r21/a", "c1", 9)
      expect(yield* box.ack("r21/a", "c1:u1", first.id, 9)).toBe(false)
      expect(yield* box.find("r21/b", "c1", first.id)).toBeUndefined()
      yield* claim("r21/b", "c1", 1)
      yield* claim("r21/a", "c1:u1", 1)
    }))
}
