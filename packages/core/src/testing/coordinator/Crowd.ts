/** Programs for the seeded simulation: many fibers want few keys at once. */
import { expect } from "@effect/vitest"
import { Effect, Fiber, Option, Random } from "effect"
import type { CoordinatorShape, Lease } from "../../spi/Coordinator.ts"
import { take } from "./SuiteTime.ts"

/** Many workers of few keys in random order, some of whom give up: nobody overlaps, nobody is forgotten. */
export const crowd = (coordinator: CoordinatorShape) =>
  Effect.gen(function* () {
    const holders = new Map<string, number>()
    const enqueued = new Map<string, Array<number>>()
    const granted = new Map<string, Array<number>>()
    const gone = new Set<number>()
    const fences = new Map<string, number>()
    const list = (map: Map<string, Array<number>>, key: string): Array<number> => {
      const found = map.get(key) ?? []
      map.set(key, found)
      return found
    }
    const hold = (id: number, key: string, lease: Lease) =>
      Effect.gen(function* () {
        expect(holders.get(key), "I1 one holder").toBeUndefined()
        holders.set(key, id)
        list(granted, key).push(id)
        expect(lease.fence, "I3 fences grow").toBeGreaterThan(fences.get(key) ?? 0)
        fences.set(key, lease.fence)
        yield* Effect.sleep(yield* Random.nextIntBetween(0, 20))
        expect(lease.lost()).toBeUndefined()
        holders.delete(key)
        yield* lease.release
        expect(lease.lost()?.reason).toBe("ended")
      })
    const work = (id: number) =>
      Effect.gen(function* () {
        yield* Effect.sleep(yield* Random.nextIntBetween(0, 30))
        const key = `key-${yield* Random.nextIntBetween(0, 2)}`
        const patience = yield* Random.nextIntBetween(0, 4)
        const ticket = yield* coordinator.enqueue(key)
        list(enqueued, key).push(id)
        const giveUp = Effect.andThen(
          Effect.sync(() => gone.add(id)),
          ticket.cancel
        )
        if (patience > 0) return yield* Effect.flatMap(ticket.granted, (lease) => hold(id, key, lease))
        const lease = yield* Effect.timeoutOption(ticket.granted, 15)
        if (Option.isSome(lease)) yield* hold(id, key, lease.value)
        else yield* giveUp
      })
    const workers = Array.from({ length: 20 }, (_, id) => work(id))
    yield* Effect.all(workers, { concurrency: "unbounded", discard: true })
    for (const [key, ids] of granted) {
      for (const id of list(enqueued, key))
        expect(ids.includes(id) || gone.has(id), "I6 nobody is forgotten").toBe(true)
    }
    const last = yield* Effect.forEach([...enqueued.keys()], (key) => take(coordinator, key))
    for (const lease of last) expect(lease.lost()).toBeUndefined()
  })

/** Tickets taken in a known order while fibers are preempted at random. */
export const line = (coordinator: CoordinatorShape) =>
  Effect.gen(function* () {
    const order: Array<number> = []
    const fibers: Array<Fiber.Fiber<void, unknown>> = []
    for (let id = 0; id < 20; id++) {
      const ticket = yield* coordinator.enqueue("line")
      const work = Effect.gen(function* () {
        if (id % 5 === 3) return yield* ticket.cancel
        const lease = yield* ticket.granted
        order.push(id)
        yield* lease.release
      })
      fibers.push(yield* Effect.forkChild(work))
    }
    yield* Fiber.joinAll(fibers)
    expect(order, "I5 ticket order").toEqual(Array.from({ length: 20 }, (_, id) => id).filter((id) => id % 5 !== 3))
  })
