/**
 * The coordinator of one process: one FIFO a key, without any limit on waiting (C1). It keeps the same contract as a
 * shared one, so the engine has one code path.
 *
 * I1 a key has one holder, the head of its queue; I3 fences come from one counter that outlives the coordinator; I5, I6 a
 * turn passes to the next ticket in the very call that gives it back, and only the wake-up is scheduled.
 * A turn that nobody else wants costs one object: the lease is its own ticket.
 */
import { Clock, Context, Effect, Layer, Option, PubSub, Random, Scheduler, Stream } from "effect"
import { Coordinator, type CoordinatorEvent, type CoordinatorShape, type Lease } from "../spi/Coordinator.ts"
import { KeyQueues, type Turn } from "./KeyQueues.ts"

/**
 * Where local fences come from: one counter a process, raised to the clock's microseconds at each build, so that neither
 * a second coordinator nor a restart hands out a fence again (I3, R19). A simulation provides its own, to be repeatable.
 */
export const LastFence: Context.Reference<{ value: number }> = Context.Reference("@botmesh/core/LastFence", {
  defaultValue: () => ({ value: 0 })
})

export interface LocalCoordinatorOptions {
  /** How many idle keys are remembered for `previousHolder`; the longest unused go first. 10,000. */
  readonly maxIdleKeys?: number
}

const makeIncarnation = Effect.map(
  Effect.all([Random.nextIntBetween(0, 0xffffffff), Random.nextIntBetween(0, 0xffffffff)]),
  (parts) => `local-${parts.map((part) => part.toString(16).padStart(8, "0")).join("")}`
)

/**
 * A coordinator of this process. `enqueue` and everything on a lease is synchronous inside.
 *
 * Interrupting `granted` keeps the ticket: the owner gives it up with `cancel`. A ticket given up before its grant makes
 * `granted` fail with `CoordinationUnavailableError`; otherwise nothing here ever fails. Source: C1, C2.
 */
export const make: (options?: LocalCoordinatorOptions) => Effect.Effect<CoordinatorShape> = Effect.fnUntraced(
  function* (options) {
    const maxIdle = options?.maxIdleKeys ?? 10_000
    const fences = yield* LastFence
    fences.value = Math.max(fences.value, (yield* Clock.currentTimeMillis) * 1000)
    const incarnation = yield* makeIncarnation
    const dispatcher = (yield* Scheduler.Scheduler).makeDispatcher()
    const turns = new KeyQueues(incarnation, fences, maxIdle, dispatcher)
    const leads = new KeyQueues(incarnation, fences, maxIdle, dispatcher)
    const hub = yield* PubSub.sliding<CoordinatorEvent>(1024)

    const follow = (name: string, reason: string) =>
      PubSub.publish(hub, { _tag: "coordination:follower", name, reason })
    const led = (lease: Lease) =>
      PubSub.publish(hub, { _tag: "coordination:leader", name: lease.key, fence: lease.fence })
    const stepDown = (ticket: Turn) =>
      Effect.suspend(() => {
        const wasLeader = ticket.lost() === undefined
        leads.cancel(ticket)
        return wasLeader ? follow(ticket.key, "stepped down") : Effect.void
      })

    const lead = Effect.fnUntraced(function* (name: string) {
      const ticket = yield* Effect.acquireRelease(
        Effect.sync(() => leads.take(name)),
        stepDown
      )
      if (ticket.lost() !== undefined) yield* follow(name, "led by another")
      const lease = yield* ticket.granted
      yield* led(lease)
      return lease
    })
    const tryLead = Effect.fnUntraced(function* (name: string) {
      const ticket = yield* Effect.acquireRelease(
        Effect.sync(() => (leads.isFree(name) ? leads.take(name) : undefined)),
        (taken) => (taken === undefined ? Effect.void : stepDown(taken))
      )
      if (ticket === undefined) return Option.none<Lease>()
      yield* led(ticket)
      return Option.some<Lease>(ticket)
    })

    return {
      name: "local",
      shared: false,
      incarnation,
      enqueue: (key) => Effect.sync(() => turns.take(key)),
      lead,
      tryLead,
      events: Stream.fromPubSub(hub)
    }
  }
)

/** One coordinator for all bots of the process. */
export const layer = (options?: LocalCoordinatorOptions): Layer.Layer<Coordinator> =>
  Layer.effect(Coordinator, make(options))
