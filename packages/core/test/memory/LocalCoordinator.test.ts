import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as LocalCoordinator from "../../src/memory/LocalCoordinator.ts"
import * as CoordinatorSuite from "../../src/testing/CoordinatorSuite.ts"

CoordinatorSuite.suite("local", LocalCoordinator.layer(), { simulate: true, replicas: false })

describe("CoordinatorSuite", () => {
  it("refuses a deviation from a test that does not exist", () => {
    const deviations = [{ reason: "a slip of the pen", tests: ["I1 no such test"] }]
    expect(() => CoordinatorSuite.suite("local", LocalCoordinator.layer(), { deviations })).toThrow("I1 no such test")
  })
})

describe("LocalCoordinator", () => {
  it.effect("C2 the longest unused idle key is forgotten first; its fences go on growing", () =>
    Effect.gen(function* () {
      const coordinator = yield* LocalCoordinator.make({ maxIdleKeys: 2 })
      const use = (key: string) =>
        Effect.gen(function* () {
          const lease = yield* (yield* coordinator.enqueue(key)).granted
          yield* lease.release
          return lease
        })
      const first = yield* use("a")
      yield* use("b")
      expect((yield* use("a")).previousHolder).toBe(coordinator.incarnation)
      yield* use("c")
      const forgotten = yield* use("b")
      expect(forgotten.previousHolder).toBeUndefined()
      expect(forgotten.fence).toBeGreaterThan(first.fence)
      expect((yield* use("c")).previousHolder).toBe(coordinator.incarnation)
      expect((yield* use("a")).previousHolder).toBeUndefined()
    })
  )

  it.effect("C2 a key in use is never forgotten, however many others come and go", () =>
    Effect.gen(function* () {
      const coordinator = yield* LocalCoordinator.make({ maxIdleKeys: 2 })
      const held = yield* (yield* coordinator.enqueue("held")).granted
      const waiting = yield* coordinator.enqueue("held")
      for (let i = 0; i < 10; i++) {
        const lease = yield* (yield* coordinator.enqueue(`key-${i}`)).granted
        yield* lease.release
      }
      yield* held.release
      expect((yield* waiting.granted).previousHolder).toBe(coordinator.incarnation)
    })
  )

  it("C1 a free turn is granted without a fiber ever waiting", () => {
    const program = Effect.gen(function* () {
      const coordinator = yield* LocalCoordinator.make()
      const lease = yield* (yield* coordinator.enqueue("key")).granted
      yield* lease.check
      yield* lease.release
      return coordinator.shared
    })
    expect(Effect.runSync(program)).toBe(false)
  })

  it.effect("I3 fences begin above the clock's microseconds, so a restart goes on above them", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const coordinator = yield* LocalCoordinator.make()
      const lease = yield* (yield* coordinator.enqueue("key")).granted
      expect(lease.fence).toBe(1_700_000_000_000_001)
    }).pipe(Effect.provideService(LocalCoordinator.LastFence, { value: 0 }))
  )

  it.effect("C1 5,000 tickets of one key: no limit, no deep stack, in order", () =>
    Effect.gen(function* () {
      const coordinator = yield* LocalCoordinator.make()
      let handled = 0
      const count = 5_000
      const one = (n: number) =>
        Effect.gen(function* () {
          const ticket = yield* coordinator.enqueue("key")
          const lease = yield* ticket.granted
          expect(handled++).toBe(n)
          yield* lease.release
        })
      const first = yield* (yield* coordinator.enqueue("key")).granted
      const rest = yield* Effect.forEach(
        Array.from({ length: count }, (_, n) => n),
        (n) => Effect.forkChild(one(n), { startImmediately: true })
      )
      yield* first.release
      yield* Fiber.joinAll(rest)
      expect(handled).toBe(count)
    })
  )

  it.effect("C1 a ticket that is given up fails its waiter instead of leaving it alone", () =>
    Effect.gen(function* () {
      const coordinator = yield* LocalCoordinator.make()
      yield* (yield* coordinator.enqueue("key")).granted
      const ticket = yield* coordinator.enqueue("key")
      const waiter = yield* Effect.forkChild(Effect.flip(ticket.granted), { startImmediately: true })
      yield* ticket.cancel
      expect(yield* Fiber.join(waiter)).toMatchObject({ _tag: "CoordinationUnavailableError", key: "key" })
      expect((yield* Effect.flip(ticket.granted)).isRetryable).toBe(true)
    })
  )
})
