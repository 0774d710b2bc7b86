/**
 * What the acts of a conversation stand on: each begins an op of the log, is stored ahead of what it sends or runs, and
 * parks where it waits (R2, R16, R22).
 *
 * O1 before a send or a run starts, every earlier op is stored (persistent conversations).
 * O2 an op that is done is never done again: a replay returns what the log says.
 */
import { Cause, Effect, type Exit } from "effect"
import { raise } from "../chat/Control.ts"
import type { Content, Outgoing, Receipt } from "../model/Content.ts"
import type { SendFailure } from "../outbound/Send.ts"
import { LeaseLostError } from "../spi/Errors.ts"
import type { Checkpoints } from "./Checkpoints.ts"
import { LogFull, type OpFailure, OpInProgress } from "./Conversation.ts"
import type { ConversationPort } from "./ConversationPort.ts"
import { type Live, type Resting, resting, type Signal } from "./Live.ts"
import type { Lives } from "./Lives.ts"
import { type LiveOp, OpLog, type OpKind } from "./OpLog.ts"
import { replayFailure } from "./RecordedFailure.ts"

export class Recorder {
  readonly live: Live
  readonly port: ConversationPort
  private readonly checkpoints: Checkpoints
  private readonly lives: Lives
  /** Gives the conversation a turn when its program left a wait by itself (a race, a timeout). */
  private readonly takeTurn: (live: Live) => Effect.Effect<void, LeaseLostError>

  constructor(
    live: Live,
    port: ConversationPort,
    checkpoints: Checkpoints,
    lives: Lives,
    takeTurn: (live: Live) => Effect.Effect<void, LeaseLostError>
  ) {
    this.live = live
    this.port = port
    this.checkpoints = checkpoints
    this.lives = lives
    this.takeTurn = takeTurn
  }

  get lang(): string {
    return (this.live.current ?? this.live.origin).lang ?? ""
  }

