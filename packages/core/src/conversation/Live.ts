/**
 * One conversation in this process: its checkpoint in decoded form and, while it runs or waits here, its fiber.
 *
 * C1 `state` is that of step entry; what the step did since is in its log (R22).
 * C2 while it is parked it holds no turn: `holder.turn` is undefined and every act of its code fails (R17).
 * C3 it is driven by one turn at a time; `settled` is called once for each drive.
 * C4 a step that only waits (a flow's own question or delay) holds no fiber meanwhile: the signal that ends its wait runs
 *    it again from its log, as after a restart.
 */
import type { Cause, Fiber } from "effect"
import type { Checkpoint, Op, SavedMessage, Wait } from "../model/Checkpoint.ts"
import type { SuspendReason } from "../model/DropReason.ts"
import type { Bind } from "../model/Erased.ts"
import type { Driven, Turn, TurnHolder } from "../outbound/Turn.ts"
import type { LeaseLostError } from "../spi/Errors.ts"
import type { StoreError } from "../spi/Store.ts"
import { type LiveOp, OpLog } from "./OpLog.ts"
import type { Program } from "./Program.ts"
import type { State } from "./Step.ts"
import type { Timer } from "./Timers.ts"
import type { Parked, Signal } from "./Waiter.ts"

/** A flow or conversation as the bot knows it, with the services it was registered with. */
export interface Registered {
  readonly id: string
  readonly program: Program
  readonly bind: Bind
}

/** What a step gives back that let its fiber go at its wait (C4). */
export const resting = Symbol("resting")
export type Resting = typeof resting

/** How a drive came to rest. */
export type Settled =
  | { readonly _tag: "parked" }
  | { readonly _tag: "ended"; readonly outcome: Outcome }
  | { readonly _tag: "failed"; readonly cause: Cause.Cause<unknown> }
  | { readonly _tag: "cut"; readonly reason: SuspendReason }
  /** A write of its own was refused or failed in mid-step: the live copy is no longer the truth (R6). */
  | { readonly _tag: "lost"; readonly cause: Cause.Cause<StoreError | LeaseLostError> }

/** How a conversation ends by its own doing. */
export type Outcome = "done" | "timeout" | "gave-up" | "cancelled" | "changed"

const none: ReadonlyArray<never> = []

/** Is the holder of the turn that its code acts under. */
export class Live implements Driven, TurnHolder {
  readonly key: string
  readonly id: string
  turn: Turn | undefined = undefined
  readonly origin: SavedMessage
  registered: Registered
  state: State
  /** Index of the step in the program. */
  at: number
  visit: number
  log: OpLog
  /** What it waits for: the one truth about its deadlines, also for the fiber that is parked on it. */
  wait: Wait | undefined = undefined
  /** The wait it was resumed from: taken over by the op it belongs to once the replay gets there (C23). */
  recalled: Wait | undefined = undefined
  pending: ReadonlyArray<SavedMessage>
  /** Never changed but replaced, like `pending`: most have none, and share that. */
  trail: ReadonlyArray<string>
  cuts: number
  applied: Array<string>
  /** 0 while nothing of this run is stored. */
  revision: number
  /** When what is stored of it ends, ms since the epoch; of a conversation that is not persistent, once it has waited (C18). */
  expires: number | undefined = undefined
  /** What it began with; absent when that was nothing. */
  initial: Checkpoint["initial"] = undefined
  /** Something of the position is not stored yet. */
  dirty = true
  fiber: Fiber.Fiber<unknown, unknown> | undefined = undefined
  /** What its fiber is parked on. */
  parked: Parked | undefined = undefined
  /** It waits where its step left it and has no fiber: C4. */
  rests = false
  /** What ended the wait of a step that rested, until that step takes it up. */
  private ended: Signal | undefined = undefined
  /** Told when the drive that goes on now comes to rest. */
  settled: ((settled: Settled) => void) | undefined = undefined
  suspending: SuspendReason | undefined = undefined
  /** The turn that drives it, until it rests; `holder.turn` is taken from its code earlier when it is suspended. */
  driver: Turn | undefined = undefined
  /** Set when a write in mid-step was refused or failed. */
  failure: Cause.Cause<StoreError | LeaseLostError> | undefined = undefined
  timer: Timer | undefined = undefined
  /** The wait the timer was set for: it acts on no other. */
  armed: Wait | undefined = undefined
  /** The message it handles now, `undefined` in a timer or while parked. */
  current: SavedMessage | undefined = undefined
  reminder: { readonly after: number; readonly text: string } | undefined = undefined
  /** Since it last waited for a person or slept long. */
  stepsSinceWait = 0
  gotosSinceWait = 0
  /** No longer the conversation of its key: whatever its code still does has no effect. */
  gone = false
  /** Its log was let go because it needs none (not persistent): a cut step of it cannot be replayed. */
  forgetful = false

