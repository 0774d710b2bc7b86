/** Two replicas: what one has the other has not, and what becomes of it when one goes. */
import { expect } from "@effect/vitest"
import { Effect, Exit, Fiber, Option, Scope } from "effect"
import type { CoordinatorShape } from "../../spi/Coordinator.ts"
import { isPending, take, type Time, wait } from "./SuiteTime.ts"

/** Builds another replica; closing the scope stops it. */
export type Another = Effect.Effect<CoordinatorShape, unknown, Scope.Scope>
export type ReplicasBody = (
  coordinator: CoordinatorShape,
  key: string,
  another: Another
) => Effect.Effect<void, unknown, Scope.Scope>

export const replicaTests = (time: Time): Record<string, ReplicasBody> => ({
  "I1 I5 R6 two replicas take turns in the order of their tickets, and know who held before": (a, key, another) =>
    Effect.gen(function* () {
      const b = yield* another
      const first = yield* take(a, key)
      const second = yield* wait(time, yield* b.enqueue(key))
      const third = yield* wait(time, yield* a.enqueue(key))
      expect(yield* isPending(time, second)).toBe(true)
      yield* first.release
      const theirs = yield* Fiber.join(second)
      expect(theirs.previousHolder).toBe(a.incarnation)
      expect(theirs.fence).toBeGreaterThan(first.fence)
      expect(yield* isPending(time, third)).toBe(true)
      yield* theirs.release
      const ours = yield* Fiber.join(third)
      expect(ours.previousHolder).toBe(b.incarnation)
      expect(ours.fence).toBeGreaterThan(theirs.fence)
    }),

  "R25 what a replica held is free as soon as it has stopped": (a, key, another) =>
    Effect.gen(function* () {
      const life = yield* Scope.make()
      const b = yield* Scope.provide(another, life)
      const theirs = yield* take(b, key)
      const lead = yield* Scope.provide(b.lead(key), life)
      const turn = yield* wait(time, yield* a.enqueue(key))
      const standBy = yield* Effect.forkChild(a.lead(key), { startImmediately: true })
      expect(yield* isPending(time, turn)).toBe(true)
      expect(yield* isPending(time, standBy)).toBe(true)
      yield* Scope.close(life, Exit.void)
      expect((yield* Fiber.join(turn)).fence).toBeGreaterThan(theirs.fence)
      expect((yield* Fiber.join(standBy)).fence).toBeGreaterThan(lead.fence)
      expect(Option.isSome(yield* a.tryLead(`${key}/other`))).toBe(true)
    }),

  "R15 R23 a claim holds over replicas; what was not done when its replica left can be redelivered": (
    a,
    key,
    another
  ) =>
    Effect.gen(function* () {
      const life = yield* Scope.make()
      const b = yield* Scope.provide(another, life)
      const claim = (coordinator: CoordinatorShape, name: string) =>
        coordinator.enqueueOnce(key, { key: `${key}/${name}`, ttl: 600_000 })
      const granted = (name: string) =>
        Effect.flatMap(claim(b, name), (ticket) => (Option.isSome(ticket) ? ticket.value.granted : Effect.die("none")))
      yield* Effect.flatMap(granted("done"), (lease) => lease.release)
      yield* granted("running")
      yield* claim(b, "waiting")
      for (const name of ["done", "running", "waiting"]) {
        expect(Option.isNone(yield* claim(a, name)), name).toBe(true)
      }
      yield* Scope.close(life, Exit.void)
      expect(Option.isNone(yield* claim(a, "done"))).toBe(true)
      for (const name of ["running", "waiting"]) {
        const again = yield* claim(a, name)
        expect(Option.isSome(again), name).toBe(true)
        if (Option.isSome(again)) yield* Effect.flatMap(again.value.granted, (lease) => lease.release)
      }
    }),

  "R15 of many who claim at once on two replicas exactly one gets a ticket": (a, key, another) =>
    Effect.gen(function* () {
      const b = yield* another
      const tickets = yield* Effect.all(
        Array.from({ length: 20 }, (_, nth) =>
          (nth % 2 === 0 ? a : b).enqueueOnce(key, { key: `${key}/m1`, ttl: 600_000 })
        ),
        { concurrency: "unbounded" }
      )
      expect(tickets.filter(Option.isSome)).toHaveLength(1)
    }),

  "C15 a lock stays when the replica that took it stops, until its time is over": (a, key, another) =>
    Effect.gen(function* () {
      const ttl = time.ms(20_000)
      const lock = yield* Effect.scoped(Effect.flatMap(another, (b) => b.acquireLockFenced(key, ttl)))
      expect(yield* Effect.flip(a.acquireLockFenced(key, ttl))).toMatchObject({ _tag: "LockTakenError" })
      // Whoever has the token has the lock.
      yield* a.renewLock(lock, ttl)
      yield* time.pass(ttl + 20)
      expect((yield* a.acquireLockFenced(key, ttl)).fence).toBeGreaterThan(lock.fence)
    })
})
