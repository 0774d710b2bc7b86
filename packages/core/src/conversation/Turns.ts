/**
 * Runs work under turns: takes the ticket, waits for the grant, bounds the hold, closes and releases.
 *
 * TR1 tickets are taken in the order of `submit`, at once (A8).
 * TR2 no turn is held longer than settle + 5 s from its grant: it is revoked, interrupted, and released even if the code
 *     does not stop; what runs on has no effect through us and is counted `overrun` (R17, I18).
 * TR3 a turn is released once, after its work has closed (design.md 5, 6-close).
 */
import { Cause, Context, Effect, Exit } from "effect"
import type { SuspendReason } from "../model/DropReason.ts"
import { CurrentTurn, SuspendedBy, Turn, type TurnHolder } from "../outbound/Turn.ts"
import type { CoordinatorShape, Lease } from "../spi/Coordinator.ts"
import type { CoordinationUnavailableError } from "../spi/Errors.ts"
import type { Timer, Timers } from "./Timers.ts"

/** How long suspended code may take to stop before its turn is released without it, ms (R17). */
export const stopGrace = 5000
/** Of these, what is left to close it when the code has not stopped, ms. */
const closeGrace = 1000

export interface TurnWork {
  readonly holder: TurnHolder
  /** Does the work and closes it: settles and stores before it ends. */
  readonly run: (turn: Turn) => Effect.Effect<void>
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
  readonly context: Context.Context<never>
  readonly onGranted: (turn: Turn) => void
  readonly onSuspended: (turn: Turn, reason: SuspendReason) => void
  /** Nothing is submitted any more. */
  readonly onQuiet: () => void
  readonly onOverrun: (turn: Turn) => void
}

