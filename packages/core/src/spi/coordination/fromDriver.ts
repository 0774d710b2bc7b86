/**
 * A coordinator over any backend (turns.md R3, R8, R9, R19, R23): tickets, epochs, renewals and their repair are written
 * once, here. Everything goes through Clock and Random, so the simulation runs this very code.
 */
import { Clock, Effect, PubSub, Queue, Random, type Scope, Stream } from "effect"
import type { CoordinatorEvent, CoordinatorShape } from "../Coordinator.ts"
import type { CoordinatorDriver, CoordinatorDriverError } from "../CoordinatorDriver.ts"
import { makeLeads } from "./Leads.ts"
import type { Life } from "./Life.ts"
import { makeLocks } from "./Locks.ts"
import { askEvery, Repair } from "./Repair.ts"
import { Replica } from "./Replica.ts"
import { makeTickets } from "./Tickets.ts"

export interface LeaseOptions {
  /** ms. */
  readonly lease: number
  /** ms without a grant on the key before a waiter gives up (R23). */
  readonly turnWait: number
  /** Unique among running replicas; a random one when absent. */
  readonly replicaId?: string | undefined
}

/** A replica id and a nonce: a restarted replica of the same id is another one (C5). */
const makeIncarnation = (replicaId: string | undefined) =>
  Effect.map(
    Effect.all([Random.nextIntBetween(0, 0xffffffff), Random.nextIntBetween(0, 0xffffffff)]),
    ([random, nonce]) => `${replicaId ?? `replica-${random.toString(36)}`}~${nonce.toString(36)}`
  )

export const fromDriver = Effect.fnUntraced(function* (
  driver: CoordinatorDriver,
  { lease, replicaId, turnWait }: LeaseOptions
): Effect.fn.Return<CoordinatorShape, CoordinatorDriverError, Scope.Scope> {
  const clock = yield* Clock.Clock
  const incarnation = yield* makeIncarnation(replicaId)
  const monotonic = (): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
  const events = yield* PubSub.sliding<CoordinatorEvent>(1024)
  const begun = yield* Queue.unbounded<Life>()
  const replica = new Replica({
    driver,
    incarnation,
    lease,
    turnWait,
    monotonic,
    events,
    onNewLife: (life) => Queue.offerUnsafe(begun, life)
  })
  const repair = new Repair(replica, yield* Effect.scope)
  const tickets = makeTickets(replica)

  const everyone = (each: (life: Life) => Effect.Effect<void>) =>
    Effect.suspend(() => Effect.forEach([...replica.lives.values()], each, { discard: true, concurrency: "unbounded" }))
  /** Renews a partition a third of the lease after the last renewal began, however long that one took (RE4). */
  const beat = (life: Life) =>
    Effect.gen(function* () {
      let next = monotonic() + lease / 3
      for (;;) {
        yield* Effect.sleep(Math.max(1, next - monotonic()))
        next = monotonic() + lease / 3
        yield* repair.renew(life)
      }
    })
  // Whoever waits for the loss hears of it before another can have the key.
  const look = Effect.suspend(() => {
    const now = monotonic()
    for (const life of replica.lives.values()) life.loseExpired(now)
    return Effect.forEach(replica.lives.values(), (life) => repair.question(life, false), { discard: true })
  })

  yield* Effect.addFinalizer(() => everyone((life) => repair.rest(life)))
  const atOnce = { startImmediately: true } as const
  const beating = Effect.flatMap(Queue.take(begun), (life) => Effect.forkScoped(beat(life), atOnce))
  yield* Effect.forkScoped(Effect.forever(beating), atOnce)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(Math.min(askEvery, replica.margin / 2)), look)))
  const signals = yield* driver.signals(incarnation)
  yield* Effect.forkScoped(Effect.forever(Effect.flatMap(Queue.take(signals), (signal) => repair.onSignal(signal))))

  return {
    name: driver.name,
    shared: true,
    incarnation,
    enqueue: tickets.enqueue,
    enqueueOnce: tickets.enqueueOnce,
    ...makeLeads(replica, tickets),
    ...makeLocks(replica),
    events: Stream.fromPubSub(events),
    counts: () => ({ ...replica.counts })
  }
})
