/**
 * Runs work under turns: takes the ticket, waits for the grant, bounds the hold, closes and releases.
 *
 * TR1 tickets are taken in the order of `submit`, at once (A8).
 * TR2 no turn is held longer than settle + 5 s from its grant: it is revoked, interrupted, and released even if the code
 *     does not stop; what runs on has no effect through us and is counted `overrun` (R17, I18). One whose lease is lost
 *     ends the same way, at once: `lease-lost` (C6).
 * TR3 a turn is released once, after its work has closed (design.md 5, 6-close).
 */
import { Cause, Context, Effect, Exit, Option } from "effect"
import { exitOf, isOver, whenDone } from "../model/Direct.ts"
import type { SuspendReason } from "../model/DropReason.ts"
import type { Lead } from "../outbound/Lifecycle.ts"
import { CurrentTurn, SuspendedBy, Turn, type TurnGuard, type TurnHolder } from "../outbound/Turn.ts"
import type { Claim, CoordinatorShape, Lease, Ticket } from "../spi/Coordinator.ts"
import type { CoordinationUnavailableError, LeaseLostError } from "../spi/Errors.ts"
import { TicketLanes, type TicketTaker } from "./TicketLanes.ts"
import type { Timer, Timers } from "./Timers.ts"

/** How long suspended code may take to stop before its turn is released without it, ms (R17). */
export const stopGrace = 5000
/** Of these, what is left to close it when the code has not stopped, ms. */
const closeGrace = 1000

export interface TurnWork {
  readonly holder: TurnHolder
  /** What is claimed with its ticket where replicas share the coordinator (R15). */
  readonly claim?: Claim | undefined
  /** Another replica has the claim; instead of everything else but `over`. */
  readonly duplicate?: () => void
  /** Does the work and closes it: settles and stores before it ends. */
  readonly run: (turn: Turn) => Effect.Effect<void>
  /** `run` came to its end. */
  readonly ended?: () => void
  /** The work was cut short: it died, or was suspended and stopped or not. Runs instead of the end of `run`. */
  readonly cut: (turn: Turn, exit: Exit.Exit<void>) => Effect.Effect<void>
  /** No turn could be had. */
  readonly unavailable: (error: CoordinationUnavailableError) => Effect.Effect<void>
  /** The turn is over, or was never had; last of all. */
  readonly over: () => void
}

export interface Turns {
  readonly submit: (work: TurnWork) => void
  /** Ends a turn before its time; safe to repeat. */
  readonly suspend: (turn: Turn, reason: SuspendReason) => void
  /** Submitted and not over. */
  readonly pending: () => number
  readonly active: { readonly has: (turn: Turn) => boolean; readonly turns: () => Iterable<Turn> }
}

export interface TurnsOptions {
  readonly coordinator: CoordinatorShape
  readonly timers: Timers
  /** Prefix of coordinator keys: tenant and bot (R21). */
  readonly scope: string
  /** ms. */
  readonly settle: number
  /** ms without a grant on a key before its waiters give up; the coordinator's own when absent (R23). */
  readonly turnWait: number | undefined
  readonly context: Context.Context<never>
  /** The lead that turns are begun under, where the transport has one (R12). */
  readonly lead?: () => Lead | undefined
  readonly onGranted: (turn: Turn) => void
  readonly onSuspended: (turn: Turn, reason: SuspendReason) => void
  /** Its lease is lost; told once, before it is suspended for it. */
  readonly onLost: (turn: Turn, error: LeaseLostError) => void
  /** Nothing is submitted any more. */
  readonly onQuiet: () => void
  readonly onOverrun: (turn: Turn) => void
}

export const makeTurns = (options: TurnsOptions): Turns => {
  const all = new AllTurns(options)
  return {
    submit: (work) => {
      all.pending++
      all.lanes.submit(new Hold(all, work))
    },
    suspend: (turn, reason) => turn.guard?.suspend(turn, reason),
    pending: () => all.pending,
    active: { has: (turn) => !turn.closed, turns: () => all.turns() }
  }
}

