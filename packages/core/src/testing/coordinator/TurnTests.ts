/** Turns: one holder, order, no lost wake-up, fences, the end of a lease; and many messages at once. */
import { expect } from "@effect/vitest"
import { Effect, Fiber, Latch } from "effect"
import type { Ticket } from "../../spi/Coordinator.ts"
import { type Body, isPending, take, type Time, wait } from "./SuiteTime.ts"

export const turnTests = (time: Time): Record<string, Body> => ({
  "I1 a key has one holder at a time, and other keys are free": (coordinator, key) =>
    Effect.gen(function* () {
      const first = yield* take(coordinator, key)
      const second = yield* wait(time, yield* coordinator.enqueue(key))
      const other = yield* take(coordinator, `${key}/other`)
      expect(other.lost()).toBeUndefined()
      expect(yield* isPending(time, second)).toBe(true)
      yield* first.release
      const next = yield* Fiber.join(second)
      expect(next.key).toBe(key)
      expect(next.lost()).toBeUndefined()
      yield* next.check
    }),

  "I3 fences grow with every grant, also over other keys and a new build": (coordinator, key) =>
    Effect.gen(function* () {
      let last = 0
      for (let i = 0; i < 20; i++) {
        const lease = yield* take(coordinator, key)
        expect(lease.fence).toBeGreaterThan(last)
        last = lease.fence
        yield* lease.release
        yield* Effect.flatMap(take(coordinator, `${key}/${i}`), (other) => other.release)
      }
    }),

  "I5 tickets are granted in the order in which enqueue was run": (coordinator, key) =>
    Effect.gen(function* () {
      const order: Array<number> = []
      const tickets: Array<Ticket> = []
      for (let i = 0; i < 20; i++) tickets.push(yield* coordinator.enqueue(key))
      const waiters = tickets
        .map((ticket, i) =>
          Effect.flatMap(ticket.granted, (lease) => {
            order.push(i)
            return lease.release
          })
        )
        .reverse()
      yield* Effect.all(waiters, { concurrency: "unbounded" })
      expect(order).toEqual(tickets.map((_, i) => i))
    }),

  "I6 a ticket that is given up leaves its place to the next": (coordinator, key) =>
    Effect.gen(function* () {
      const first = yield* take(coordinator, key)
      const second = yield* coordinator.enqueue(key)
      const third = yield* wait(time, yield* coordinator.enqueue(key))
      const fourth = yield* wait(time, yield* coordinator.enqueue(key))
      yield* second.cancel
      yield* second.cancel
      yield* first.release
      yield* Effect.flatMap(Fiber.join(third), (lease) => lease.release)
      yield* Effect.flatMap(Fiber.join(fourth), (lease) => lease.release)
      expect((yield* take(coordinator, key)).lost()).toBeUndefined()
    }),

  "I6 a grant that crossed the cancel is passed on, also when its waiter was interrupted": (coordinator, key) =>
    Effect.gen(function* () {
      const first = yield* take(coordinator, key)
      const second = yield* coordinator.enqueue(key)
      const third = yield* coordinator.enqueue(key)
      const interrupted = yield* wait(time, third)
      const fourth = yield* wait(time, yield* coordinator.enqueue(key))
      yield* first.release
      yield* second.cancel
      yield* Fiber.interrupt(interrupted)
      yield* third.cancel
      const last = yield* Fiber.join(fourth)
      yield* last.check
      yield* second.cancel
      yield* third.cancel
      yield* last.check
    }),

  "I6 giving up a lease by its ticket releases it": (coordinator, key) =>
    Effect.gen(function* () {
      const ticket = yield* coordinator.enqueue(key)
      const lease = yield* ticket.granted
      const next = yield* wait(time, yield* coordinator.enqueue(key))
      yield* ticket.cancel
      yield* Fiber.join(next)
      expect(lease.lost()?.reason).toBe("ended")
    }),

  "COORD-08 releasing again is a quiet no-op and keeps the next holder's lease": (coordinator, key) =>
    Effect.gen(function* () {
      const first = yield* take(coordinator, key)
      const ticket = yield* coordinator.enqueue(key)
      const third = yield* wait(time, yield* coordinator.enqueue(key))
      yield* first.release
      yield* first.release
      const second = yield* ticket.granted
      yield* first.release
      expect(yield* isPending(time, third)).toBe(true)
      yield* second.check
    }),

  "COORD-08 an ended lease is lost for ever, with reason `ended`; whenLost stays silent": (coordinator, key) =>
    Effect.gen(function* () {
      const lease = yield* take(coordinator, key)
      const lost = yield* Effect.forkChild(lease.whenLost, { startImmediately: true })
      yield* lease.check
      yield* lease.release
      const error = yield* Effect.flip(lease.check)
      expect(error).toMatchObject({ _tag: "LeaseLostError", key, reason: "ended" })
      expect(lease.lost()).toBe(error)
      const again = yield* take(coordinator, key)
      expect(yield* Effect.flip(lease.check)).toBe(error)
      yield* again.check
      expect(yield* isPending(time, lost)).toBe(true)
      yield* Fiber.interrupt(lost)
    }),

  "R6 a grant names the previous holder; a new key has none": (coordinator, key) =>
    Effect.gen(function* () {
      const first = yield* take(coordinator, key)
      expect(first.previousHolder).toBeUndefined()
      const waiting = yield* wait(time, yield* coordinator.enqueue(key))
      yield* first.release
      const second = yield* Fiber.join(waiting)
      expect(second.previousHolder).toBe(coordinator.incarnation)
      yield* second.release
      expect((yield* take(coordinator, key)).previousHolder).toBe(coordinator.incarnation)
    })
})

export const loadTests = (time: Time): Record<string, Body> => ({
  "COORD-04 30 messages during one 5 s handler are all handled, in order": (coordinator, key) =>
    Effect.gen(function* () {
      const handled: Array<number> = []
      const ends = yield* Latch.make()
      const handle = (ticket: Ticket, n: number) =>
        Effect.flatMap(ticket.granted, (lease) =>
          (n === 0 ? ends.await : Effect.void).pipe(
            Effect.andThen(Effect.sync(() => handled.push(n))),
            Effect.andThen(lease.release)
          )
        )
      const fibers: Array<Fiber.Fiber<void, unknown>> = []
      for (let n = 0; n <= 30; n++) {
        const ticket = yield* coordinator.enqueue(key)
        fibers.push(yield* Effect.forkChild(handle(ticket, n), { startImmediately: true }))
      }
      yield* time.settle
      expect(handled).toEqual([])
      yield* time.pass(time.ms(5_000))
      expect(handled).toEqual([])
      yield* ends.open
      yield* Fiber.joinAll(fibers)
      expect(handled).toEqual(Array.from({ length: 31 }, (_, n) => n))
    }),

  "COORD-05 500 chats go on at once while one handler runs 10 s": (coordinator, key) =>
    Effect.gen(function* () {
      const slow = yield* take(coordinator, `${key}/chat-1`)
      const blocked = yield* wait(time, yield* coordinator.enqueue(`${key}/chat-1`))
      const others = Array.from({ length: 499 }, (_, i) => `${key}/chat-${i + 2}`)
      yield* Effect.forEach(others, (chat) => Effect.flatMap(take(coordinator, chat), (lease) => lease.release), {
        concurrency: "unbounded",
        discard: true
      })
      expect(yield* isPending(time, blocked)).toBe(true)
      yield* time.pass(time.ms(10_000))
      yield* slow.release
      yield* Fiber.join(blocked)
    })
})
