/** ST1 to ST4: the compare-and-set of checkpoints, and their tombstones. */
import { expect } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Store } from "../../spi/Store.ts"
import { tombstoneTtl } from "../../spi/StoreDriver.ts"
import { checkpoint, fullCheckpoint, look, tombstone } from "./Fixtures.ts"
import type { Test } from "../Conformance.ts"

const key = "c1:u1"

export const writes = (test: Test<Store>): void => {
  test("ST1 a refused write changes nothing", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const bot = "st1/refused"
      const stands = checkpoint("a", 1, 5)
      expect(yield* store.setCheckpointIf(bot, key, stands)).toBe(true)
      const refused = [
        checkpoint("a", 3, 5),
        checkpoint("a", 0, 5),
        checkpoint("b", 1, 5),
        checkpoint("b", 2, 5),
        checkpoint("a", 2, 4)
      ]
      for (const next of refused) {
        expect(yield* store.setCheckpointIf(bot, key, next)).toBe(false)
        expect(yield* look(bot)).toEqual({ checkpoint: stands })
      }
      for (const [id, revision, fence] of [
        ["b", 2, 5],
        ["a", 1, 5],
        ["a", 3, 5],
        ["a", 2, 4]
      ] as const) {
        expect(yield* store.clearCheckpointIf(bot, key, tombstone(id, revision, fence))).toBe(false)
        expect(yield* look(bot)).toEqual({ checkpoint: stands })
      }
    }))

  test("ST1 of many writers of one revision exactly one is accepted", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const bot = "st1/many"
      for (let revision = 1; revision <= 25; revision++) {
        const accepted = yield* Effect.forEach(
          Array.from({ length: 32 }, (_, writer) => writer),
          (writer) =>
            Effect.andThen(
              Effect.yieldNow,
              store.setCheckpointIf(bot, key, checkpoint("a", revision, 1, { state: { writer } }))
            ),
          { concurrency: "unbounded" }
        )
        expect(accepted.filter((was) => was)).toHaveLength(1)
        const { checkpoint: stands } = yield* look(bot)
        expect([stands?.revision, stands?.state.writer]).toEqual([revision, accepted.indexOf(true)])
      }
    }))

  test("ST1 two keys and two bots never meet in a write", () =>
    Effect.gen(function* () {
      const store = yield* Store
      for (const [bot, at] of [
        ["st1/x", "c1"],
        ["st1/x", "c1:u1"],
        ["st1/y", "c1"],
        ["st1/x", ""]
      ] as const) {
        expect(yield* store.setCheckpointIf(bot, at, checkpoint(`${bot}|${at}`, 1, 1))).toBe(true)
      }
      expect((yield* look("st1/x", "c1")).checkpoint?.id).toBe("st1/x|c1")
      expect((yield* look("st1/y", "c1")).checkpoint?.id).toBe("st1/y|c1")
      expect((yield* look("st1/x", "")).checkpoint?.id).toBe("st1/x|")
    }))

  test("ST2 a run begins at revision 1 and each accepted write is one more", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const bot = "st2/chain"
      expect(yield* store.setCheckpointIf(bot, key, checkpoint("a", 2, 1))).toBe(false)
      expect(yield* look(bot)).toEqual({})
      for (let revision = 1; revision <= 20; revision++) {
        expect(yield* store.setCheckpointIf(bot, key, checkpoint("a", revision + 1, 1))).toBe(false)
        expect(yield* store.setCheckpointIf(bot, key, checkpoint("a", revision, 1))).toBe(true)
      }
      expect((yield* look(bot)).checkpoint?.revision).toBe(20)
    }))

  test("ST2 a second run begins only when the first is cleared", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const bot = "st2/second"
      yield* store.setCheckpointIf(bot, key, checkpoint("a", 1, 1))
      expect(yield* store.setCheckpointIf(bot, key, checkpoint("b", 1, 9))).toBe(false)
      expect(yield* store.clearCheckpointIf(bot, key, tombstone("a", 2, 1))).toBe(true)
      expect(yield* store.setCheckpointIf(bot, key, checkpoint("b", 2, 1))).toBe(false)
      expect(yield* store.setCheckpointIf(bot, key, checkpoint("b", 1, 1))).toBe(true)
      expect((yield* look(bot)).checkpoint?.id).toBe("b")
    }))

  test("ST3 a repeat of the write that stands is accepted and changes nothing", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const bot = "st3/repeat"
      for (let revision = 1; revision <= 3; revision++) {
        const next = checkpoint("a", revision, revision)
        for (let times = 0; times < 3; times++) expect(yield* store.setCheckpointIf(bot, key, next)).toBe(true)
        expect(yield* look(bot)).toEqual({ checkpoint: next })
      }
      expect(yield* store.setCheckpointIf(bot, key, checkpoint("a", 2, 2))).toBe(false)
      const end = tombstone("a", 4, 3, ["m1"])
      expect(yield* store.clearCheckpointIf(bot, key, end)).toBe(true)
      // A repeat does not renew the tombstone either: it still ends a tombstoneTtl after the clear.
      yield* TestClock.adjust(tombstoneTtl - 1)
      expect(yield* store.clearCheckpointIf(bot, key, end)).toBe(true)
      expect(yield* look(bot)).toEqual({ tombstone: end })
      yield* TestClock.adjust(1)
      expect(yield* look(bot)).toEqual({})
    }))

  test("ST3 another write under the same id, revision and fence is no repeat", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const bot = "st3/other"
      const stands = checkpoint("a", 1, 1, { state: { said: "one" } })
      yield* store.setCheckpointIf(bot, key, stands)
      expect(yield* store.setCheckpointIf(bot, key, checkpoint("a", 1, 1, { state: { said: "two" } }))).toBe(false)
      expect(yield* look(bot)).toEqual({ checkpoint: stands })
      expect(yield* store.clearCheckpointIf(bot, key, tombstone("a", 1, 1))).toBe(false)
      expect(yield* look(bot)).toEqual({ checkpoint: stands })
    }))

  test("R1 a checkpoint comes back as it was written, every field of it", () =>
    Effect.gen(function* () {
      const store = yield* Store
      yield* TestClock.adjust(1)
      expect(yield* store.setCheckpointIf("r1/full", key, fullCheckpoint)).toBe(true)
      expect(yield* look("r1/full")).toEqual({ checkpoint: fullCheckpoint })
    }))
}

