/**
 * The recorded acts of a conversation: what `c` is made of (R2, R16, R22).
 *
 * O1 before a send or a run starts, every earlier op is stored (persistent conversations).
 * O2 an op that is done is never done again: a replay returns what the log says.
 * O3 a message that wakes a conversation goes to the first question reached, without asking it again.
 */
import { Cause, Clock, Effect, type Exit, Random, Result, type Schema } from "effect"
import type { Chat, Reply } from "../chat/Chat.ts"
import { toOptions } from "../chat/Chat.ts"
import { raise } from "../chat/Control.ts"
import type { Content, Outgoing, Receipt } from "../model/Content.ts"
import type { DurationInput } from "../model/Duration.ts"
import type { UserEffect } from "../model/Erased.ts"
import type { MediaKind } from "../model/Event.ts"
import type { SendFailure } from "../outbound/Send.ts"
import { LeaseLostError } from "../spi/Errors.ts"
import { asking } from "./Asking.ts"
import type { Checkpoints } from "./Checkpoints.ts"
import { GaveUp, LogFull, NotStorable, type OpFailure, OpInProgress, QuestionTimedOut } from "./Conversation.ts"
import type { ConversationPort } from "./ConversationPort.ts"
import type { Live, Signal } from "./Live.ts"
import type { Lives } from "./Lives.ts"
import { type LiveOp, OpLog, type OpKind } from "./OpLog.ts"
import { type Limits, mediaQuestion, menuQuestion, millis, type Question, textQuestion } from "./Question.ts"
import { replayFailure } from "./RecordedFailure.ts"
import { decodeState, encodeState } from "./StateCodec.ts"
import type { RunInfo, State } from "./Step.ts"

/** Sleeps up to this keep the turn, ms (R16). */
export const shortSleep = 5000

type OpError = OpFailure | LeaseLostError

export class Ops {
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

  get state(): State {
    return this.live.state
  }
  get chat(): Chat {
    return this.port.chatOf(this.live.holder, this.live.current ?? this.live.origin)
  }
  get lang(): string {
    return (this.live.current ?? this.live.origin).lang ?? ""
  }

  // ---------------------------------------------------------------- questions

  ask(
    name: string,
    text: string,
    options: Limits & {
      readonly answer?: Schema.Decoder<unknown>
      readonly validate?: (value: never, state: never) => boolean | string
    } = {}
  ) {
    return this.question(
      name,
      textQuestion(text, options.answer, this.validator(options.validate), options, this.wait())
    )
  }
  choose(
    name: string,
    text: string,
    choices: Readonly<Record<string, string>> | ReadonlyArray<{ readonly key: string; readonly label: string }>,
    options: Limits = {}
  ) {
    return this.question(name, menuQuestion(text, toOptions(choices), options, this.wait()))
  }
  askMedia(
    name: string,
    text: string,
    options: Limits & {
      readonly kinds: ReadonlyArray<MediaKind>
      readonly validate?: (value: never, state: never) => boolean | string
    }
  ) {
    return this.question(
      name,
      mediaQuestion(text, options.kinds, this.validator(options.validate), options, this.wait())
    )
  }
  /** A validator reads what the question's own schema decoded, and the state of this flow: the types it was given. */
  validator(validate: ((value: never, state: never) => boolean | string) | undefined) {
    if (validate === undefined) return undefined
    const { live } = this
    return (value: unknown) => validate(value as never, live.state as never)
  }
  /** ms: the wait of questions that name none. */
  wait(): number | undefined {
    return millis(this.live.program.options.timeout) ?? this.port.limits.timeout
  }

  question(
    name: string,
    question: Question
  ): Effect.Effect<unknown, OpError | SendFailure | GaveUp | QuestionTimedOut> {
    return this.recorded("ask", name, (op) => {
      if (!op.done) return asking(this, op, question)
      if (op.answer !== undefined) this.live.current = op.answer
      if (op.result === "timeout") return Effect.fail(new QuestionTimedOut({ question: op.name }))
      if (op.result === "gave-up") return Effect.fail(new GaveUp({ question: op.name, attempts: op.attempts ?? 1 }))
      const read = op.answer === undefined ? undefined : question.read(op.answer, this.lang, this.port.catalogue)
      if (read !== undefined && Result.isSuccess(read)) return Effect.succeed(read.success)
      return raise({ _tag: "changed", detail: `the stored answer to "${op.name}" is no longer accepted` })
    })
  }

  // ---------------------------------------------------------------- acts

  /** Bound, so that it can be handed on: `Effect.flatMap(x, c.say)`. */
  readonly say = (reply: Reply): Effect.Effect<Receipt, SendFailure | OpError> => {
    const content: Content = typeof reply === "string" ? { _tag: "text", text: reply } : reply
    return this.recorded("say", "say", (op) => {
      if (op.done) return Effect.succeed({ ref: { id: "", chatId: this.live.origin.from } })
      return Effect.map(this.deliver(content, this.live.keyOf(op)), (receipt) => {
        this.finish(op)
        return receipt
      })
    })
  }

