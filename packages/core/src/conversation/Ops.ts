/**
 * The recorded acts of a conversation: what `c` is made of (R2, R16, R22).
 *
 * O1 before a send or a run starts, every earlier op is stored (persistent conversations).
 * O2 an op that is done is never done again: a replay returns what the log says.
 * O3 a message that wakes a conversation goes to the first question reached, without asking it again.
 */
import { Clock, Effect, Random, Result, type Schema } from "effect"
import type { Chat, Reply } from "../chat/Chat.ts"
import { toOptions } from "../chat/Chat.ts"
import { raise } from "../chat/Control.ts"
import type { Content, Outgoing, Receipt } from "../model/Content.ts"
import type { DurationInput } from "../model/Duration.ts"
import type { UserEffect } from "../model/Erased.ts"
import type { MediaKind } from "../model/Event.ts"
import type { SendFailure } from "../outbound/Send.ts"
import { LeaseLostError } from "../spi/Errors.ts"
import { translate } from "../i18n/Catalogue.ts"
import { decodeState, encodeState } from "./StateCodec.ts"
import { type Checkpoints, noteApplied } from "./Checkpoints.ts"
import { GaveUp, LogFull, NotStorable, type OpFailure, OpInProgress, QuestionTimedOut } from "./Conversation.ts"
import type { ConversationPort } from "./ConversationPort.ts"
import type { Live, Signal } from "./Live.ts"
import type { LiveOp, OpKind } from "./OpLog.ts"
import {
  type Limits,
  mediaQuestion,
  menuQuestion,
  millis,
  type Question,
  type Refused,
  textQuestion
} from "./Question.ts"
import type { RunInfo, State } from "./Step.ts"

/** Sleeps up to this keep the turn, ms (R16). */
export const shortSleep = 5000

type OpError = OpFailure | LeaseLostError

export class Ops {
  readonly live: Live
  readonly port: ConversationPort
  private readonly checkpoints: Checkpoints
  /** Gives the conversation a turn when its program left a wait by itself (a race, a timeout). */
  private readonly takeTurn: (live: Live) => Effect.Effect<void, OpFailure>

