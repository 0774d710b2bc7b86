/**
 * What the author of a shared coordinator implements: the atomic acts of a backend, no timers and no memory of their own.
 * `fromDriver` (spi/coordination) lifts it once: tickets, epochs, renewals, self-fencing and reconciliation are written
 * there, and the simulation runs that very code over the memory driver.
 *
 * The backend keeps, per partition: the liveness of each epoch with its expiry by the backend's clock, one fence counter
 * that never goes back, the hold of each key, and a queue of tickets a key (turns.md R3, R8, R9, R19).
 *
 * CD1 each method is one atomic act on one partition.
 * CD2 a ticket or hold of a dead epoch counts for nothing: enqueue, release and ask skip it (at most 100 a call).
 * CD3 a fence given for a key is higher than any given before, also after eviction, restart and failover (I3).
 * CD4 whoever grants a ticket of another replica publishes its wake; a wake may be lost (R8).
 * CD5 a claim of another owner counts while its epoch lives and, once its turn is over, until its end (R15, R23).
 */
import { type Effect, type Queue, Schema, type Scope } from "effect"

/** The backend did not answer in time, cannot be reached, or refused. Nothing is known of what it did. */
export class CoordinatorDriverError extends Schema.TaggedError<CoordinatorDriverError>()("CoordinatorDriverError", {
  operation: Schema.String,
  reason: Schema.Literals(["unreachable", "timeout", "moving", "refused"]),
  detail: Schema.String
}) {
  override get message(): string {
    return `Coordinator ${this.operation} failed (${this.reason}): ${this.detail}`
  }
  get isRetryable(): boolean {
    return this.reason !== "refused"
  }
}

export interface GrantRow {
  readonly fence: number
  /** The incarnation that held the key last; "" for a new or evicted key. */
  readonly previousHolder: string
}
export type EnqueueResult =
  | ({ readonly _tag: "granted" } & GrantRow)
  | { readonly _tag: "queued" }
  /** The epoch is not alive: begin a new one first. */
  | { readonly _tag: "dead" }
  /** Another owner has the claim; no place was taken. */
  | { readonly _tag: "duplicate" }
export type AskResult =
  | ({ readonly _tag: "granted" } & GrantRow)
  /** `fence` of the hold before it, 0 for none: it changes when the queue moves (R23). */
  | { readonly _tag: "queued"; readonly fence: number }
  | { readonly _tag: "gone" }

export interface HoldRow {
  readonly key: string
  readonly ticket: string
  readonly fence: number
}
export interface WakeRow extends HoldRow {
  readonly epoch: string
  readonly previousHolder: string
}
/** `resubscribed`: wakes may have been lost; every waiter asks again. `left`: somebody's holds ended at once. */
export type DriverSignal =
  | ({ readonly _tag: "wake" } & WakeRow)
  | { readonly _tag: "resubscribed" }
  | { readonly _tag: "left"; readonly partition: number }

export interface TicketRow {
  readonly key: string
  readonly epoch: string
  readonly ticket: string
}

export interface LockRow {
  readonly incarnation: string
  readonly key: string
  readonly token: string
}

/** The claim of a ticket. */
export interface ClaimRow {
  readonly key: string
  /** Who claims: the same for all tickets of one message. */
  readonly owner: string
  /** ms. */
  readonly ttl: number
}
/** What becomes of a claim with the end of its turn: kept until its end, or freed. */
export interface ClaimEnd {
  readonly key: string
  readonly owner: string
  readonly keep: boolean
}

export interface CoordinatorDriver {
  readonly name: string
  readonly partitions: number
  readonly partitionOf: (key: string) => number
  /**
   * Starts an epoch that lives `lease` ms, and drops `old` with its liveness, holds and tickets, if given (R3).
   * Safe to repeat.
   */
  readonly begin: (
    partition: number,
    row: {
      readonly incarnation: string
      readonly epoch: string
      readonly old: string | undefined
      readonly lease: number
    }
  ) => Effect.Effect<void, CoordinatorDriverError>
  /**
   * Takes a place at the end of the key's queue, granted at once when the key is free; with a claim only if no other owner
   * has it (CD5). The fence is above `floor`. Safe to repeat with the same ticket.
   */
  readonly enqueue: (
    partition: number,
    row: TicketRow & {
      readonly incarnation: string
      readonly floor: number
      readonly claim: ClaimRow | undefined
    }
  ) => Effect.Effect<EnqueueResult, CoordinatorDriverError>
  /**
   * Gives up a hold or a waiting place, and ends its claim. A hold goes to the next living ticket, whose owner is told. A
   * stranger's hold or claim is left alone. Safe to repeat.
   */
  readonly release: (
    partition: number,
    row: TicketRow & { readonly incarnation: string; readonly claim: ClaimEnd | undefined }
  ) => Effect.Effect<void, CoordinatorDriverError>
  /** Lifts the fence of a living hold above `above`; `undefined` when it is not that ticket's. Safe to repeat (R19). */
  readonly regrant: (
    partition: number,
    row: TicketRow & { readonly incarnation: string; readonly above: number }
  ) => Effect.Effect<number | undefined, CoordinatorDriverError>
  /** Extends a liveness that still exists, and answers with the epoch's holds; `undefined` when it is gone (R3). */
  readonly renew: (
    partition: number,
    row: { readonly incarnation: string; readonly epoch: string; readonly lease: number }
  ) => Effect.Effect<ReadonlyArray<HoldRow> | undefined, CoordinatorDriverError>
  /** What became of waiting tickets, in their order; grants those whose time has come because the holder is dead (R8). */
  readonly ask: (
    partition: number,
    rows: ReadonlyArray<TicketRow & { readonly incarnation: string }>
  ) => Effect.Effect<ReadonlyArray<AskResult>, CoordinatorDriverError>
  /** The incarnation that holds each key now, else the one that held it last; "" for none (R25). */
  readonly holders: (
    partition: number,
    row: { readonly incarnation: string; readonly keys: ReadonlyArray<string> }
  ) => Effect.Effect<ReadonlyArray<string>, CoordinatorDriverError>
  /** A clean stop: the epoch's liveness, holds and tickets end now, and the others are told (R25). Safe to repeat. */
  readonly leave: (
    partition: number,
    row: { readonly incarnation: string; readonly epoch: string }
  ) => Effect.Effect<void, CoordinatorDriverError>
  /** Takes a lock for `ttl` ms and answers its fence; `undefined` when another token has it. Safe to repeat (C15). */
  readonly lock: (
    partition: number,
    row: LockRow & { readonly ttl: number; readonly floor: number }
  ) => Effect.Effect<number | undefined, CoordinatorDriverError>
  /** The lock ends `ttl` ms from now; false when the token does not have it. Safe to repeat. */
  readonly renewLock: (
    partition: number,
    row: LockRow & { readonly ttl: number }
  ) => Effect.Effect<boolean, CoordinatorDriverError>
  /** Frees the lock if the token has it. Safe to repeat. */
  readonly unlock: (partition: number, row: LockRow) => Effect.Effect<void, CoordinatorDriverError>
  /** Listens for this replica; returns once it does, so that no wake of a later ticket is missed. Ends with the scope. */
  readonly signals: (
    incarnation: string
  ) => Effect.Effect<Queue.Dequeue<DriverSignal>, CoordinatorDriverError, Scope.Scope>
}
