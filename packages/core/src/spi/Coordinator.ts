/**
 * The coordinator contract: who may act for a conversation key, and who leads.
 *
 * Invariants (design.md 8): I1 one holder a key at a time · I3 fences grow · I5 FIFO per key by ticket · I6 no lost wake-up.
 * The local coordinator keeps the same contract without limits on waiting (C1): there is one code path.
 */
import { Context, type Effect, type Option, type Scope, type Stream } from "effect"
import type { CoordinationUnavailableError, LeaseLostError } from "./Errors.ts"

/** A held turn or lead. */
export interface Lease {
  readonly key: string
  /** Grows with every grant of the key, also after expiry and eviction (C4). */
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
  /** Completes when the lease is lost; never for a lease that is released in time. */
  readonly whenLost: Effect.Effect<LeaseLostError>
  /** Gives the key to the next ticket. Safe to repeat; never fails: a failed release is repaired (C7). */
  readonly release: Effect.Effect<void>
}

/** A place in the turn queue. */
export interface Ticket {
  /** The lease, when its time comes. */
  readonly granted: Effect.Effect<Lease, CoordinationUnavailableError>
  /** Gives the place up; a grant that crossed it is released. Safe to repeat. */
  readonly cancel: Effect.Effect<void>
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
   */
  readonly enqueue: (key: string) => Effect.Effect<Ticket, CoordinationUnavailableError>
  /** Waits until this incarnation leads `name`; closing the scope steps down. */
  readonly lead: (name: string) => Effect.Effect<Lease, CoordinationUnavailableError, Scope.Scope>
  /** The lead if it is free now. */
  readonly tryLead: (name: string) => Effect.Effect<Option.Option<Lease>, CoordinationUnavailableError, Scope.Scope>
  readonly events: Stream.Stream<CoordinatorEvent>
}

/** Hands out turns and leads. Source: C2, C15. */
export class Coordinator extends Context.Service<Coordinator, CoordinatorShape>()("@botmesh/core/Coordinator") {}