  constructor(
    live: Live,
    port: ConversationPort,
    checkpoints: Checkpoints,
    takeTurn: (live: Live) => Effect.Effect<void, OpFailure>
  ) {
    this.live = live
    this.port = port
    this.checkpoints = checkpoints
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
      if (op.result === "timeout") return Effect.fail(new QuestionTimedOut({ question: op.name }))
      if (op.result === "gave-up") return Effect.fail(new GaveUp({ question: op.name, attempts: op.attempts ?? 1 }))
      const read = op.answer === undefined ? undefined : question.read(op.answer, this.lang, this.port.catalogue)
      if (read !== undefined && Result.isSuccess(read)) return Effect.succeed(read.success)
      return raise({ _tag: "changed", detail: `the stored answer to "${op.name}" is no longer accepted` })
    })
  }

  refusal(question: Question, refused: Refused, lang: string): Content {
    const text =
      question.invalid ??
      ("text" in refused ? refused.text : translate(this.port.catalogue, lang, refused.translate, refused.params ?? {}))
    return question.content._tag === "choices" ? { ...question.content, text } : { _tag: "text", text }
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
        const deadline = typeof op.result === "number" ? op.result : now + (millis(duration) ?? 0)
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
      this.live.enter(this.live.at, state)
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

  /** Begins an op, and marks it cut when the program itself gives it up (L3). */
  private recorded<A, E>(
    kind: OpKind,
    name: string,
    act: (op: LiveOp) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | OpFailure> {
    return Effect.suspend((): Effect.Effect<A, E | OpFailure> => {
      const { live } = this
      const begun = live.log.begin(kind, name)
      switch (begun._tag) {
        case "busy":
          return Effect.fail(new OpInProgress({ open: begun.open, second: name }))
        case "full":
          return Effect.fail(new LogFull({ ops: begun.ops, bytes: begun.bytes }))
        case "changed":
          return raise({ _tag: "changed", detail: begun.detail })
        case "op": {
          const { op } = begun
          if (op.cut === true) return Effect.never
          if (op.done) return act(op)
          return Effect.onExit(act(op), (exit) => {
            if (exit._tag === "Failure" && !op.done && live.suspending === undefined && !live.gone) live.log.cut(op)
            return Effect.void
          })
        }
      }
    })
  }
  finish(op: LiveOp): void {
    this.live.log.done(op)
    this.live.dirty = true
  }

  /** O1: stores what is not stored yet. Takes a turn first when the program runs outside one. */
  flush(): Effect.Effect<void, OpError> {
    return Effect.suspend(() => {
      const { live } = this
      const { turn } = live.holder
      if (turn === undefined) {
        if (live.gone) return Effect.fail(new LeaseLostError({ key: live.key, reason: "revoked" }))
        return Effect.andThen(this.takeTurn(live), this.flush())
      }
      return live.program.options.persistent && live.dirty ? this.checkpoints.save(live, turn) : Effect.void
    })
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
  park(wait: NonNullable<Live["wait"]>): Effect.Effect<Signal> {
    const { live } = this
    return Effect.callback<Signal>((resume) => {
      const wake = (signal: Signal): void => {
        live.resume = undefined
        live.wait = undefined
        resume(Effect.succeed(signal))
      }
      live.wait = wait
      live.dirty = true
      live.resume = wake
      live.settle({ _tag: "parked" })
      return Effect.sync(() => {
        if (live.resume !== wake) return
        live.resume = undefined
        live.wait = undefined
        live.clearTimer()
      })
    })
  }
}

/** Asks until an answer is right, time is up or the tries are used; goes on where a stored wait left off. */
const asking = Effect.fnUntraced(function* (ops: Ops, op: LiveOp, question: Question) {
  const { live, port } = ops
  let asked = (op.attempts ?? 0) > 0
  let deadline: number | undefined
  // A wait that was stored keeps its deadline: it is not restarted by a restart or a handover (C23).
  const stored = live.wait?.kind === "ask" && live.wait.op === op.name ? live.wait : undefined
  let idleAt: number | undefined
  if (stored !== undefined) {
    deadline = stored.deadline
    idleAt = stored.idleAt
  }
  let fresh = stored === undefined
  for (;;) {
    let message = live.pending.shift()
    if (message === undefined) {
      if (!asked) {
        yield* ops.deliver(question.content, live.keyOf(op))
        op.attempts = (op.attempts ?? 0) + 1
        asked = true
        live.dirty = true
      }
      if (fresh) {
        const now = port.timers.now()
        deadline = question.timeout === undefined ? undefined : now + question.timeout
        const idle = question.idle ?? live.reminder
        idleAt = idle === undefined ? undefined : now + idle.after
        fresh = false
      }
      const signal: Signal = yield* ops.park({
        kind: "ask",
        op: op.name,
        ...(deadline === undefined ? {} : { deadline }),
        ...(idleAt === undefined ? {} : { idleAt })
      })
      if (signal._tag === "timeout") {
        op.result = "timeout"
        ops.finish(op)
        return yield* new QuestionTimedOut({ question: op.name })
      }
      if (signal._tag === "idle") {
        idleAt = undefined
        const idle = question.idle ?? live.reminder
        if (idle !== undefined) yield* ops.deliver({ _tag: "text", text: idle.text }, live.keyOf(op, -1))
        live.dirty = true
        continue
      }
      message = signal.message
    }
    live.current = message
    noteApplied(live, message.id)
    live.dirty = true
    const lang = message.lang ?? ops.lang
    const word = message.payload === undefined ? port.word(message.body, lang) : undefined
    if (word === "cancel" && question.cancel) return yield* raise({ _tag: "cancel" })
    if (word === "back" && question.back) return yield* raise({ _tag: "back" })
    const read = question.read(message, lang, port.catalogue)
    if (Result.isSuccess(read)) {
      op.answer = message
      op.attempts = Math.max(1, op.attempts ?? 1)
      ops.finish(op)
      return read.success
    }
    const attempts = Math.max(1, op.attempts ?? 1)
    op.attempts = attempts
    if (attempts > question.retries) {
      op.result = "gave-up"
      ops.finish(op)
      return yield* new GaveUp({ question: op.name, attempts })
    }
    yield* ops.deliver(ops.refusal(question, read.failure, lang), live.keyOf(op, attempts))
    op.attempts = attempts + 1
    asked = true
    fresh = true
  }
})
