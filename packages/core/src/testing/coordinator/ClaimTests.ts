/** Claims: one ticket a message, over all replicas, until it is lost (R15, R23). */
import { expect } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import type { CoordinatorShape, Ticket } from "../../spi/Coordinator.ts"
import { LeaseLostError } from "../../spi/Errors.ts"
import { type Body, isPending, take, type Time, wait } from "./SuiteTime.ts"

const ttl = 600_000
const once = (coordinator: CoordinatorShape, key: string, message = "m1", lives = ttl) =>
  Effect.map(coordinator.enqueueOnce(key, { key: `${key}/${message}`, ttl: lives }), Option.getOrUndefined)
const won = (ticket: Ticket | undefined) =>
  Effect.flatMap(
    Effect.sync(() => {
      expect(ticket, "no duplicate").toBeDefined()
      return ticket
    }),
    (ticket) => ticket?.granted ?? Effect.die("no ticket")
  )
const isDuplicate = (ticket: Ticket | undefined): boolean => ticket === undefined

export const claimTests = (time: Time): Record<string, Body> => ({
  "R15 a claimed message gets no second ticket, whether it waits, runs or is done": (coordinator, key) =>
    Effect.gen(function* () {
      const before = yield* take(coordinator, key)
      const ticket = yield* once(coordinator, key)
      expect(isDuplicate(yield* once(coordinator, key))).toBe(true)
      yield* before.release
      const lease = yield* won(ticket)
      expect(isDuplicate(yield* once(coordinator, key))).toBe(true)
      yield* lease.release
      yield* lease.release
      expect(isDuplicate(yield* once(coordinator, key))).toBe(true)
      // A duplicate took no place.
      yield* Effect.flatMap(take(coordinator, key), (next) => next.release)
    }),

  "R15 of many who claim at once exactly one gets a ticket": (coordinator, key) =>
    Effect.gen(function* () {
      const tickets = yield* Effect.all(
        Array.from({ length: 20 }, () => once(coordinator, key)),
        { concurrency: "unbounded" }
      )
      expect(tickets.filter((ticket) => ticket !== undefined)).toHaveLength(1)
    }),

  "R15 each message has a claim of its own": (coordinator, key) =>
    Effect.gen(function* () {
      yield* Effect.flatMap(won(yield* once(coordinator, key, "m1")), (lease) => lease.release)
      yield* Effect.flatMap(won(yield* once(coordinator, key, "m2")), (lease) => lease.release)
      yield* Effect.flatMap(won(yield* once(coordinator, `${key}/other`)), (lease) => lease.release)
    }),

  "R15 a claim ends with its time": (coordinator, key) =>
    Effect.gen(function* () {
      const lives = time.ms(8_000)
      yield* Effect.flatMap(won(yield* once(coordinator, key, "m1", lives)), (lease) => lease.release)
      expect(isDuplicate(yield* once(coordinator, key, "m1", lives))).toBe(true)
      yield* time.pass(lives + 20)
      yield* won(yield* once(coordinator, key, "m1", lives))
    }),

  "R15 a turn that outlived its claim neither keeps nor frees the next one": (coordinator, key) =>
    Effect.gen(function* () {
      const lives = time.ms(8_000)
      const first = yield* won(yield* once(coordinator, key, "m1", lives))
      const second = yield* won(yield* once(coordinator, `${key}/b`, "m1", lives))
      yield* time.pass(lives + 20)
      const next = yield* once(coordinator, key)
      yield* once(coordinator, `${key}/b`)
      yield* first.unclaim
      yield* first.release
      yield* second.release
      expect(isDuplicate(yield* once(coordinator, key))).toBe(true)
      expect(isDuplicate(yield* once(coordinator, `${key}/b`))).toBe(true)
      yield* Effect.flatMap(won(next), (lease) => Effect.andThen(lease.unclaim, lease.release))
      yield* won(yield* once(coordinator, key))
    }),

  "R23 a ticket that is given up frees its claim": (coordinator, key) =>
    Effect.gen(function* () {
      const before = yield* take(coordinator, key)
      const waiting = yield* once(coordinator, key)
      yield* waiting?.cancel ?? Effect.void
      const again = yield* once(coordinator, key)
      yield* before.release
      yield* won(again)
      // The grant that crossed the cancel too.
      yield* again?.cancel ?? Effect.void
      const third = yield* won(yield* once(coordinator, key))
      yield* third.release
    }),

  "R15 giving up the ticket of a turn that is over keeps the claim": (coordinator, key) =>
    Effect.gen(function* () {
      const ticket = yield* once(coordinator, key)
      yield* Effect.flatMap(won(ticket), (lease) => lease.release)
      yield* ticket?.cancel ?? Effect.void
      expect(isDuplicate(yield* once(coordinator, key))).toBe(true)
    }),

  "R23 the claim of a lost message is freed by the release, or after it": (coordinator, key) =>
    Effect.gen(function* () {
      const first = yield* won(yield* once(coordinator, key))
      yield* first.unclaim
      yield* first.unclaim
      yield* first.release
      const second = yield* won(yield* once(coordinator, key))
      yield* second.release
      yield* second.unclaim
      const third = yield* won(yield* once(coordinator, key))
      expect(isDuplicate(yield* once(coordinator, key))).toBe(true)
      yield* third.release
      // Nor does a turn without a claim free any.
      yield* Effect.flatMap(take(coordinator, key), (plain) => Effect.andThen(plain.unclaim, plain.release))
      expect(isDuplicate(yield* once(coordinator, key))).toBe(true)
    })
})

/** Fences that a backend refused. */
export const regrantTests = (time: Time): Record<string, Body> => ({
  "R19 a lease granted anew keeps its place, its fence above the one it was refused for": (coordinator, key) =>
    Effect.gen(function* () {
      const first = yield* take(coordinator, key)
      const next = yield* wait(time, yield* coordinator.enqueue(key))
      const refusedFor = first.fence + 5_000_000_000
      yield* first.regrant(refusedFor)
      const { fence } = first
      expect(fence).toBeGreaterThan(refusedFor)
      yield* first.regrant(refusedFor)
      expect(first.fence).toBe(fence)
      yield* first.check
      expect(yield* isPending(time, next)).toBe(true)
      yield* first.release
      const second = yield* Fiber.join(next)
      expect(second.fence).toBeGreaterThan(fence)
      yield* second.release
      expect((yield* take(coordinator, key)).fence).toBeGreaterThan(second.fence)
    }),

  "R19 a lease that has ended is not granted anew": (coordinator, key) =>
    Effect.gen(function* () {
      const first = yield* take(coordinator, key)
      yield* first.release
      const second = yield* take(coordinator, key)
      const { fence } = first
      expect(yield* Effect.flip(first.regrant(second.fence))).toBeInstanceOf(LeaseLostError)
      expect(first.fence).toBe(fence)
      yield* second.check
    })
})
