import type { CoordinatorEvent, CoordinatorShape } from "@botmesh/core/spi"
import { CoordinatorSuite } from "@botmesh/core/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Option, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { coordinatorFromDriver } from "../../src/spi.ts"
import * as CoordinatorHub from "../../src/memory/CoordinatorHub.ts"

const layer = CoordinatorHub.layer(CoordinatorHub.make())

CoordinatorSuite.suite("memory hub", layer, { simulate: true })

const lease = 15_000
const replica = (hub: CoordinatorHub.CoordinatorHub) => coordinatorFromDriver(hub.driver, { lease, turnWait: 120_000 })
const take = (coordinator: CoordinatorShape, key: string) =>
  Effect.flatMap(coordinator.enqueue(key), (ticket) => ticket.granted)
const use = (coordinator: CoordinatorShape, key: string) => Effect.tap(take(coordinator, key), (held) => held.release)
/** What a coordinator tells from now on. */
const told = Effect.fnUntraced(function* (coordinator: CoordinatorShape) {
  const events: Array<CoordinatorEvent> = []
  yield* Effect.forkChild(
    Stream.runForEach(coordinator.events, (event) => Effect.sync(() => events.push(event))),
    { startImmediately: true }
  )
  return events
})

describe("CoordinatorHub", () => {
  it.effect("C17 C3 a replica that crashed keeps its turns and its lead for a lease, then they pass on", () =>
    Effect.gen(function* () {
      const hub = CoordinatorHub.make()
      const b = yield* replica(hub)
      const life = yield* Scope.make()
      const a = yield* Scope.provide(replica(hub), life)
      const held = yield* take(a, "key")
      const lead = yield* Scope.provide(a.lead("provider:x"), life)
      const turn = yield* Effect.forkChild(take(b, "key"), { startImmediately: true })
      const standBy = yield* Effect.forkChild(b.lead("provider:x"), { startImmediately: true })
      yield* hub.crash(a.incarnation)
      // Whatever it still does reaches nobody.
      yield* held.release
      yield* Scope.close(life, Exit.void)
      yield* TestClock.adjust(lease / 2)
      expect(turn.pollUnsafe()).toBeUndefined()
      expect(standBy.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust(lease / 2 + 1_000)
      const next = yield* Fiber.join(turn)
      expect(next.previousHolder).toBe(a.incarnation)
      expect(next.fence).toBeGreaterThan(held.fence)
      expect((yield* Fiber.join(standBy)).fence).toBeGreaterThan(lead.fence)
    })
  )

  it.effect("C17 C6 a crashed replica that runs on gives its turns up before they pass on", () =>
    Effect.gen(function* () {
      const hub = CoordinatorHub.make()
      const [a, b] = [yield* replica(hub), yield* replica(hub)]
      const events = yield* told(a)
      const held = yield* take(a, "key")
      const turn = yield* Effect.forkChild(take(b, "key"), { startImmediately: true })
      yield* hub.crash(a.incarnation)
      yield* TestClock.adjust(lease * 0.8)
      expect(yield* Effect.flip(held.check)).toMatchObject({ _tag: "LeaseLostError", reason: "expired" })
      expect(turn.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust(1_000)
      expect(events).toEqual([{ _tag: "coordination:lease-lost", key: "key", reason: "expired" }])
      expect(a.counts()).toMatchObject({ leaseLost: 1, overlap: 0 })
      const refused = yield* Effect.forkChild(Effect.flip(take(a, "other")), { startImmediately: true })
      yield* TestClock.adjust(2 * lease)
      expect((yield* Fiber.join(refused))._tag).toBe("CoordinationUnavailableError")
    })
  )

  it.effect("C17 C4 idle keys beyond maxIdleKeys are forgotten, the least used first; fences go on growing", () =>
    Effect.gen(function* () {
      const hub = CoordinatorHub.make({ maxIdleKeys: 2 })
      const a = yield* replica(hub)
      const first = yield* use(a, "a")
      yield* use(a, "b")
      expect((yield* use(a, "a")).previousHolder).toBe(a.incarnation)
      yield* use(a, "c")
      const again = yield* use(a, "b")
      expect(again.previousHolder).toBeUndefined()
      expect(again.fence).toBeGreaterThan(first.fence)
    })
  )

  it.effect("C17 a key held while many others come and go still names its holder afterwards", () =>
    Effect.gen(function* () {
      const a = yield* replica(CoordinatorHub.make({ maxIdleKeys: 2 }))
      const held = yield* take(a, "held")
      for (let n = 0; n < 10; n++) yield* use(a, `key-${n}`)
      yield* held.release
      expect((yield* take(a, "held")).previousHolder).toBe(a.incarnation)
    })
  )

  it.effect("C17 by default the last 10,000 idle keys are remembered", () =>
    Effect.gen(function* () {
      const a = yield* replica(CoordinatorHub.make())
      for (let n = 0; n <= 10_000; n++) yield* use(a, `key-${n}`)
      expect((yield* use(a, "key-1")).previousHolder).toBe(a.incarnation)
      expect((yield* use(a, "key-0")).previousHolder).toBeUndefined()
    })
  )

  it.effect("R25 a turn whose grant the backend lost to another ends with the next renewal, counted as overlap", () =>
    Effect.gen(function* () {
      const hub = CoordinatorHub.make()
      const [a, b] = [yield* replica(hub), yield* replica(hub)]
      const events = yield* told(a)
      const held = yield* take(a, "key")
      const alone = yield* take(a, "alone")
      yield* hub.wipe
      const theirs = yield* take(b, "key")
      // The overlap of R25: both believe.
      expect([held.lost(), theirs.lost()]).toEqual([undefined, undefined])
      yield* TestClock.adjust(lease / 3)
      expect(held.lost()).toBeDefined()
      expect(alone.lost()).toBeDefined()
      yield* theirs.check
      expect(a.counts()).toMatchObject({ overlap: 1, leaseLost: 2 })
      expect(b.counts()).toMatchObject({ overlap: 0, leaseLost: 0 })
      expect(events.map(({ _tag }) => _tag)).toEqual(["coordination:lease-lost", "coordination:lease-lost"])
    })
  )

  it.effect("R25 an overlap that was over before the renewal is counted too, also when an act found it first", () =>
    Effect.gen(function* () {
      const hub = CoordinatorHub.make({ partitions: 1 })
      const [a, b] = [yield* replica(hub), yield* replica(hub)]
      yield* take(a, "key")
      yield* hub.wipe
      yield* use(b, "key")
      yield* use(a, "other")
      expect(a.counts()).toMatchObject({ overlap: 1 })
    })
  )

  it.effect("R25 R19 a turn whose grant was lost is not granted anew", () =>
    Effect.gen(function* () {
      const hub = CoordinatorHub.make()
      const [a, b] = [yield* replica(hub), yield* replica(hub)]
      const held = yield* take(a, "key")
      yield* hub.wipe
      const theirs = yield* take(b, "key")
      expect(yield* Effect.flip(held.regrant(theirs.fence))).toMatchObject({ reason: "superseded" })
      yield* theirs.check
    })
  )

  it.effect("R15 R23 a claim whose replica crashed counts until its lease is over; the message is then handled", () =>
    Effect.gen(function* () {
      const hub = CoordinatorHub.make()
      const [a, b] = [yield* replica(hub), yield* replica(hub)]
      const claim = { key: "chat/1", ttl: 600_000 }
      yield* a.enqueueOnce("key", claim)
      yield* hub.crash(a.incarnation)
      expect(Option.isNone(yield* b.enqueueOnce("key", claim))).toBe(true)
      yield* TestClock.adjust(lease + 1_000)
      const again = yield* b.enqueueOnce("key", claim)
      expect(Option.isSome(again)).toBe(true)
    })
  )

  it.effect(
    "R3 R15 a waiting message keeps its claim over an epoch; one redelivered elsewhere meanwhile is left there",
    () =>
      Effect.gen(function* () {
        const hub = CoordinatorHub.make()
        const [a, b] = [yield* replica(hub), yield* replica(hub)]
        const keep = { key: "chat/1", ttl: 600_000 }
        const lose = { key: "chat/2", ttl: 600_000 }
        const held = yield* take(b, "key")
        const kept = yield* a.enqueueOnce("key", keep)
        const lost = yield* a.enqueueOnce("key", lose)
        yield* hub.wipe
        const theirs = yield* b.enqueueOnce("key", lose)
        yield* TestClock.adjust(lease)
        expect(held.lost()).toBeDefined()
        expect(Option.isNone(yield* b.enqueueOnce("key", keep))).toBe(true)
        const failed = yield* Effect.flip(Option.getOrThrow(lost).granted)
        expect(failed._tag).toBe("CoordinationUnavailableError")
        yield* Effect.flatMap(Option.getOrThrow(theirs).granted, (turn) => turn.release)
        yield* Effect.flatMap(Option.getOrThrow(kept).granted, (turn) => turn.release)
        expect(Option.isNone(yield* a.enqueueOnce("key", lose))).toBe(true)
      })
  )

  it.effect(
    "COORD-06 8 replicas × 1,000 tickets on one key: distinct growing fences, FIFO per replica, no overlap",
    () =>
      Effect.gen(function* () {
        const hub = CoordinatorHub.make()
        const fences: Array<number> = []
        let inside = 0
        let overlaps = 0
        const work = Effect.fnUntraced(function* (a: CoordinatorShape) {
          const order: Array<number> = []
          const fibers: Array<Fiber.Fiber<void, unknown>> = []
          for (let n = 0; n < 1_000; n++) {
            const ticket = yield* a.enqueue("one")
            const turn = Effect.flatMap(ticket.granted, (held) => {
              if (++inside > 1) overlaps++
              fences.push(held.fence)
              order.push(n)
              inside--
              return held.release
            })
            fibers.push(yield* Effect.forkChild(turn))
            yield* Effect.yieldNow
          }
          yield* Fiber.joinAll(fibers)
          return order
        })
        const replicas = yield* Effect.all(Array.from({ length: 8 }, () => replica(hub)))
        const orders = yield* Effect.forEach(replicas, work, { concurrency: "unbounded" })
        expect(overlaps).toBe(0)
        expect(fences).toHaveLength(8_000)
        expect(fences.every((fence, at) => at === 0 || fence > (fences[at - 1] ?? Infinity))).toBe(true)
        for (const order of orders) expect(order).toEqual(Array.from({ length: 1_000 }, (_, n) => n))
      }),
    60_000
  )
})
