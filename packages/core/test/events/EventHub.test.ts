import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Queue, Scope, Stream } from "effect"
import { makeEventHub } from "../../src/events/EventHub.ts"

const numbers = (n: number, from = 0): Array<number> => Array.from({ length: n }, (_, i) => from + i)

describe("EventHub", () => {
  it.effect("gives each subscriber every event from its subscription on, in order", () =>
    Effect.gen(function* () {
      const hub = makeEventHub<number>()
      hub.publish(0)
      const first = yield* hub.subscribe
      hub.publish(1)
      const second = yield* hub.subscribe
      hub.publish(2)
      expect(hub.subscribers()).toBe(2)
      expect(yield* Queue.takeAll(first)).toEqual([1, 2])
      expect(yield* Queue.takeAll(second)).toEqual([2])
    })
  )

  it.effect("I23 I24 a slow subscriber loses its oldest, counted, and delays nobody", () =>
    Effect.gen(function* () {
      const told: Array<number> = []
      const hub = makeEventHub<number>({ capacity: 4, onLost: (count) => told.push(count) })
      const slow = yield* hub.subscribe
      const fast = yield* hub.subscribe
      for (const n of numbers(6)) {
        hub.publish(n)
        expect(yield* Queue.take(fast)).toBe(n)
      }
      expect(yield* Queue.takeAll(slow)).toEqual([2, 3, 4, 5])
      expect(told).toEqual([1, 1])
      expect(hub.lost()).toBe(2)
    })
  )

  it.effect("I24 losses of one publish are told at once; a listener that publishes makes no loop", () =>
    Effect.gen(function* () {
      const told: Array<number> = []
      const hub = makeEventHub<string>({
        capacity: 1,
        onLost: (count) => {
          told.push(count)
          hub.publish("events lost")
        }
      })
      const queues = [yield* hub.subscribe, yield* hub.subscribe]
      hub.publish("a")
      hub.publish("b")
      expect(told).toEqual([2])
      expect(hub.lost()).toBe(4)
      hub.publish("c")
      expect(told).toEqual([2, 4])
      expect(hub.lost()).toBe(8)
      for (const queue of queues) expect(yield* Queue.takeAll(queue)).toEqual(["events lost"])
    })
  )

  it.effect("the stream subscribes when run, in chunks of all there is, and ends at shutdown", () =>
    Effect.gen(function* () {
      const hub = makeEventHub<number>()
      const stream = hub.stream
      expect(hub.subscribers()).toBe(0)
      hub.publish(0)
      const chunks = yield* Effect.forkChild(Stream.runCollect(Stream.chunks(stream)))
      yield* Effect.yieldNow
      expect(hub.subscribers()).toBe(1)
      for (const n of numbers(5, 1)) hub.publish(n)
      yield* Effect.yieldNow
      yield* Effect.yieldNow
      hub.publish(6)
      yield* hub.shutdown
      expect(yield* Fiber.join(chunks)).toEqual([[1, 2, 3, 4, 5], [6]])
      expect(hub.subscribers()).toBe(0)
    })
  )

  it.effect("closing the scope unsubscribes, and an interrupted stream too", () =>
    Effect.gen(function* () {
      const hub = makeEventHub<number>()
      const scope = yield* Scope.make()
      yield* Scope.provide(hub.subscribe, scope)
      const fiber = yield* Effect.forkChild(Stream.runDrain(hub.stream))
      yield* Effect.yieldNow
      expect(hub.subscribers()).toBe(2)
      yield* Scope.close(scope, Exit.void)
      expect(hub.subscribers()).toBe(1)
      yield* Fiber.interrupt(fiber)
      expect(hub.subscribers()).toBe(0)
    })
  )

  it.effect("after shutdown nothing is published and a new subscription is at its end", () =>
    Effect.gen(function* () {
      const hub = makeEventHub<number>()
      yield* hub.shutdown
      yield* hub.shutdown
      hub.publish(1)
      expect(yield* Stream.runCollect(hub.stream)).toEqual([])
      expect(hub.subscribers()).toBe(0)
      expect(hub.lost()).toBe(0)
    })
  )
})