  run(
    name: string,
    effect: UserEffect | ((op: RunInfo) => UserEffect),
    options: { readonly result?: Schema.Codec<unknown, unknown> } = {}
  ): Effect.Effect<unknown, unknown> {
    const { live } = this
    return this.recorded<unknown, unknown>("run", name, (op) => {
      if (op.done) {
        const decoded = decodeState(options.result, op.result)
        if (Result.isSuccess(decoded)) return Effect.succeed(decoded.success)
        return raise({
          _tag: "changed",
          detail: `the stored result of "${op.name}" cannot be read: ${decoded.failure.message}`
        })
      }
      const attempt = (op.attempts ?? 0) + 1
      op.attempts = attempt
      const started = typeof effect === "function" ? effect({ id: live.keyOf(op), attempt }) : effect
      return Effect.flatMap(Effect.andThen(this.flush(), live.registered.bind(started)), (result) => {
        const encoded = encodeState(options.result, result)
        if (Result.isFailure(encoded)) {
          return Effect.fail(new NotStorable({ what: `the result of "${op.name}"`, detail: encoded.failure.message }))
        }
        if (encoded.success !== undefined) op.result = encoded.success
        this.finish(op)
        return Effect.as(this.stored(), result)
      })
    })
  }

  sleep(name: string, duration: DurationInput): Effect.Effect<void, OpError> {
    return this.recorded("sleep", name, (op) => {
      if (op.done) return Effect.void
      return Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const { recalled } = this.live
        const stored = recalled?.kind === "sleep" && recalled.op === op.name ? recalled.deadline : op.result
        const deadline = typeof stored === "number" ? stored : now + (millis(duration) ?? 0)
        op.result = deadline
        this.live.dirty = true
        const rest = deadline - now
        const slept =
          rest <= 0
            ? Effect.void
            : rest <= shortSleep
              ? Effect.sleep(rest)
              : this.park({ kind: "sleep", op: op.name, deadline })
        return Effect.map(slept, () => this.finish(op))
      })
    })
  }

  get now(): Effect.Effect<number, OpError> {
    return this.measured("now", Clock.currentTimeMillis)
  }
  get random(): Effect.Effect<number, OpError> {
    return this.measured("random", Random.next)
  }
  private measured(kind: "now" | "random", source: Effect.Effect<number>): Effect.Effect<number, OpError> {
    return this.recorded(kind, kind, (op) =>
      typeof op.result === "number"
        ? Effect.succeed(op.result)
        : Effect.map(source, (value) => {
            op.result = value
            this.finish(op)
            return value
          })
    )
  }

  idle(after: DurationInput, reminder: string): Effect.Effect<void> {
    return Effect.sync(() => {
      this.live.reminder = { after: millis(after) ?? 0, text: reminder }
    })
  }
  checkpoint(state: State): Effect.Effect<void, OpError> {
    return Effect.suspend(() => {
      const { live } = this
      if (this.isOver) return this.refused()
      const open = live.log.pendingOp
      if (open !== undefined) return Effect.fail(new OpInProgress({ open: open.name, second: "checkpoint" }))
      // The head of a resumed step: what the log holds came after this very checkpoint.
      if (live.log.isResumed) return Effect.void
      live.enter(live.at, state)
      return this.flush()
    })
  }
  goto(flow: string, state?: State): Effect.Effect<never> {
    return raise({ _tag: "goto", flow, state })
  }
  end(text?: string): Effect.Effect<never> {
    return raise({ _tag: "end", text })
  }

  // ---------------------------------------------------------------- what they stand on

  /** Begins an op, and records how it ended: done, failed (L5) or given up by the program itself (L3). */
  private recorded<A, E>(
    kind: OpKind,
    name: string,
    act: (op: LiveOp) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | OpFailure> {
    return Effect.suspend((): Effect.Effect<A, E | OpFailure> => {
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
          return Effect.onExit(act(op), (exit) => {
            if (exit._tag === "Failure" && !op.done) this.unfinished(op, exit)
            return Effect.void
          })
        }
      }
    })
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
  private readonly neverAgain: Effect.Effect<never> = Effect.callback<never>(() => this.live.settle({ _tag: "parked" }))

  finish(op: LiveOp): void {
    this.live.log.done(op)
    this.live.cuts = 0
    this.live.dirty = true
  }

  /** O1: stores what is not stored yet. Takes a turn first when the program runs outside one. */
  flush(): Effect.Effect<void, OpError> {
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
  private get isOver(): boolean {
    return this.live.gone || this.live.suspending !== undefined
  }
  private refused(): Effect.Effect<never, LeaseLostError> {
    return Effect.fail(new LeaseLostError({ key: this.live.key, reason: "revoked" }))
  }
  /** Stores a result at once: it must never be computed again (R2). */
  private stored(): Effect.Effect<void, OpError> {
    return this.live.program.kind === "flow" && this.live.program.nodes[this.live.at]?.step._tag === "run"
      ? Effect.void
      : this.flush()
  }

  /** Sends under the conversation's turn, after what came before is stored. */
  deliver(content: Content, key: string): Effect.Effect<Receipt, SendFailure | OpError> {
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

  /** Waits without a turn until something ends the wait (C2). */
  park(wait: NonNullable<Live["wait"]>): Effect.Effect<Parted, LeaseLostError> {
    return Effect.suspend(() => {
      const { live } = this
      if (this.isOver) return this.refused()
      // Parking is what a turn stores: a program that runs outside one takes one for it.
      if (live.holder.turn === undefined) return Effect.andThen(this.takeTurn(live), this.park(wait))
      return this.parked(wait)
    })
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

/** What ended a wait, and the wait as it was then: its deadlines may have been moved (B14). */
export interface Parted {
  readonly signal: Signal
  readonly wait: NonNullable<Live["wait"]>
}
