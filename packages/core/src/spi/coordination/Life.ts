/**
 * One replica's life in one partition: its epoch, what it holds there and what it waits for (R3).
 *
 * LF1 a lease is good only while its epoch was renewed in time by our own monotonic clock: send time of the last good
 *     renewal + lease − margin. No I/O decides it.
 * LF2 lost latches: nothing makes a lost lease good again.
 * LF3 a new epoch ends every lease of the old one and takes its waiting tickets along, in local order.
 */
import { Effect } from "effect"
import type { Lease } from "../Coordinator.ts"
import { LeaseLostError } from "../Errors.ts"

/** What a lease or a ticket needs of the coordinator. */
export interface Ends {
  /** Ends a hold or a waiting place at the backend; repairs itself when it fails (C7). */
  readonly end: (life: Life, key: string, ticket: string, epoch: string) => Effect.Effect<void>
  /** Our monotonic time, ms. */
  readonly monotonic: () => number
}

export class Held implements Lease {
  readonly key: string
  readonly fence: number
  readonly previousHolder: string | undefined
  readonly ticket: string
  readonly epoch: string
  /** Monotonic ms. */
  readonly grantedAt: number
  private readonly life: Life
  private readonly ends: Ends
  /** Why it is lost. The error is made when somebody asks: most leases end without. */
  private reason: LeaseLostError["reason"] | undefined = undefined
  private made: LeaseLostError | undefined = undefined
  private released = false
  private listeners: Array<(error: LeaseLostError) => void> = []

  constructor(life: Life, ends: Ends, key: string, ticket: string, epoch: string, fence: number, previous: string) {
    this.life = life
    this.ends = ends
    this.key = key
    this.ticket = ticket
    this.epoch = epoch
    this.fence = fence
    this.previousHolder = previous === "" ? undefined : previous
    this.grantedAt = ends.monotonic()
  }

  /** LF1, LF2. */
  lost = (): LeaseLostError | undefined => {
    if (this.reason !== undefined) return this.error(this.reason)
    if (this.life.epoch !== this.epoch) this.lose("superseded")
    else if (this.ends.monotonic() >= this.life.goodUntil) this.lose("expired")
    return this.made
  }
  private error(reason: LeaseLostError["reason"]): LeaseLostError {
    return (this.made ??= new LeaseLostError({ key: this.key, reason }))
  }
  get check(): Effect.Effect<void, LeaseLostError> {
    return Effect.suspend(() => {
      const lost = this.lost()
      return lost === undefined ? Effect.void : Effect.fail(lost)
    })
  }
  get whenLost(): Effect.Effect<LeaseLostError> {
    return Effect.callback((resume) => {
      const tell = (error: LeaseLostError): void => resume(Effect.succeed(error))
      if (this.reason !== undefined && !this.released) return tell(this.error(this.reason))
      this.listeners.push(tell)
      return Effect.sync(() => {
        this.listeners = this.listeners.filter((listener) => listener !== tell)
      })
    })
  }
  /** Safe to repeat: the first reason stands. */
  lose(reason: "expired" | "superseded" | "frozen" | "unavailable"): void {
    if (this.reason !== undefined) return
    this.reason = reason
    const error = this.error(reason)
    this.life.held.delete(this.ticket)
    for (const tell of this.listeners.splice(0)) tell(error)
  }
  get release(): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.released) return Effect.void
      this.released = true
      const lost = this.reason !== undefined
      this.life.held.delete(this.ticket)
      this.reason ??= "ended"
      this.listeners = []
      // A lost lease is not ours to release: whoever holds the key now keeps it (COORD-08).
      return lost ? Effect.void : this.ends.end(this.life, this.key, this.ticket, this.epoch)
    })
  }
}

/** A ticket that waits for its grant. */
export interface Waiter {
  readonly key: string
  ticket: string
  /** Monotonic ms: when it last asked, or heard of, its place. */
  askedAt: number
  /** Monotonic ms: the last grant seen on its key (R23). */
  movedAt: number
  readonly grant: (lease: Held) => void
}

export class Life {
  readonly index: number
  epoch = ""
  /** Monotonic ms. */
  goodUntil = 0
  usedAt = 0
  readonly held = new Map<string, Held>()
  /** In local order. */
  readonly waiting = new Map<string, Waiter>()
  /** Holds the backend says are ours and nobody here knows, as the last renewal saw them. */
  strangers: ReadonlySet<string> = new Set()
  /** Releases that failed: repeated at each renewal (C7). */
  readonly unreleased = new Map<string, { readonly key: string; readonly epoch: string }>()

  constructor(index: number) {
    this.index = index
  }
  get isIdle(): boolean {
    return this.held.size === 0 && this.waiting.size === 0 && this.unreleased.size === 0
  }
  /** LF2 for all it holds, when our own clock says so. */
  loseExpired(now: number): void {
    if (now < this.goodUntil) return
    for (const lease of [...this.held.values()]) lease.lose("expired")
  }
}
