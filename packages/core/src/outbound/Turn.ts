/**
 * The right to act for a key while one message, timer or trigger is handled.
 *
 * T1 a revoked turn never becomes valid again (R3, R17).
 * T2 every send and every checkpoint write asks `refusal` first (R10, C21).
 * T3 a turn is closed once; whoever comes second finds it closed (R17).
 */
import { Context, type Fiber, type Effect } from "effect"
import type { SuspendReason } from "../model/DropReason.ts"
import type { Lease } from "../spi/Coordinator.ts"
import { LeaseLostError } from "../spi/Errors.ts"
import type { Lead } from "./Lifecycle.ts"

/** Says why a fiber was interrupted: finalizers, events and tests match on it (guide 4, form B). */
export class SuspendedBy extends Context.Service<SuspendedBy, SuspendReason>()("@botmesh/core/SuspendedBy") {}

/** What runs under a turn and can be told to stop: a conversation while it is driven. */
export interface Driven {
  readonly suspend: (reason: SuspendReason) => void
}

/** Who ends a turn before its time. */
export interface TurnGuard {
  readonly suspend: (turn: Turn, reason: SuspendReason) => void
}

/** What is to happen in a turn once its handler has ended (R18). */
export interface FollowUp {
  readonly run: Effect.Effect<void>
  /** Tells that the turn was cut before it could begin. */
  readonly lost: Effect.Effect<void>
}

/** So many of them a turn, those that they ask for themselves included. */
export const mostFollowUps = 100

export class Turn {
  /** Why it was revoked: the error is made for whoever asks, since most turns end without anybody asking. */
  private reason: LeaseLostError["reason"] | undefined = undefined
  private detail: string | undefined = undefined
  private error: LeaseLostError | undefined = undefined
  /** Why the turn was suspended, once it was. */
  suspended: SuspendReason | undefined = undefined
  driven: Driven | undefined = undefined
  fiber: Fiber.Fiber<unknown, unknown> | undefined = undefined
  closed = false
  /** What the handler asked to happen in this turn once it has ended (R18). */
  readonly then: Array<FollowUp> = []
  /** How many of them have begun. */
  following = 0
  readonly key: string
  readonly lease: Lease
  /** ms since the epoch. */
  readonly grantedAt: number
  readonly guard: TurnGuard | undefined
  /** The lead it was begun under, where the transport has one (R12). */
  private readonly lead: Lead | undefined

  constructor(key: string, lease: Lease, grantedAt: number, guard?: TurnGuard, lead?: Lead) {
    this.guard = guard
    this.lead = lead
    this.key = key
    this.lease = lease
    this.grantedAt = grantedAt
  }

  /** Why nothing more may be sent or stored under this turn; `undefined` while it is good. */
  refusal(): LeaseLostError | undefined {
    const { detail, reason } = this
    if (reason === undefined) return this.lease.lost() ?? this.lead?.lost()
    return (this.error ??= new LeaseLostError({ key: this.key, reason, ...(detail === undefined ? {} : { detail }) }))
  }

  /** Takes what is to follow the handler; false when there would be too many (`mostFollowUps`). */
  follow(next: FollowUp): boolean {
    if (this.following + this.then.length >= mostFollowUps) return false
    this.then.push(next)
    return true
  }

  /** T1. Safe to repeat: the first reason stands. */
  revoke(reason: LeaseLostError["reason"], detail?: string): void {
    if (this.reason !== undefined) return
    this.reason = reason
    this.detail = detail
  }
}

/** Where the running code finds its turn; a holder, because a conversation's fiber lives through many turns. */
export interface TurnHolder {
  readonly key: string
  /** What the coordinator calls the key, where it is known already. */
  readonly ticket?: string
  turn: Turn | undefined
}

/** The holder of the running code: how `bot.trigger`, handoff and abort know that they are inside a turn (R18). */
export const CurrentTurn = Context.Reference<TurnHolder | undefined>("@botmesh/core/CurrentTurn", {
  defaultValue: () => undefined
})
