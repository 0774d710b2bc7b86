/**
 * The right to act for a key while one message, timer or trigger is handled.
 *
 * T1 a revoked turn never becomes valid again (R3, R17).
 * T2 every send and every checkpoint write asks `refusal` first (R10, C21).
 */
import { Context, type Effect } from "effect"
import type { SuspendReason } from "../model/DropReason.ts"
import type { Lease } from "../spi/Coordinator.ts"
import { LeaseLostError } from "../spi/Errors.ts"

/** What a handler asked to happen in this turn once it has ended: start a flow, as a goto would (R18). */
export interface After {
  readonly run: Effect.Effect<void>
}

export class Turn {
  revoked: LeaseLostError | undefined = undefined
  /** Why the turn was suspended, once it was. */
  suspended: SuspendReason | undefined = undefined
  readonly after: Array<After> = []
  readonly key: string
  readonly lease: Lease
  /** ms since the epoch. */
  readonly grantedAt: number

  constructor(key: string, lease: Lease, grantedAt: number) {
    this.key = key
    this.lease = lease
    this.grantedAt = grantedAt
  }

  /** Why nothing more may be sent or stored under this turn; `undefined` while it is good. */
  readonly refusal = (): LeaseLostError | undefined => this.revoked ?? this.lease.lost()

  /** T1. Safe to repeat: the first reason stands. */
  readonly revoke = (reason: LeaseLostError["reason"], detail?: string): void => {
    this.revoked ??= new LeaseLostError({ key: this.key, reason, ...(detail === undefined ? {} : { detail }) })
  }
}

/**
 * The turn the running code acts under: how `bot.trigger`, `handoff` and abort know that they are inside one (R18).
 * A holder, because a conversation's fiber lives through many turns.
 */
export interface TurnHolder {
  readonly key: string
  turn: Turn | undefined
}
export const CurrentTurn = Context.Reference<TurnHolder | undefined>("@botmesh/core/CurrentTurn", {
  defaultValue: () => undefined
})
