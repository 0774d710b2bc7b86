/**
 * The coordinator contract: who may act for a conversation key, and who leads.
 *
 * Invariants (design.md 8): I1 one holder a key at a time · I3 fences grow · I5 FIFO per key by ticket · I6 no lost wake-up.
 * The local coordinator keeps the same contract without limits on waiting (C1): there is one code path.
 */
import { Context, type Effect, type Option, type Scope, type Stream } from "effect"
import type { CoordinationUnavailableError, LeaseLostError, LockLostError, LockTakenError } from "./Errors.ts"

/** A held turn or lead. */
export interface Lease {
  readonly key: string
  /** Grows with every grant of the key, also after expiry and eviction (C4), and with `regrant`: read it when it is used. */
  readonly fence: number
  /** The incarnation that held the key before; `undefined` for a new or evicted key (C2). */
  readonly previousHolder: string | undefined
  /** Fails when the lease may have ended; no I/O. Latches: once lost, for ever lost (R3). */
  readonly check: Effect.Effect<void, LeaseLostError>
  /** The same without an effect: `undefined` while held. For the hot path. */
  readonly lost: () => LeaseLostError | undefined
  /**
   * Grants the held turn anew above a fence that was found in the store. Only where nobody else can have written it: the
   * coordinator of one process, whose wall clock was set back since its last life (R19). A shared one has none.
   */
  readonly raise?: (fence: number) => void
  /**
   * Lifts the fence above one a backend refused it for, without losing the place: the same hold, a higher number (R19).
   * Fails when the turn is not ours any more, or the coordinator cannot be reached. Safe to repeat.
   */
  readonly regrant: (above: number) => Effect.Effect<void, LeaseLostError | CoordinationUnavailableError>
  /**
   * Calls `listener` when the lease is lost, at most once and without a fiber that waits for it; at once when it is lost
   * already, never after the release. Absent where none is ever lost: the coordinator of one process (R3, C6).
   */
  readonly onLost?: (listener: (error: LeaseLostError) => void) => void
  /** Completes when the lease is lost; never for a lease that is released in time. */
  readonly whenLost: Effect.Effect<LeaseLostError>
  /**
   * The turn's message was lost: the claim taken with its ticket is freed, by the release or, after it, at once (R23).
   * Safe to repeat; never fails: what failed is repaired. Nothing without a claim.
   */
  readonly unclaim: Effect.Effect<void>
  /**
   * Gives the key to the next ticket, and keeps the claim until its end unless `unclaim` came first. Safe to repeat; never
   * fails: a failed release is repaired (C7).
   */
  readonly release: Effect.Effect<void>
}

/** The dedupe key of a message, claimed with its ticket so that it holds over all replicas (R15). */
export interface Claim {
  /** Names its message in the whole coordination: tenant and bot (R21), chat, id and body hash. Of one turn key always. */
  readonly key: string
  /** ms from the claim after which it ends by itself. */
  readonly ttl: number
}

/** A place in the turn queue. */
export interface Ticket {
  /** The lease, when its time comes. */
  readonly granted: Effect.Effect<Lease, CoordinationUnavailableError>
  /** Gives the place up and frees its claim; a grant that crossed it is released. Safe to repeat. */
  readonly cancel: Effect.Effect<void>
}

/** A lock: held by its token until it is released or its time is over, whoever runs. */
export interface FencedLock {
  readonly key: string
  readonly token: string
  /** Higher than that of any lock of the key before: give it to what the lock guards. */
  readonly fence: number
}

/** What happened since the coordinator was built, of all bots that use it (C14). */
export interface CoordinationCounts {
  readonly leader: number
  readonly follower: number
  readonly leaseLost: number
  /** Holds in whose place a renewal found another holder: the backend had lost its writes (R25). */
  readonly overlap: number
}

export type CoordinatorEvent =
  | { readonly _tag: "coordination:leader"; readonly name: string; readonly fence: number }
  | { readonly _tag: "coordination:follower"; readonly name: string; readonly reason: string }
  | { readonly _tag: "coordination:lease-lost"; readonly key: string; readonly reason: string }

export interface CoordinatorShape {
  readonly name: string
  /** Other processes may share it: checkpoints are stored as soon as a flow is entered (B5). */
  readonly shared: boolean
  /** One life of this replica: replica id and a nonce (C5). */
  readonly incarnation: string
  /**
   * Takes a ticket for a turn. Tickets are granted in the order in which `enqueue` was run.
   * Fails with `CoordinationUnavailableError` when the backend cannot be reached within its bound.
   *
   * @param turnWait ms without a grant on the key after which the wait is given up; the coordinator's own when absent (R23)
   */
  readonly enqueue: (key: string, turnWait?: number) => Effect.Effect<Ticket, CoordinationUnavailableError>
  /**
   * Takes a ticket and, in the same act, claims a message's dedupe key; none when it is claimed: a duplicate (R15). While its
   * turn is not over a claim counts for as long as its replica lives, so a message lost with its replica can be redelivered.
   */
  readonly enqueueOnce: (
    key: string,
    claim: Claim,
    turnWait?: number
  ) => Effect.Effect<Option.Option<Ticket>, CoordinationUnavailableError>
  /** Waits until this incarnation leads `name`; closing the scope steps down. */
  readonly lead: (name: string) => Effect.Effect<Lease, CoordinationUnavailableError, Scope.Scope>
  /** The lead if it is free now. */
  readonly tryLead: (name: string) => Effect.Effect<Option.Option<Lease>, CoordinationUnavailableError, Scope.Scope>
  /**
   * Takes a lock if it is free. It ends with `ttl` (ms), not with this replica: renew it or lose it. What it guards should
   * refuse a lower fence. Source: C15
   */
  readonly acquireLockFenced: (
    key: string,
    ttl: number
  ) => Effect.Effect<FencedLock, LockTakenError | CoordinationUnavailableError>
  /** The lock ends `ttl` ms from now. Safe to repeat. */
  readonly renewLock: (
    lock: FencedLock,
    ttl: number
  ) => Effect.Effect<void, LockLostError | CoordinationUnavailableError>
  /** Frees the lock; one that is lost is left to whoever has it. Safe to repeat. */
  readonly releaseLock: (lock: FencedLock) => Effect.Effect<void, CoordinationUnavailableError>
  readonly events: Stream.Stream<CoordinatorEvent>
  readonly counts: () => CoordinationCounts
}

/** Hands out turns and leads. Source: C2, C15. */
export class Coordinator extends Context.Service<Coordinator, CoordinatorShape>()("@botmesh/core/Coordinator") {}
