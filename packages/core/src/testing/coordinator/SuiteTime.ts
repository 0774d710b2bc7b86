/** How the coordinator suite lets time pass, and the small acts its tests are made of. */
import { Effect, type Fiber, Random, type Scope } from "effect"
import { TestClock } from "effect/testing"
import type { CoordinatorShape, Lease, Ticket } from "../../spi/Coordinator.ts"

export type Body = (coordinator: CoordinatorShape, key: string) => Effect.Effect<void, unknown, Scope.Scope>

/** How this run lets time pass. */
export interface Time {
  /** Lets everything that is ready happen. */
  readonly settle: Effect.Effect<void>
  /** Lets things happen until this is so, or for long enough. */
  readonly until: (done: () => boolean) => Effect.Effect<void>
  readonly pass: (ms: number) => Effect.Effect<void>
  /** A handler of so many ms, shorter in real time. */
  readonly ms: (ms: number) => number
}
const settleTest = Effect.andThen(Effect.repeat(Effect.yieldNow, { times: 20 }), TestClock.adjust(0))
export const testTime: Time = {
  settle: settleTest,
  until: () => settleTest,
  pass: (ms) => TestClock.adjust(ms),
  ms: (ms) => ms
}
export const realTime: Time = {
  settle: Effect.sleep(50),
  until: (done) => Effect.asVoid(Effect.repeat(Effect.sleep(5), { until: done, times: 400 })),
  pass: (ms) => Effect.sleep(ms),
  ms: (ms) => ms / 20
}

export const freshKey = Effect.map(Random.nextIntBetween(0, 2 ** 31), (n) => `suite/${n.toString(36)}`)
export const take = (coordinator: CoordinatorShape, key: string): Effect.Effect<Lease, unknown> =>
  Effect.flatMap(coordinator.enqueue(key), (ticket) => ticket.granted)
export const isPending = <A, E>(time: Time, fiber: Fiber.Fiber<A, E>): Effect.Effect<boolean> =>
  Effect.map(time.settle, () => fiber.pollUnsafe() === undefined)
/** Takes the ticket's lease in a fiber that has begun to wait. */
export const wait = (time: Time, ticket: Ticket) =>
  Effect.tap(Effect.forkChild(ticket.granted, { startImmediately: true }), () => time.settle)
