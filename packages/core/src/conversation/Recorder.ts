/**
 * What the acts of a conversation stand on: each begins an op of the log, is stored ahead of what it sends or runs, and
 * parks where it waits (R2, R16, R22).
 *
 * O1 before a send or a run starts, every earlier op is stored (persistent conversations).
 * O2 an op that is done is never done again: a replay returns what the log says.
 */
import { Cause, Effect, Exit } from "effect"
import { raise } from "../chat/Control.ts"
import type { Content, Outgoing, Receipt } from "../model/Content.ts"
import type { SendFailure } from "../outbound/Send.ts"
import { LeaseLostError } from "../spi/Errors.ts"
import { StoreError } from "../spi/Store.ts"
import type { Checkpoints } from "./Checkpoints.ts"
import { LogFull, type OpFailure, OpInProgress } from "./Conversation.ts"
import type { ConversationPort } from "./ConversationPort.ts"
import { type Live, type Resting, resting } from "./Live.ts"
import type { Lives } from "./Lives.ts"
import { type LiveOp, OpLog, type OpKind } from "./OpLog.ts"
import { replayFailure } from "./RecordedFailure.ts"
import type { Waiter } from "./Waiter.ts"

/** What all conversations of a bot are recorded with. */
export interface Recording {
  readonly port: ConversationPort
  readonly checkpoints: Checkpoints
  readonly lives: Lives
  /** Gives the conversation a turn when its program left a wait by itself (a race, a timeout). */
  readonly takeTurn: (live: Live) => Effect.Effect<void, LeaseLostError>
}

export class Recorder {
  readonly live: Live
  private readonly by: Recording

  constructor(live: Live, by: Recording) {
    this.live = live
    this.by = by
  }

  get port(): ConversationPort {
    return this.by.port
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
  private begun<A, E>(
    kind: OpKind,
    name: string,
    act: (op: LiveOp) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | OpFailure> {
    // The act is made inside: what it did before it waits is not held on to while it waits.
    return this.opened(kind, name, (op) =>
      op.done
        ? act(op)
        : this.guarded(
            op,
            Effect.suspend(() => act(op))
          )
    )
  }
  /** Begins an op at once; `act` guards what it does of one that is not done. */
  protected opened<A, E>(
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
        return op.cut === true ? this.neverAgain : act(op)
      }
    }
  }
  /** Records how an op ended that fails in `act`. */
  guarded<A, E>(op: LiveOp, act: Effect.Effect<A, E>): Effect.Effect<A, E> {
    // What is over already needs no guard.
    return isSuccess(act) ? act : Effect.onExit(act, (exit) => this.left(op, exit))
  }
  /** Called where an op that was begun ends. */
  left<A, E>(op: LiveOp, exit: Exit.Exit<A, E>): Effect.Effect<void> {
    if (exit._tag === "Success") return Effect.void
    const { live } = this
    if (live.parked !== undefined) {
      live.parked = undefined
      // A suspended wait is kept as it is: its deadline goes on (C23).
      if (!live.gone && live.suspending === undefined) {
        live.wait = undefined
        live.clearTimer()
      }
    }
    if (!op.done) this.unfinished(op, exit)
    return Effect.void
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
    return this.opened(kind, name, act)
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
      if (turn === undefined) return Effect.andThen(this.by.takeTurn(live), this.flush())
      const refusal = turn.refusal()
      if (refusal !== undefined) return Effect.fail(refusal)
      if (!live.isKept || !live.dirty) return Effect.void
      return Effect.onExit(this.by.checkpoints.save(live, turn), (exit) => {
        if (exit._tag === "Success") return Effect.void
        live.dirty = true
        const found = Cause.findErrorOption(exit.cause)
        const error = found._tag === "Some" ? found.value : this.cutWrite
        // R6: a write that was refused, failed or cut may or may not stand; the copy that wrote it is of no use any more.
        if (error._tag !== "NotStorable") {
          live.failure = Cause.fail(error)
          this.by.lives.interrupt(live, "lease-lost")
        }
        return Effect.void
      })
    })
  }
  private get cutWrite(): StoreError {
    const { name } = this.port.store
    const detail = "cut before it was answered"
    return new StoreError({ store: name, operation: "setCheckpointIf", reason: "unavailable", detail })
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

  /** Whether everything before a send is stored, and the turn is there for it. */
  private get isFlushed(): boolean {
    const { live } = this
    return !this.isOver && live.turn !== undefined && !(live.isKept && live.dirty)
  }
  /** Sends under the conversation's turn, after what came before is stored. Called where the send begins. */
  deliver(content: Content, key: string): Effect.Effect<Receipt, SendFailure | OpFailure> {
    const { live, port } = this
    const about = live.current ?? live.origin
    const message: Outgoing = {
      chatId: live.origin.from,
      content,
      key,
      ...(about.topic === undefined ? {} : { topic: about.topic })
    }
    // Whether the turn is still good is what a send asks first.
    if (this.isFlushed) return port.outbound.send(live.holder, message)
    return Effect.andThen(this.flush(), port.outbound.send(live.holder, message))
  }

  /**
   * Waits without a turn until something ends the wait (C2), or leaves the step at it (C4). Called where the wait begins,
   * inside what guards its op.
   */
  park<A, E>(wait: NonNullable<Live["wait"]>, waiter: Waiter<A, E>): Effect.Effect<A | Resting, E | LeaseLostError> {
    const { live } = this
    if (this.isOver) return this.refused()
    // Parking is what a turn stores: a program that runs outside one takes one for it.
    if (live.turn === undefined) return Effect.flatMap(this.by.takeTurn(live), () => this.park(wait, waiter))
    return live.mayRest ? rest(live, wait) : parked(live, wait, waiter)
  }
}

const wait = (live: Live, how: NonNullable<Live["wait"]>): void => {
  live.wait = how
  live.dirty = true
}
const rest = (live: Live, how: NonNullable<Live["wait"]>): Effect.Effect<Resting> => {
  wait(live, how)
  return rests
}
const parked = <A, E>(
  live: Live,
  how: NonNullable<Live["wait"]>,
  waiter: Waiter<A, E>
): Effect.Effect<A, E | LeaseLostError> =>
  Effect.callback<A, E | LeaseLostError>((resume) => {
    wait(live, how)
    waiter.resume = resume
    live.parked = waiter
    live.settle({ _tag: "parked" })
  })

const isSuccess = <A, E>(effect: Effect.Effect<A, E>): boolean => Exit.isExit(effect) && effect._tag === "Success"

const rests = Effect.succeed(resting)