  constructor(
    key: string,
    id: string,
    registered: Registered,
    origin: SavedMessage,
    state: State,
    at: number,
    from?: Pick<
      Checkpoint,
      "visit" | "ops" | "pending" | "trail" | "cuts" | "applied" | "revision" | "wait" | "expires" | "initial"
    >
  ) {
    this.key = key
    this.id = id
    this.registered = registered
    this.origin = origin
    this.state = state
    this.at = at
    this.visit = from?.visit ?? 1
    this.log = new OpLog(from?.ops)
    this.pending = from?.pending ?? none
    this.trail = from?.trail ?? none
    this.cuts = from?.cuts ?? 0
    this.applied = from === undefined ? [] : [...from.applied]
    this.revision = from?.revision ?? 0
    this.wait = from?.wait
    this.expires = from?.expires
    this.initial = from?.initial
    this.dirty = from === undefined
  }

  get holder(): TurnHolder {
    return this
  }
  /** What it does is stored: for good, or until it expires. */
  get isKept(): boolean {
    return this.expires !== undefined || this.program.options.persistent
  }
  get program(): Program {
    return this.registered.program
  }
  get stepId(): string {
    return this.program.nodes[this.at]?.id ?? ""
  }

  /** Moves to another step: C1. */
  enter(at: number, state: State): void {
    this.at = at
    this.state = state
    this.visit++
    this.cuts = 0
    this.log = new OpLog()
    this.recalled = undefined
    this.dirty = true
    this.forgetful = false
  }

  /** The outbox key and idempotency key of an op: run, visit and op, never the revision (R1). */
  keyOf(op: LiveOp, part?: number | string): string {
    const key = `${this.id}:${this.visit}:${op.name}`
    return part === undefined ? key : `${key}.${part}`
  }

  /** The same step again with a part of its log, under new keys. */
  rewind(ops: ReadonlyArray<Op>): void {
    this.visit++
    this.cuts = 0
    this.log = new OpLog(ops)
    this.dirty = true
  }

  suspend(reason: SuspendReason): void {
    this.interrupt?.(this, reason)
  }
  /** It waits in this process for a signal: with a fiber or, C4, without. */
  get isParked(): boolean {
    return this.rests || this.parked !== undefined
  }
  /** Whether its step does nothing but wait when it waits, and so needs no fiber for that: C4. */
  get mayRest(): boolean {
    const step = this.program.nodes[this.at]?.step._tag
    return step === "ask" || step === "choose" || step === "delay"
  }
  /** Ends its wait; `run` starts the step of one that rests. The caller drives it. */
  wake(signal: Signal, run: (live: Live) => void): void {
    const { parked, wait } = this
    if (parked !== undefined && wait !== undefined) {
      this.parked = undefined
      this.wait = undefined
      return parked.wake({ signal, wait })
    }
    this.ended = signal
    // It was counted when it was entered.
    this.stepsSinceWait--
    run(this)
  }
  /** What ended the wait of the step that runs again: given once. */
  takeSignal(): Signal | undefined {
    const signal = this.ended
    this.ended = undefined
    return signal
  }
  /** Set by the runtime, which knows how to annotate the interruption. */
  interrupt: ((live: Live, reason: SuspendReason) => void) | undefined = undefined

  /** C3. */
  settle(settled: Settled): void {
    const { driver, settled: done } = this
    if (driver?.driven === this) driver.driven = undefined
    this.settled = undefined
    this.turn = undefined
    this.driver = undefined
    this.current = undefined
    // Short sleeps and cuts do not count as waits: a ring with a pause in it is a ring (DOC-01).
    if (settled._tag === "parked" && this.wait !== undefined) {
      this.stepsSinceWait = 0
      this.gotosSinceWait = 0
    }
    done?.(settled)
  }
  clearTimer(): void {
    this.timer?.cancel()
    this.timer = undefined
  }
}