export const makeTurns = (options: TurnsOptions): Turns => {
  const { context, coordinator, scope, settle, timers } = options
  const active = new Map<Turn, Hold>()
  let pending = 0

  const suspend = (turn: Turn, reason: SuspendReason): void => {
    const hold = active.get(turn)
    if (hold === undefined || turn.closed || turn.suspended !== undefined) return
    turn.suspended = reason
    turn.revoke(reason === "lease-lost" ? "expired" : "revoked", reason)
    options.onSuspended(turn, reason)
    hold.limit?.cancel()
    hold.limit = timers.at(timers.now() + stopGrace - closeGrace, () => overrun(turn, hold))
    if (turn.driven !== undefined) turn.driven.suspend(reason)
    else turn.fiber?.interruptUnsafe(undefined, Context.make(SuspendedBy, reason))
  }
  /** TR2: the code does not stop. What closes the turn gets a last moment; then it ends whatever still runs. */
  const overrun = (turn: Turn, hold: Hold): void => {
    if (turn.closed) return
    options.onOverrun(turn)
    hold.limit = timers.at(timers.now() + closeGrace, () => void Effect.runForkWith(context)(hold.end()))
    Effect.runForkWith(context)(hold.close(Exit.void))
    // Where it only waits for the code that will not stop, its own work is over too.
    turn.fiber?.interruptUnsafe(undefined, Context.make(SuspendedBy, turn.suspended ?? "settle"))
  }
  const bound = (turn: Turn): void => {
    const hold = active.get(turn)
    if (hold !== undefined) hold.limit = timers.at(turn.grantedAt + settle, () => suspend(turn, "settle"))
  }

  /** TR1: where the ticket of an earlier one is still on its way, the next waits for it to be taken. */
  const lanes = new Map<string, TicketLane>()
  const submit = (work: TurnWork): void => {
    const { key } = work.holder
    pending++
    const lane = lanes.size === 0 ? undefined : lanes.get(key)
    if (lane !== undefined) {
      lane.waiting.push(work)
      return
    }
    const ticket = start(work, () => ticketTaken(key))
    if (!ticket.taken) lanes.set(key, { waiting: [], draining: false, ticket })
  }
  const ticketTaken = (key: string): void => {
    const lane = lanes.size === 0 ? undefined : lanes.get(key)
    if (lane === undefined || lane.draining) return
    lane.draining = true
    while (lane.ticket.taken) {
      const next = lane.waiting.shift()
      if (next === undefined) {
        lanes.delete(key)
        return
      }
      lane.ticket = start(next, () => ticketTaken(key))
    }
    lane.draining = false
  }

  const start = (work: TurnWork, taken: () => void): { taken: boolean } => {
    const { holder } = work
    const ticketState = { taken: false }
    const over = (): void => {
      pending--
      work.over()
      if (pending === 0) options.onQuiet()
    }
    const key = `${scope}/${holder.key}`
    let fiber: Turn["fiber"]
    let current: Turn | undefined
    const end = (turn: Turn, hold: Hold): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (turn.closed) return Effect.void
        turn.closed = true
        hold.limit?.cancel()
        active.delete(turn)
        turn.revoke("ended")
        if (holder.turn === turn) holder.turn = undefined
        return Effect.andThen(turn.lease.release, Effect.sync(over))
      })
    const closing = (turn: Turn, hold: Hold, exit: Exit.Exit<void>): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (hold.closing) return Effect.void
        hold.closing = true
        if (exit._tag === "Failure" || turn.suspended !== undefined) {
          return Effect.flatMap(Effect.exit(work.cut(turn, exit)), () => end(turn, hold))
        }
        return turn.then.length === 0
          ? end(turn, hold)
          : Effect.flatMap(Effect.exit(followUp(turn)), () => end(turn, hold))
      })
    const granted = (lease: Lease): Effect.Effect<void> => {
      const turn = new Turn(holder.key, lease, timers.now())
      const hold: Hold = {
        limit: undefined,
        closing: false,
        close: (exit) => closing(turn, hold, exit),
        end: () => end(turn, hold)
      }
      holder.turn = turn
      current = turn
      turn.fiber = fiber
      active.set(turn, hold)
      options.onGranted(turn)
      // Registered only once the work waits for something: most turns end before they would need a limit.
      if (fiber !== undefined) bound(turn)
      return Effect.onExit(work.run(turn), hold.close)
    }
    const unavailable = (cause: Cause.Cause<CoordinationUnavailableError>) => {
      const error = Cause.findErrorOption(cause)
      return Effect.andThen(
        error._tag === "Some" ? work.unavailable(error.value) : Effect.logError("died waiting for a turn", cause),
        Effect.sync(over)
      )
    }
    const settled = (): void => {
      if (ticketState.taken) return
      ticketState.taken = true
      taken()
    }
    const ticketed = Effect.flatMap(coordinator.enqueue(key), (ticket) => {
      settled()
      return Effect.onInterrupt(ticket.granted, () => ticket.cancel)
    })
    const program = Effect.matchCauseEffect(ticketed, {
      onSuccess: granted,
      onFailure: (cause) => {
        settled()
        return unavailable(cause)
      }
    })
    fiber = Effect.runForkWith(Context.add(context, CurrentTurn, holder))(program)
    if (current !== undefined && !current.closed) {
      current.fiber = fiber
      bound(current)
    }
    return ticketState
  }
  return {
    submit,
    suspend,
    pending: () => pending,
    active: { has: (turn) => active.has(turn), turns: () => active.keys() }
  }
}

/** What the handler asked to happen next in this turn; what that asks for in its turn too, within a bound (R18). */
const followUp = Effect.fnUntraced(function* (turn: Turn) {
  for (let n = 0; n < 100; n++) {
    const next = turn.then.shift()
    if (next === undefined) return
    yield* next
  }
})

interface TicketLane {
  readonly waiting: Array<TurnWork>
  draining: boolean
  ticket: { readonly taken: boolean }
}
interface Hold {
  closing: boolean
  limit: Timer | undefined
  readonly close: (exit: Exit.Exit<void>) => Effect.Effect<void>
  /** Releases the turn, closed or not. Safe to repeat. */
  readonly end: () => Effect.Effect<void>
}