/** What all turns of a bot share; those that are held stand in a row, for a turn comes and goes with every message. */
class AllTurns {
  pending = 0
  newest: Hold | undefined = undefined
  readonly lanes = new TicketLanes()
  readonly options: TurnsOptions
  constructor(options: TurnsOptions) {
    this.options = options
  }
  add(hold: Hold): void {
    hold.older = this.newest
    if (this.newest !== undefined) this.newest.newer = hold
    this.newest = hold
  }
  remove(hold: Hold): void {
    if (hold.newer === undefined) this.newest = hold.older
    else hold.newer.older = hold.older
    if (hold.older !== undefined) hold.older.newer = hold.newer
    hold.older = undefined
    hold.newer = undefined
  }
  turns(): ReadonlyArray<Turn> {
    const found: Array<Turn> = []
    for (let hold = this.newest; hold !== undefined; hold = hold.older)
      if (hold.turn !== undefined) found.push(hold.turn)
    return found.reverse()
  }
}

/** One submitted work and the turn it waits for, then holds: a single object, since every message has one. */
class Hold implements TurnGuard, TicketTaker {
  older: Hold | undefined = undefined
  newer: Hold | undefined = undefined
  turn: Turn | undefined = undefined
  taken = false
  private limit: Timer | undefined = undefined
  private closing = false
  private fiber: Turn["fiber"] = undefined
  private readonly all: AllTurns
  private readonly work: TurnWork

  constructor(all: AllTurns, work: TurnWork) {
    this.all = all
    this.work = work
  }

  get key(): string {
    return this.work.holder.key
  }
  /** TR1: the next of the key may take its ticket. */
  private ticketTaken(): void {
    if (this.taken) return
    this.taken = true
    this.all.lanes.taken(this.key)
  }

  start(): void {
    const { context, scope } = this.all.options
    const { holder } = this.work
    const program = Effect.suspend(() => this.enqueue(holder.ticket ?? `${scope}/${holder.key}`))
    this.fiber = Effect.runForkWith(Context.add(context, CurrentTurn, holder))(program)
    const { turn } = this
    if (turn === undefined || turn.closed) return
    turn.fiber = this.fiber
    this.bound(turn)
  }

  private enqueue(name: string): Effect.Effect<void> {
    const { coordinator, turnWait } = this.all.options
    const claim = coordinator.shared ? this.work.claim : undefined
    return claim === undefined
      ? whenDone(coordinator.enqueue(name, turnWait), {
          onSuccess: (ticket) => this.wait(ticket),
          onFailure: (cause) => this.unavailable(cause)
        })
      : Effect.matchCauseEffect(coordinator.enqueueOnce(name, claim, turnWait), {
          onSuccess: (ticket) => (Option.isSome(ticket) ? this.wait(ticket.value) : this.duplicate()),
          onFailure: (cause) => this.unavailable(cause)
        })
  }

  private wait(ticket: Ticket): Effect.Effect<void> {
    this.ticketTaken()
    const { granted } = ticket
    // Mostly nobody else wants the key, and the lease is there already.
    if (isOver(granted) && granted._tag === "Success") return this.granted(granted.value)
    return Effect.matchCauseEffect(
      Effect.onInterrupt(granted, () => ticket.cancel),
      { onSuccess: (lease) => this.granted(lease), onFailure: (cause) => this.unavailable(cause) }
    )
  }

  private granted(lease: Lease): Effect.Effect<void> {
    const { holder } = this.work
    const turn = new Turn(holder.key, lease, this.all.options.timers.now(), this, this.all.options.lead?.())
    holder.turn = turn
    this.turn = turn
    this.all.add(this)
    this.all.options.onGranted(turn)
    if (lease.onLost !== undefined) {
      lease.onLost((error) => this.lost(turn, error))
      // Frozen since the grant: nothing of it begins.
      if (lease.lost() !== undefined) return Effect.uninterruptible(this.close(turn, Exit.void))
    }
    turn.fiber = this.fiber
    // Registered only once the work waits for something: most turns end before they would need a limit.
    if (this.fiber !== undefined) this.bound(turn)
    return Effect.onExit(this.work.run(turn), (exit) => {
      if (exit._tag === "Failure") return this.close(turn, exit)
      this.work.ended?.()
      if (turn.then.length === 0 || turn.suspended !== undefined) return this.close(turn, exit)
      // Work like any other: it can be suspended, and is cut when it does not stop (R17).
      return Effect.onExit(Effect.interruptible(followUp(turn)), (followed) => this.close(turn, followed))
    })
  }

