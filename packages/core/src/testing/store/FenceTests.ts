/** ST5 and ST6: fences and expiry. */
import { expect } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Store } from "../../spi/Store.ts"
import { fenceTtl } from "../../spi/StoreDriver.ts"
import { checkpoint, look, tombstone } from "./Fixtures.ts"
import type { Test } from "../Conformance.ts"

const key = "c1:u1"

export const fences = (test: Test<Store>): void => {
  test("ST5 a write under a lower fence than the row's is refused, R5", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const bot = "st5/lower"
      yield* store.setCheckpointIf(bot, key, checkpoint("a", 1, 1_767_225_600_000_123))
      const lower = 1_767_225_600_000_122
      expect(yield* store.setCheckpointIf(bot, key, checkpoint("a", 2, lower))).toBe(false)
      expect(yield* store.clearCheckpointIf(bot, key, tombstone("a", 2, lower))).toBe(false)
      expect(yield* store.setCheckpointIf(bot, key, checkpoint("a", 2, lower + 1))).toBe(true)
      expect(yield* store.clearCheckpointIf(bot, key, tombstone("a", 3, lower + 2))).toBe(true)
      expect(yield* store.setCheckpointIf(bot, key, checkpoint("b", 1, lower + 1))).toBe(false)
      expect(yield* store.setCheckpointIf(bot, key, checkpoint("b", 1, lower + 2))).toBe(true)
    }))

  test("ST5 a raised fence refuses every write below it, R5", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const bot = "st5/raised"
      const stands = checkpoint("a", 1, 3)
      yield* store.setCheckpointIf(bot, key, stands)
      expect(yield* store.raiseFence(bot, key, 7)).toBe(7)
      expect(yield* store.raiseFence(bot, key, 7)).toBe(7)
      expect(yield* store.raiseFence(bot, key, 5)).toBe(7)
      expect(yield* look(bot)).toEqual({ checkpoint: stands })
      // Not even the repeat of the write that stands: whoever sends it is not the holder any more.
      for (const revision of [1, 2]) {
        for (const fence of [3, 6]) {
          expect(yield* store.setCheckpointIf(bot, key, checkpoint("a", revision, fence))).toBe(false)
          expect(yield* store.clearCheckpointIf(bot, key, tombstone("a", revision, fence))).toBe(false)
        }
      }
      expect(yield* store.setCheckpointIf(bot, key, checkpoint("a", 2, 7))).toBe(true)
      yield* store.clearCheckpointIf(bot, key, tombstone("a", 3, 7, ["m"]))
      expect(yield* store.raiseFence(bot, key, 8)).toBe(8)
      expect(yield* store.raiseFence(bot, key, 9)).toBe(9)
      expect((yield* look(bot)).tombstone?.applied).toEqual(["m"])
      expect(yield* store.setCheckpointIf(bot, key, checkpoint("b", 1, 8))).toBe(false)
      expect(yield* store.setCheckpointIf(bot, key, checkpoint("b", 1, 9))).toBe(true)
    }))

  test("ST5 a fence can be raised where nothing stands, and stands an hour, R5", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const bot = "st5/bare"
      expect(yield* store.raiseFence(bot, key, 4)).toBe(4)
      expect(yield* look(bot)).toEqual({})
      expect((yield* store.checkpoints(bot, { limit: 10 })).items).toEqual([])
      yield* TestClock.adjust(fenceTtl - 1)
      expect(yield* store.setCheckpointIf(bot, key, checkpoint("a", 1, 3))).toBe(false)
      // Raised again, even lower: it stands an hour from here.
      expect(yield* store.raiseFence(bot, key, 2)).toBe(4)
      yield* TestClock.adjust(fenceTtl - 1)
      expect(yield* store.setCheckpointIf(bot, key, checkpoint("a", 1, 3))).toBe(false)
      expect(yield* store.setCheckpointIf(bot, key, checkpoint("a", 1, 4))).toBe(true)
    }))

  test("ST5 the fence of an expired row stands an hour longer, R5", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const bot = "st5/expired"
      const expires = (yield* Clock.currentTimeMillis) + 1_000
      yield* store.setCheckpointIf(bot, key, checkpoint("a", 1, 6, { expires }))
      yield* TestClock.adjust(1_000 + fenceTtl - 1)
      expect(yield* store.setCheckpointIf(bot, key, checkpoint("b", 1, 5))).toBe(false)
      expect(yield* store.raiseFence(bot, key, 5)).toBe(6)
      expect(yield* store.setCheckpointIf(bot, key, checkpoint("b", 1, 5))).toBe(false)
      expect(yield* store.setCheckpointIf(bot, key, checkpoint("b", 1, 6))).toBe(true)

      // To the last digit: a fence is µs since the epoch.
      const late = 1_767_225_600_000_123
      expect(yield* store.raiseFence(bot, "c2", late)).toBe(late)
      expect(yield* store.raiseFence(bot, "c2", late - 1)).toBe(late)
    }))
}

export const expiry = (test: Test<Store>): void => {
  test("ST6 an expired checkpoint is never returned, I16", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const bot = "st6/never"
      const now = yield* Clock.currentTimeMillis
      const next = checkpoint("a", 1, 1, {
        expires: now + 5_000,
        wait: { kind: "ask", op: "age", deadline: now + 4_000 }
      })
      yield* store.setCheckpointIf(bot, key, next)
      yield* TestClock.adjust(4_999)
      expect(yield* look(bot)).toEqual({ checkpoint: next })
      expect((yield* store.checkpoints(bot, { limit: 10 })).items).toHaveLength(1)
      expect(yield* store.due(bot, { before: now + 9_000, limit: 10 })).toHaveLength(1)
      yield* TestClock.adjust(1)
      expect(yield* look(bot)).toEqual({})
      expect((yield* store.checkpoints(bot, { limit: 10 })).items).toEqual([])
      expect(yield* store.due(bot, { before: now + 9_000, limit: 10 })).toEqual([])
      expect(yield* store.setCheckpointIf(bot, key, checkpoint("a", 2, 1))).toBe(false)
      expect(yield* store.setCheckpointIf(bot, key, next)).toBe(true)
    }))

  test("ST6 each write sets the expiry anew, and one without keeps the row", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const bot = "st6/anew"
      const now = yield* Clock.currentTimeMillis
      yield* store.setCheckpointIf(bot, key, checkpoint("a", 1, 1, { expires: now + 1_000 }))
      yield* store.setCheckpointIf(bot, key, checkpoint("a", 2, 1, { expires: now + 2_000 }))
      yield* TestClock.adjust(1_500)
      expect((yield* look(bot)).checkpoint?.revision).toBe(2)
      yield* store.setCheckpointIf(bot, key, checkpoint("a", 3, 1))
      yield* TestClock.adjust("40 days")
      expect((yield* look(bot)).checkpoint?.revision).toBe(3)
    }))
}
