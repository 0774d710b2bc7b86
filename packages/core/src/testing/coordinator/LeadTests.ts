/** Leads: one at a time, stepping down, the events that tell of it. */
import { expect } from "@effect/vitest"
import { Effect, Fiber, Latch, Option, Stream } from "effect"
import type { CoordinatorEvent } from "../../spi/Coordinator.ts"
import { type Body, isPending, type Time } from "./SuiteTime.ts"

export const leadTests = (time: Time): Record<string, Body> => ({
  "I7 one leads at a time; closing the scope steps down for the next": (coordinator, key) =>
    Effect.gen(function* () {
      const step = yield* Latch.make()
      const first = yield* Effect.forkChild(
        Effect.scoped(Effect.flatMap(coordinator.lead(key), (lease) => Effect.as(step.await, lease))),
        { startImmediately: true }
      )
      yield* time.settle
      expect(Option.isNone(yield* Effect.scoped(coordinator.tryLead(key)))).toBe(true)
      expect(Option.isSome(yield* Effect.scoped(coordinator.tryLead(`${key}/other`)))).toBe(true)
      const second = yield* Effect.forkChild(coordinator.lead(key), { startImmediately: true })
      expect(yield* isPending(time, second)).toBe(true)
      yield* step.open
      const before = yield* Fiber.join(first)
      const after = yield* Fiber.join(second)
      expect(before.lost()?.reason).toBe("ended")
      expect(after.fence).toBeGreaterThan(before.fence)
      yield* after.check
    }),

  "I7 a stand-by that gives up leaves no place behind": (coordinator, key) =>
    Effect.gen(function* () {
      const step = yield* Latch.make()
      const leader = yield* Effect.forkChild(Effect.scoped(Effect.andThen(coordinator.lead(key), step.await)), {
        startImmediately: true
      })
      yield* time.settle
      const standBy = yield* Effect.forkChild(Effect.scoped(coordinator.lead(key)), { startImmediately: true })
      yield* time.settle
      yield* Fiber.interrupt(standBy)
      yield* step.open
      yield* Fiber.join(leader)
      yield* time.settle
      expect(Option.isSome(yield* coordinator.tryLead(key))).toBe(true)
    }),

  "I24 leading and stepping down are told as events": (coordinator, key) =>
    Effect.gen(function* () {
      const seen: Array<CoordinatorEvent> = []
      yield* Effect.forkChild(
        Stream.runForEach(coordinator.events, (event) => Effect.sync(() => seen.push(event))),
        { startImmediately: true }
      )
      yield* time.settle
      const fence = yield* Effect.scoped(Effect.map(coordinator.lead(key), (lease) => lease.fence))
      yield* time.settle
      expect(seen).toMatchObject([
        { _tag: "coordination:leader", name: key, fence },
        { _tag: "coordination:follower", name: key }
      ])
    })
})