  private bound(turn: Turn): void {
    if (turn.closed || turn.suspended !== undefined) return
    this.limit = this.all.options.timers.at(turn.grantedAt + this.all.options.settle, () =>
      this.suspend(turn, "settle")
    )
  }

  suspend(turn: Turn, reason: SuspendReason): void {
    if (turn.closed || turn.suspended !== undefined) return
    turn.suspended = reason
    turn.revoke(reason === "lease-lost" ? "expired" : "revoked", reason)
    this.all.options.onSuspended(turn, reason)
    this.limit?.cancel()
    this.limit = this.all.options.timers.at(this.all.options.timers.now() + stopGrace - closeGrace, () =>
      this.overrun(turn)
    )
    if (turn.driven !== undefined) turn.driven.suspend(reason)
    else turn.fiber?.interruptUnsafe(undefined, Context.make(SuspendedBy, reason))
  }

  /** Its permit goes first, whoever finds out (R17): also the very code that runs under it, by asking. */
  private lost(turn: Turn, error: LeaseLostError): void {
    turn.revoke(error.reason)
    this.all.options.onLost(turn, error)
    this.suspend(turn, "lease-lost")
  }

  /** TR2: the code does not stop. What closes the turn gets a last moment; then it ends whatever still runs. */
  private overrun(turn: Turn): void {
    if (turn.closed) return
    const run = Effect.runForkWith(this.all.options.context)
    this.all.options.onOverrun(turn)
    this.limit = this.all.options.timers.at(this.all.options.timers.now() + closeGrace, () => void run(this.end(turn)))
    run(this.close(turn, Exit.void))
    // Where it only waits for the code that will not stop, its own work is over too.
    turn.fiber?.interruptUnsafe(undefined, Context.make(SuspendedBy, turn.suspended ?? "settle"))
  }

  private close(turn: Turn, exit: Exit.Exit<void>): Effect.Effect<void> {
    if (this.closing) return Effect.void
    this.closing = true
    if (exit._tag === "Success" && turn.suspended === undefined) return this.end(turn)
    return Effect.flatMap(Effect.exit(Effect.suspend(() => this.cut(turn, exit))), () => this.end(turn))
  }

  /** What was to follow and does not any more is told, beside the cut itself: neither waits for the other. */
  private cut(turn: Turn, exit: Exit.Exit<void>): Effect.Effect<void> {
    const lost = turn.then.splice(0)
    if (lost.length === 0) return this.work.cut(turn, exit)
    return Effect.all([...lost.map((one) => one.lost), this.work.cut(turn, exit)], {
      concurrency: "unbounded",
      discard: true
    })
  }

  /** Releases the turn, closed or not. Safe to repeat. */
  private end(turn: Turn): Effect.Effect<void> {
    if (turn.closed) return Effect.void
    turn.closed = true
    this.limit?.cancel()
    this.all.remove(this)
    turn.revoke("ended")
    const { holder } = this.work
    if (holder.turn === turn) holder.turn = undefined
    const { release } = turn.lease
    if (exitOf(release) === undefined) return Effect.map(release, () => this.over())
    this.over()
    return Effect.void
  }

  private over(): void {
    this.all.pending--
    this.work.over()
    if (this.all.pending === 0) this.all.options.onQuiet()
  }

  private duplicate(): Effect.Effect<void> {
    this.ticketTaken()
    return Effect.sync(() => {
      this.work.duplicate?.()
      this.over()
    })
  }
  private unavailable(cause: Cause.Cause<CoordinationUnavailableError>): Effect.Effect<void> {
    this.ticketTaken()
    const error = Cause.findErrorOption(cause)
    return Effect.map(
      error._tag === "Some" ? this.work.unavailable(error.value) : Effect.logError("died waiting for a turn", cause),
      () => this.over()
    )
  }
}

/** What the handler asked to happen next in this turn, and what that asks for in its turn (R18); `Turn.follow` bounds it. */
const followUp = Effect.fnUntraced(function* (turn: Turn) {
  while (turn.suspended === undefined) {
    const next = turn.then.shift()
    if (next === undefined) return
    turn.following++
    // One that a conversation was started for is told by what becomes of that conversation.
    yield* Effect.onInterrupt(next.run, () => (turn.driven === undefined ? next.lost : Effect.void))
  }
})