export const tombstones = (test: Test<Store>): void => {
  test("ST4 a clear leaves a tombstone that refuses later writes of that run", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const bot = "st4/late"
      const end = tombstone("a", 3, 1, ["m1", "mensaje ñ"])
      yield* store.setCheckpointIf(bot, key, checkpoint("a", 1, 1))
      yield* store.setCheckpointIf(bot, key, checkpoint("a", 2, 1))
      expect(yield* store.clearCheckpointIf(bot, key, end)).toBe(true)
      for (const revision of [1, 2, 3, 4]) {
        expect(yield* store.setCheckpointIf(bot, key, checkpoint("a", revision, 99))).toBe(false)
        expect(yield* look(bot)).toEqual({ tombstone: end })
      }
      expect(yield* store.clearCheckpointIf(bot, key, tombstone("a", 4, 1))).toBe(false)
      expect(yield* look(bot)).toEqual({ tombstone: end })
    }))

  test("ST4 a tombstone is kept seven days, and not a moment less", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const bot = "st4/kept"
      yield* store.setCheckpointIf(bot, key, checkpoint("a", 1, 1))
      yield* store.clearCheckpointIf(bot, key, tombstone("a", 2, 1))
      yield* TestClock.adjust(tombstoneTtl - 1)
      expect(yield* store.setCheckpointIf(bot, key, checkpoint("a", 1, 1))).toBe(false)
      expect((yield* look(bot)).tombstone).toEqual(tombstone("a", 2, 1))
      yield* TestClock.adjust(1)
      expect(yield* look(bot)).toEqual({})
      expect(yield* store.setCheckpointIf(bot, key, checkpoint("a", 1, 1))).toBe(true)
    }))

  test("ST4 a clear needs its run alive at the revision before", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const bot = "st4/needs"
      expect(yield* store.clearCheckpointIf(bot, key, tombstone("a", 1, 1))).toBe(false)
      yield* store.raiseFence(bot, key, 1)
      expect(yield* store.clearCheckpointIf(bot, key, tombstone("a", 1, 1))).toBe(false)
      expect(yield* look(bot)).toEqual({})
      const expires = (yield* Clock.currentTimeMillis) + 1_000
      yield* store.setCheckpointIf(bot, key, checkpoint("a", 1, 1, { expires }))
      yield* TestClock.adjust(1_000)
      expect(yield* store.clearCheckpointIf(bot, key, tombstone("a", 2, 1))).toBe(false)
      expect(yield* look(bot)).toEqual({})
    }))

  test("ST4 another run may begin over a tombstone", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const bot = "st4/over"
      for (let run = 0; run < 5; run++) {
        expect(yield* store.setCheckpointIf(bot, key, checkpoint(`run${run}`, 1, 1))).toBe(true)
        expect(yield* store.clearCheckpointIf(bot, key, tombstone(`run${run}`, 2, 1, [`m${run}`]))).toBe(true)
        expect((yield* look(bot)).tombstone?.applied).toEqual([`m${run}`])
      }
    }))
}
