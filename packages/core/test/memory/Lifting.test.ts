/** What the lifting of a driver owes whatever the driver's calls take or fail: renewals and local order. */
import {
  type CoordinatorDriver,
  CoordinatorDriverError,
  coordinatorFromDriver,
  type CoordinatorShape,
  type DriverSignal
} from "@botmesh/core/spi"
import { CoordinatorHub } from "@botmesh/core/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Queue } from "effect"
import { TestClock } from "effect/testing"

const lease = 3_000
const unreachable = new CoordinatorDriverError({ operation: "enqueue", reason: "unreachable", detail: "planted" })
const lifted = (driver: CoordinatorDriver, change: Partial<CoordinatorDriver>) =>
  coordinatorFromDriver({ ...driver, ...change }, { lease, turnWait: 600_000 })
const take = (coordinator: CoordinatorShape, key: string) =>
  Effect.flatMap(coordinator.enqueue(key), (ticket) => ticket.granted)

/** Takes tickets of one key one after the other, and notes the order of their turns. */
const line = Effect.fnUntraced(function* (coordinator: CoordinatorShape, key: string, count: number) {
  const order: Array<number> = []
  const fibers: Array<Fiber.Fiber<void, unknown>> = []
  for (let n = 0; n < count; n++) {
    const turn = Effect.flatMap(take(coordinator, key), (held) => {
      order.push(n)
      return held.release
    })
    fibers.push(yield* Effect.forkChild(turn, { startImmediately: true }))
  }
  return { order, fibers }
})
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n)

describe("a lifted coordinator driver", () => {
  it.effect("C3 a partition whose renewal hangs does not keep another from renewing", () =>
    Effect.gen(function* () {
      const { driver } = CoordinatorHub.make({ partitions: 8 })
      const slow = driver.partitionOf("slow")
      const quick = ["a", "b", "c", "d", "e"].find((key) => driver.partitionOf(key) !== slow) ?? "a"
      const coordinator = yield* lifted(driver, {
        renew: (partition, row) => (partition === slow ? Effect.never : driver.renew(partition, row))
      })
      const hung = yield* take(coordinator, "slow")
      const held = yield* take(coordinator, quick)
      yield* TestClock.adjust(5 * lease)
      expect(hung.lost()).toBeDefined()
      expect(held.lost()).toBeUndefined()
    })
  )

  it.effect("R8 wakes are taken up while a question of another partition hangs", () =>
    Effect.gen(function* () {
      const { driver } = CoordinatorHub.make({ partitions: 8 })
      const slow = driver.partitionOf("slow")
      const quick = ["a", "b", "c", "d", "e"].find((key) => driver.partitionOf(key) !== slow) ?? "a"
      const a = yield* lifted(driver, {})
      const told = yield* Queue.sliding<DriverSignal>(10)
      const b = yield* lifted(driver, {
        ask: (partition, rows) => (partition === slow ? Effect.never : driver.ask(partition, rows)),
        signals: Effect.fnUntraced(function* (incarnation) {
          const source = yield* driver.signals(incarnation)
          yield* Effect.forkScoped(
            Effect.forever(Effect.flatMap(Queue.take(source), (signal) => Queue.offer(told, signal)))
          )
          return told
        })
      })
      yield* take(a, "slow")
      const first = yield* take(a, quick)
      yield* Effect.forkChild(take(b, "slow"), { startImmediately: true })
      const waiting = yield* Effect.forkChild(take(b, quick), { startImmediately: true })
      yield* Queue.offer(told, { _tag: "resubscribed" })
      yield* TestClock.adjust(100)
      yield* first.release
      yield* TestClock.adjust(0)
      expect(waiting.pollUnsafe()).toBeDefined()
    })
  )

  it.effect("I5 a place that got no answer keeps its order before those that came later", () =>
    Effect.gen(function* () {
      const { driver } = CoordinatorHub.make()
      let calls = 0
      const coordinator = yield* lifted(driver, {
        // The second and the third ticket's answers do not come; the third's call is done all the same.
        enqueue: (partition, row) => {
          calls++
          if (calls === 2) return Effect.fail(unreachable)
          if (calls === 4) return Effect.andThen(driver.enqueue(partition, row), Effect.fail(unreachable))
          return driver.enqueue(partition, row)
        }
      })
      const held = yield* take(coordinator, "key")
      const { fibers, order } = yield* line(coordinator, "key", 6)
      yield* TestClock.adjust("1 second")
      yield* held.release
      yield* TestClock.adjust("1 second")
      yield* Fiber.joinAll(fibers)
      expect(order).toEqual(upTo(6))
    })
  )

  it.effect("I5 in a new epoch the waiting come before the new, also when placing them fails half-way", () =>
    Effect.gen(function* () {
      const hub = CoordinatorHub.make()
      const { driver } = hub
      const slow = yield* Latch.make(true)
      let failing = 0
      const coordinator = yield* lifted(driver, {
        enqueue: (partition, row) =>
          Effect.andThen(
            slow.await,
            Effect.suspend(() => (failing-- === 1 ? Effect.fail(unreachable) : driver.enqueue(partition, row)))
          )
      })
      const other = yield* lifted(driver, {})
      yield* take(coordinator, "key")
      const early = yield* line(coordinator, "key", 5)
      yield* TestClock.adjust(100)
      yield* hub.wipe
      const stranger = yield* take(other, "key")
      // The epoch is gone: the next act finds out. The third of those placed anew fails.
      failing = 4
      yield* slow.close
      const late = yield* line(coordinator, "key", 3)
      yield* TestClock.adjust(100)
      yield* slow.open
      yield* TestClock.adjust("10 seconds")
      yield* stranger.release
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.joinAll([...early.fibers, ...late.fibers])
      expect(early.order).toEqual(upTo(5))
      expect(late.order).toEqual(upTo(3))
    })
  )

  it.effect("I5 R3 a late-comer of a replica does not overtake its own waiters over an epoch", () =>
    Effect.gen(function* () {
      const hub = CoordinatorHub.make()
      const order: Array<string> = []
      const coordinator = yield* lifted(hub.driver, {})
      const other = yield* lifted(hub.driver, {})
      const turn = (name: string) =>
        Effect.forkChild(
          Effect.flatMap(take(coordinator, "key"), (held) => {
            order.push(name)
            return held.release
          }),
          { startImmediately: true }
        )
      yield* take(coordinator, "key")
      const fibers = []
      for (const name of ["a", "b", "c"]) fibers.push(yield* turn(name))
      yield* hub.wipe
      const stranger = yield* take(other, "key")
      fibers.push(yield* turn("d"))
      yield* TestClock.adjust("5 seconds")
      fibers.push(yield* turn("e"))
      yield* stranger.release
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.joinAll(fibers)
      expect(order).toEqual(["a", "b", "c", "d", "e"])
    })
  )
})