  /** Begins an op, and records how it ended: done, failed (L5) or given up by the program itself (L3). */
  protected recorded<A, E>(
    kind: OpKind,
    name: string,
    act: (op: LiveOp) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | OpFailure> {
    return Effect.suspend(() => this.begun(kind, name, act))
  }
  /** The same at once, for an effect that begins here. */
  protected begun<A, E>(
    kind: OpKind,
    name: string,
    act: (op: LiveOp) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | OpFailure> {
    const { live } = this
    if (this.isOver) return this.refused()
    const begun = live.log.begin(kind, name)
    switch (begun._tag) {
      case "busy":
        return Effect.fail(new OpInProgress({ open: begun.open, second: name }))
      case "full":
        return this.overflow(kind, name, act, begun)
      case "changed":
        return raise({ _tag: "changed", detail: begun.detail })
      case "failed": {
        // What was recorded is what the program failed with then: of its own error type.
        const error = replayFailure(begun.failure) as E
        return begun.failure.died === true ? Effect.die(error) : Effect.fail(error)
      }
      case "op": {
        const { op } = begun
        if (op.cut === true) return this.neverAgain
        if (op.done) return act(op)
        return this.guarded(op, act)
      }
    }
  }
  /** The act is made inside: what it did before it waits is not held on to while it waits. */
  private guarded<A, E>(op: LiveOp, act: (op: LiveOp) => Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.onExit(
      Effect.suspend(() => act(op)),
      (exit) => {
        if (exit._tag === "Failure" && !op.done) this.unfinished(op, exit)
        return Effect.void
      }
    )
  }
  /** L3, L5. A suspended op stays open: it goes on when the step is resumed. */
  private unfinished<A, E>(op: LiveOp, exit: Exit.Failure<A, E>): void {
    const { live } = this
    if (live.suspending !== undefined || live.gone) return
    live.dirty = true
    if (Cause.hasInterruptsOnly(exit.cause)) return live.log.cut(op)
    const error = Cause.findErrorOption(exit.cause)
    if (error._tag === "Some") live.log.fail(op, error.value, false)
    else live.log.fail(op, Cause.squash(exit.cause), true)
  }
  /** L4. Only persistence needs the log: else it begins again, under new keys. */
  private overflow<A, E>(
    kind: OpKind,
    name: string,
    act: (op: LiveOp) => Effect.Effect<A, E>,
    full: { readonly ops: number; readonly bytes: number }
  ): Effect.Effect<A, E | OpFailure> {
    const { live } = this
    if (live.program.options.persistent) return Effect.fail(new LogFull({ ops: full.ops, bytes: full.bytes }))
    live.visit++
    live.forgetful = true
    live.log = new OpLog()
    return this.recorded(kind, name, act)
  }
  /** A replay meets an op its program once gave up: the turn is freed until the program gives it up again (R22). */
  private get neverAgain(): Effect.Effect<never> {
    return Effect.callback<never>(() => this.live.settle({ _tag: "parked" }))
  }

  finish(op: LiveOp): void {
    this.live.log.done(op)
    this.live.cuts = 0
    this.live.dirty = true
  }

  /** O1: stores what is not stored yet. Takes a turn first when the program runs outside one. */
  flush(): Effect.Effect<void, OpFailure> {
    return Effect.suspend(() => {
      const { live } = this
      const { turn } = live.holder
      if (this.isOver) return this.refused()
      if (turn === undefined) return Effect.andThen(this.takeTurn(live), this.flush())
      const refusal = turn.refusal()
      if (refusal !== undefined) return Effect.fail(refusal)
      if (!live.program.options.persistent || !live.dirty) return Effect.void
      return Effect.onExit(this.checkpoints.save(live, turn), (exit) => {
        if (exit._tag === "Success") return Effect.void
        live.dirty = true
        const found = Cause.findErrorOption(exit.cause)
        // R6: a write that was refused or failed may or may not stand; the copy that wrote it is of no use any more.
        if (found._tag === "Some" && found.value._tag !== "NotStorable") {
          live.failure = Cause.fail(found.value)
          this.lives.interrupt(live, "lease-lost")
        }
        return Effect.void
      })
    })
  }
  /** Suspended or replaced: its code may run on, nothing of it is accepted (R17, C21). */
  protected get isOver(): boolean {
    return this.live.gone || this.live.suspending !== undefined
  }
  protected refused(): Effect.Effect<never, LeaseLostError> {
    return Effect.fail(new LeaseLostError({ key: this.live.key, reason: "revoked" }))
  }
  /** Stores a result at once: it must never be computed again (R2). */
  protected stored(): Effect.Effect<void, OpFailure> {
    return this.live.program.kind === "flow" && this.live.program.nodes[this.live.at]?.step._tag === "run"
      ? Effect.void
      : this.flush()
  }

  /** Sends under the conversation's turn, after what came before is stored. */
  deliver(content: Content, key: string): Effect.Effect<Receipt, SendFailure | OpFailure> {
    const { live, port } = this
    const about = live.current ?? live.origin
    const message: Outgoing = {
      chatId: live.origin.from,
      content,
      key,
      ...(about.topic === undefined ? {} : { topic: about.topic })
    }
    return Effect.andThen(this.flush(), port.outbound.send(live.holder, message))
  }

  /**
   * Waits without a turn until something ends the wait (C2), or leaves the step at it (C4). Called where the wait begins.
   */
  park(wait: NonNullable<Live["wait"]>): Effect.Effect<Parted | Resting, LeaseLostError> {
    const { live } = this
    if (this.isOver) return this.refused()
    // Parking is what a turn stores: a program that runs outside one takes one for it.
    if (live.holder.turn === undefined) return Effect.flatMap(this.takeTurn(live), () => this.park(wait))
    if (!live.mayRest) return this.parked(wait)
    live.wait = wait
    live.dirty = true
    return rests
  }
  private parked(wait: NonNullable<Live["wait"]>): Effect.Effect<Parted> {
    const { live } = this
    return Effect.callback<Parted>((resume) => {
      const wake = (signal: Signal): void => {
        const left = live.wait ?? wait
        live.resume = undefined
        live.wait = undefined
        resume(Effect.succeed({ signal, wait: left }))
      }
      live.wait = wait
      live.dirty = true
      live.resume = wake
      live.settle({ _tag: "parked" })
      return Effect.sync(() => {
        if (live.resume !== wake) return
        live.resume = undefined
        if (live.gone) return
        // A suspended wait is kept as it is: its deadline goes on (C23).
        if (live.suspending !== undefined) return
        live.wait = undefined
        live.clearTimer()
      })
    })
  }
}

const rests = Effect.succeed(resting)

/** What ended a wait, and the wait as it was then: its deadlines may have been moved (B14). */
export interface Parted {
  readonly signal: Signal
  readonly wait: NonNullable<Live["wait"]>
}
