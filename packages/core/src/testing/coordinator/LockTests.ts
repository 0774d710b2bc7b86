/** Locks: one token a key, until it is released or its time is over (C15). */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Body, Time } from "./SuiteTime.ts"

export const lockTests = (time: Time): Record<string, Body> => ({
  "C15 a lock has one holder, and its fence grows with each": (coordinator, key) =>
    Effect.gen(function* () {
      const first = yield* coordinator.acquireLockFenced(key, 60_000)
      expect(yield* Effect.flip(coordinator.acquireLockFenced(key, 60_000))).toMatchObject({
        _tag: "LockTakenError",
        key,
        isRetryable: true
      })
      const other = yield* coordinator.acquireLockFenced(`${key}/other`, 60_000)
      expect(other.token).not.toBe(first.token)
      yield* coordinator.releaseLock(first)
      yield* coordinator.releaseLock(first)
      const second = yield* coordinator.acquireLockFenced(key, 60_000)
      expect(second.token).not.toBe(first.token)
      expect(second.fence).toBeGreaterThan(first.fence)
    }),

  "C15 of many who want a lock at once exactly one gets it": (coordinator, key) =>
    Effect.gen(function* () {
      const want = Effect.match(coordinator.acquireLockFenced(key, 60_000), {
        onSuccess: () => 1,
        onFailure: () => 0
      })
      const got = yield* Effect.all(
        Array.from({ length: 20 }, () => want),
        { concurrency: "unbounded" }
      )
      expect(got.reduce<number>((sum, one) => sum + one, 0)).toBe(1)
    }),

  "C15 COORD-08 a lock ends with its time; its late release leaves the next holder's alone": (coordinator, key) =>
    Effect.gen(function* () {
      const ttl = time.ms(8_000)
      const first = yield* coordinator.acquireLockFenced(key, ttl)
      yield* time.pass(ttl + 20)
      expect(yield* Effect.flip(coordinator.renewLock(first, ttl))).toMatchObject({
        _tag: "LockLostError",
        key,
        isRetryable: false
      })
      const second = yield* coordinator.acquireLockFenced(key, 60_000)
      expect(second.fence).toBeGreaterThan(first.fence)
      yield* coordinator.releaseLock(first)
      expect(yield* Effect.flip(coordinator.renewLock(first, ttl))).toMatchObject({ _tag: "LockLostError" })
      yield* coordinator.renewLock(second, 60_000)
      expect(yield* Effect.flip(coordinator.acquireLockFenced(key, ttl))).toMatchObject({ _tag: "LockTakenError" })
    }),

  "C15 a renewed lock lasts": (coordinator, key) =>
    Effect.gen(function* () {
      const ttl = time.ms(8_000)
      const lock = yield* coordinator.acquireLockFenced(key, ttl)
      for (let n = 0; n < 4; n++) {
        yield* time.pass(ttl / 2)
        yield* coordinator.renewLock(lock, ttl)
      }
      expect(yield* Effect.flip(coordinator.acquireLockFenced(key, ttl))).toMatchObject({ _tag: "LockTakenError" })
    }),

  "C15 a turn, a lead and a lock of one name are three things": (coordinator, key) =>
    Effect.gen(function* () {
      yield* coordinator.acquireLockFenced(key, 60_000)
      yield* coordinator.lead(key)
      yield* Effect.flatMap(coordinator.enqueue(key), (ticket) => ticket.granted)
    })
})
