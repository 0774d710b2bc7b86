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
import type { ClaimEnd, ClaimRow, GrantRow, TicketRow } from "../CoordinatorDriver.ts"
import { type CoordinationUnavailableError, LeaseLostError } from "../Errors.ts"

/** A hold or a waiting place that is to end, and its claim with it. */
export interface Ending extends TicketRow {
  readonly claim: ClaimEnd | undefined
}

/** What a lease needs of the coordinator. */
export interface Ends {
  /** Ends a hold or a waiting place at the backend; repairs itself when it fails (C7). */
  readonly end: (life: Life, ending: Ending) => Effect.Effect<void>
  /** The hold's fence above `above` (R19); `undefined` when the hold is not ours. */
  readonly regrant: (
    life: Life,
    row: TicketRow,
    above: number
  ) => Effect.Effect<number | undefined, CoordinationUnavailableError>
  readonly onLost: (error: LeaseLostError, lead: boolean) => void
  /** Our monotonic time, ms. */
  readonly monotonic: () => number
}

export class Held implements Lease {
  readonly key: string
  readonly previousHolder: string | undefined
  readonly ticket: string
  readonly epoch: string
  /** Monotonic ms. */
  readonly grantedAt: number
  fence: number
  private readonly life: Life
  private readonly ends: Ends
  private readonly claim: ClaimRow | undefined
  private readonly lead: boolean
  /** Its message was not lost. */
  private keep = true
  /** Why it is lost. The error is made when somebody asks: most leases end without. */
  private reason: LeaseLostError["reason"] | undefined = undefined
  private made: LeaseLostError | undefined = undefined
  private released = false
  private listeners: Array<(error: LeaseLostError) => void> = []

  constructor(life: Life, ends: Ends, waiter: Waiter, grant: GrantRow) {
    this.life = life
    this.ends = ends
    this.key = waiter.key
    this.ticket = waiter.ticket
    this.claim = waiter.claim
    this.lead = waiter.lead
    this.epoch = life.epoch
    this.fence = grant.fence
    this.previousHolder = grant.previousHolder === "" ? undefined : grant.previousHolder
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
  onLost = (listener: (error: LeaseLostError) => void): void => {
    if (this.released) return
    if (this.reason === undefined) this.listeners.push(listener)
    else listener(this.error(this.reason))
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
    this.ends.onLost(error, this.lead)
    for (const tell of this.listeners.splice(0)) tell(error)
  }
  regrant = (above: number): Effect.Effect<void, LeaseLostError | CoordinationUnavailableError> =>
    Effect.suspend(() => {
      const lost = this.lost()
      if (lost !== undefined) return Effect.fail(lost)
      if (this.fence > above) return Effect.void
      return Effect.flatMap(this.ends.regrant(this.life, this, above), (fence) => {
        if (fence === undefined) this.lose("superseded")
        else this.fence = Math.max(this.fence, fence)
        return this.check
      })
    })
  get release(): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.released) return Effect.void
      this.released = true
      const lost = this.reason !== undefined
      this.life.held.delete(this.ticket)
      this.reason ??= "ended"
      this.listeners = []
      // A lost lease is not ours to release: whoever holds the key now keeps it (COORD-08). Its claim is.
      return lost && this.claim === undefined ? Effect.void : this.end()
    })
  }
  get unclaim(): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.claim === undefined || !this.keep) return Effect.void
      this.keep = false
      return this.released ? this.end() : Effect.void
    })
  }
  /** What a ticket that is given up does with its grant; nothing after the release. */
  get giveUp(): Effect.Effect<void> {
    return Effect.suspend(() => (this.released ? Effect.void : Effect.andThen(this.unclaim, this.release)))
  }
  private end(): Effect.Effect<void> {
    const { claim, epoch, keep, key, ticket } = this
    const ends = claim === undefined ? undefined : { key: claim.key, owner: claim.owner, keep }
    return this.ends.end(this.life, { key, ticket, epoch, claim: ends })
  }
}

/** A ticket that waits for its grant. */
export interface Waiter {
  readonly key: string
  /** Its place among the waiters of this replica (I5). */
  readonly order: number
  ticket: string
  /** The epoch its ticket is of; the same ticket is asked for again as long as that lives. */
  ticketOf: string
  /** The epoch in which the backend is known to have its ticket. */
  placedIn: string
  /** Monotonic ms: when it last asked, or heard of, its place. */
  askedAt: number
  /** Monotonic ms: the last grant seen on its key (R23). */
  movedAt: number
  /** The fence of the hold before it, as last heard. */
  behind: number
  readonly claim: ClaimRow | undefined
  /** It waits for a lead, not for a turn. */
  readonly lead: boolean
  /** It was given up, or refused. */
  over: boolean
  /** It has a place, its grant, or no need of either any more. */
  readonly isPlaced: boolean
  readonly grant: (lease: Held) => void
  /** Another owner has the claim. */
  readonly refuse: () => void
}

/** So many keys are known a partition; then all are forgotten, which costs each of them one more read. */
const oursKept = 10_000

export class Life {
  readonly index: number
  epoch = ""
  /** Monotonic ms. */
  goodUntil = 0
  usedAt = 0
  readonly held = new Map<string, Held>()
  readonly waiting = new Map<string, Waiter>()
  /** Some of them have no place in this epoch yet: nobody else gets one before they do (I5). */
  unfinished = false
  /** A question is under way; another is to follow it. */
  asking = false
  askAgain = false
  /** Holds that were good by our clock when the backend knew their epoch no more: another may have their keys (R25). */
  unsure: ReadonlyArray<Held> = []
  /** Holds the backend says are ours and nobody here knows, as the last renewal saw them. */
  strangers: ReadonlySet<string> = new Set()
  /** Keys whose last turn we know of was one we took up here: only then is a previous holder that is us one we remember (R6). */
  private readonly ours = new Set<string>()
  /** Releases that failed: repeated at each renewal (C7). */
  readonly unreleased = new Map<string, Ending>()

  constructor(index: number) {
    this.index = index
  }
  /** Who waits, in local order. */
  inOrder(): Array<Waiter> {
    return [...this.waiting.values()].sort((one, other) => one.order - other.order)
  }
  get isIdle(): boolean {
    return this.held.size === 0 && this.waiting.size === 0 && this.unreleased.size === 0
  }
  /** A turn of the key was taken up here. */
  took(key: string): void {
    if (this.ours.size >= oursKept) this.ours.clear()
    this.ours.add(key)
  }
  isOurs(key: string): boolean {
    return this.ours.has(key)
  }
  /** A turn of the key may have been granted to us without our knowing. */
  doubt(key: string): void {
    this.ours.delete(key)
  }
  /** LF2 for all it holds, when our own clock says so. */
  loseExpired(now: number): void {
    if (now < this.goodUntil) return
    for (const lease of [...this.held.values()]) lease.lose("expired")
  }
}
