/**
 * The coordinator of one process: one FIFO a key, without any limit on waiting (C1). It keeps the same contract as a
 * shared one, so the engine has one code path.
 *
 * I1 a key has one holder, the head of its queue; I3 fences come from one counter that outlives the coordinator; I5, I6 a
 * turn passes to the next ticket in the very call that gives it back, and only the wake-up is scheduled.
 * A turn that nobody else wants costs one object: the lease is its own ticket.
 */
import { Clock, Context, Effect, Exit, Layer, Option, PubSub, Random, Scheduler, Stream } from "effect"
import { Direct } from "../model/Direct.ts"
import {
  type Claim,
  Coordinator,
  type CoordinatorEvent,
  type CoordinatorShape,
  type Lease
} from "../spi/Coordinator.ts"
import { LockLostError, LockTakenError } from "../spi/Errors.ts"
import { Claims } from "./Claims.ts"
import { KeyQueues, type Turn } from "./KeyQueues.ts"
import { Locks } from "./Locks.ts"

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
    const claims = new Claims()
    const locks = new Locks()
    const counts = { leader: 0, follower: 0, leaseLost: 0, overlap: 0 }
    let next = 0

    const follow = (name: string, reason: string) => {
      counts.follower++
      return PubSub.publish(hub, { _tag: "coordination:follower", name, reason })
    }
    const led = (lease: Lease) => {
      counts.leader++
      return PubSub.publish(hub, { _tag: "coordination:leader", name: lease.key, fence: lease.fence })
    }
    const enqueueOnce = Effect.fnUntraced(function* (key: string, claim: Claim) {
      const owner = `${++next}`
      const now = yield* Clock.currentTimeMillis
      // Who claims lives as long as this coordinator.
      if (!claims.take({ ...claim, owner }, incarnation, now, () => true)) return Option.none<Turn>()
      const turn = turns.take(key)
      turn.endClaim = (keep) => claims.end({ key: claim.key, owner, keep })
      return Option.some(turn)
    })
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
      enqueue: (key) => new Direct(() => Exit.succeed(turns.take(key))),
      enqueueOnce,
      lead,
      tryLead,
      acquireLockFenced: Effect.fnUntraced(function* (key, ttl) {
        const token = `${incarnation}/${++next}`
        const now = yield* Clock.currentTimeMillis
        const fence = locks.take({ key, token }, ttl, now, () => ++fences.value)
        return fence === undefined ? yield* new LockTakenError({ key }) : { key, token, fence }
      }),
      renewLock: Effect.fnUntraced(function* (lock, ttl) {
        const now = yield* Clock.currentTimeMillis
        if (!locks.renew(lock, ttl, now)) return yield* new LockLostError({ key: lock.key })
      }),
      releaseLock: (lock) => Effect.sync(() => locks.release(lock)),
      events: Stream.fromPubSub(hub),
      counts: () => ({ ...counts })
    }
  }
)

/** One coordinator for all bots of the process. */
export const layer = (options?: LocalCoordinatorOptions): Layer.Layer<Coordinator> =>
  Layer.effect(Coordinator, make(options))
