/**
 * The recorded acts of a conversation: what `c` is made of (R2, R16, R22).
 *
 * O3 a message that wakes a conversation goes to the first question reached, without asking it again.
 */
import { Clock, Effect, Random, Result, type Schema } from "effect"
import type { Chat, Reply } from "../chat/Chat.ts"
import { toOptions } from "../chat/Chat.ts"
import { raise } from "../chat/Control.ts"
import type { Content, Receipt } from "../model/Content.ts"
import type { DurationInput } from "../model/Duration.ts"
import type { UserEffect } from "../model/Erased.ts"
import type { MediaKind } from "../model/Event.ts"
import type { SendFailure } from "../outbound/Send.ts"
import { asking } from "./Asking.ts"
import { GaveUp, NotStorable, type OpFailure, OpInProgress, QuestionTimedOut } from "./Conversation.ts"
import { type Limits, mediaQuestion, menuQuestion, millis, type Question, textQuestion } from "./Question.ts"
import { type Resting, resting } from "./Live.ts"
import type { LiveOp } from "./OpLog.ts"
import { Recorder } from "./Recorder.ts"
import { decodeState, encodeState } from "./StateCodec.ts"
import { copyJson, copyState } from "./StateCopy.ts"
import type { Moment, RunInfo, State } from "./Step.ts"
import { Waiter } from "./Waiter.ts"

class Sleeping extends Waiter<void, never> {
  woken(): Effect.Effect<void> {
    return Effect.void
  }
}

/** One for all questions without options, since a question that waits holds on to them. */
const noOptions = {}

/** Sleeps up to this keep the turn, ms (R16). */
export const shortSleep = 5000

export class Ops extends Recorder {
  /** What was handed out, of which state. */
  private given: { readonly of: State; readonly copy: State } | undefined = undefined
  /** A copy: C1. The same one while the state is the same, so that a program finds what it changed in it. */
  get state(): State {
    const { program, state } = this.live
    if (this.given?.of !== state) this.given = { of: state, copy: copyState(program, state) }
    return this.given.copy
  }
  get chat(): Chat {
    return this.port.chatOf(this.live.holder, this.live.current ?? this.live.origin)
  }

  // ---------------------------------------------------------------- questions

  ask(
    name: string,
    text: string,
    options: Limits & {
      readonly answer?: Schema.Decoder<unknown>
      readonly validate?: (value: never, state: never, at: Moment) => boolean | string
    } = noOptions
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
      readonly validate?: (value: never, state: never, at: Moment) => boolean | string
    }
  ) {
    return this.question(
      name,
      mediaQuestion(text, options.kinds, this.validator(options.validate), options, this.wait())
    )
  }
  /** A validator reads what the question's own schema decoded, and the state of this flow: the types it was given. */
  validator(validate: ((value: never, state: never, at: Moment) => boolean | string) | undefined) {
    if (validate === undefined) return undefined
    return (value: unknown) => validate(value as never, this.live.state as never, this)
  }
  /** ms: the wait of questions that name none. */
  wait(): number | undefined {
    return millis(this.live.program.options.timeout) ?? this.port.limits.timeout
  }

  question(
    name: string,
    question: Question
  ): Effect.Effect<unknown, OpFailure | SendFailure | GaveUp | QuestionTimedOut> {
    return Effect.suspend(() => this.questionNow(name, question))
  }
  /** The same at once, for a step that begins here. */
  questionNow(
    name: string,
    question: Question
  ): Effect.Effect<unknown, OpFailure | SendFailure | GaveUp | QuestionTimedOut> {
    return this.opened("ask", name, (op) => this.asked(op, question))
  }
  private asked(
    op: LiveOp,
    question: Question
  ): Effect.Effect<unknown, OpFailure | SendFailure | GaveUp | QuestionTimedOut> {
    if (!op.done) return asking(this, op, question)
    if (op.answer !== undefined) this.live.current = op.answer
    if (op.result === "timeout") return Effect.fail(new QuestionTimedOut({ question: op.name }))
    if (op.result === "gave-up") return Effect.fail(new GaveUp({ question: op.name, attempts: op.attempts ?? 1 }))
    const read = op.answer === undefined ? undefined : question.read(op.answer, this.lang, this.port.catalogue)
    if (read !== undefined && Result.isSuccess(read)) return Effect.succeed(read.success)
    return raise({ _tag: "changed", detail: `the stored answer to "${op.name}" is no longer accepted` })
  }

  // ---------------------------------------------------------------- acts

  /** Bound, so that it can be handed on: `Effect.flatMap(x, c.say)`. */
  get say(): (reply: Reply) => Effect.Effect<Receipt, SendFailure | OpFailure> {
    return (reply) => this.saying(reply)
  }
  private saying(reply: Reply): Effect.Effect<Receipt, SendFailure | OpFailure> {
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
        const decoded = decodeState(options.result, copyJson(op.result))
        if (Result.isSuccess(decoded)) return Effect.succeed(decoded.success)
        return raise({
          _tag: "changed",
          detail: `the stored result of "${op.name}" cannot be read: ${decoded.failure.message}`
        })
      }
      op.attempts = (op.attempts ?? 0) + 1
      const { before, first } = live.log.tries
      const started =
        typeof effect === "function" ? effect({ id: live.keyOf(first ?? op), attempt: before + op.attempts }) : effect
      return Effect.flatMap(Effect.andThen(this.flush(), live.registered.bind(started)), (result) => {
        const encoded = encodeState(options.result, result)
        if (Result.isFailure(encoded)) {
          return Effect.fail(new NotStorable({ what: `the result of "${op.name}"`, detail: encoded.failure.message }))
        }
        if (encoded.success !== undefined) op.result = copyJson(encoded.success)
        this.finish(op)
        return Effect.as(this.stored(), result)
      })
    })
  }

  sleep(name: string, duration: DurationInput): Effect.Effect<void, OpFailure> {
    return Effect.asVoid(this.delay(name, duration))
  }
  /** The same for a step that may leave at its wait (C4). */
  delay(name: string, duration: DurationInput): Effect.Effect<void | Resting, OpFailure> {
    return this.recorded("sleep", name, (op): Effect.Effect<void | Resting, OpFailure> => {
      if (op.done) return Effect.void
      return Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const { recalled } = this.live
        const stored = recalled?.kind === "sleep" && recalled.op === op.name ? recalled.deadline : op.result
        const deadline = typeof stored === "number" ? stored : now + (millis(duration) ?? 0)
        op.result = deadline
        this.live.dirty = true
        // What ends the wait of a sleep that rested is that its time is over.
        const rest = this.live.takeSignal() === undefined ? deadline - now : 0
        const rested: Effect.Effect<unknown, OpFailure> =
          rest <= 0
            ? Effect.void
            : rest <= shortSleep
              ? Effect.sleep(rest)
              : this.park({ kind: "sleep", op: op.name, deadline }, new Sleeping())
        return Effect.map(rested, (how) => (how === resting ? resting : this.finish(op)))
      })
    })
  }

  get now(): Effect.Effect<number, OpFailure> {
    return this.measured("now", Clock.currentTimeMillis)
  }
  get random(): Effect.Effect<number, OpFailure> {
    return this.measured("random", Random.next)
  }
  private measured(kind: "now" | "random", source: Effect.Effect<number>): Effect.Effect<number, OpFailure> {
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
  checkpoint(state: State): Effect.Effect<void, OpFailure> {
    return Effect.suspend(() => {
      const { live } = this
      if (this.isOver) return this.refused()
      const open = live.log.pendingOp
      if (open !== undefined) return Effect.fail(new OpInProgress({ open: open.name, second: "checkpoint" }))
      // The head of a resumed step: what the log holds came after this very checkpoint.
      if (live.log.isResumed) return Effect.void
      live.enter(live.at, copyState(live.program, state))
      return this.flush()
    })
  }
  goto(flow: string, state?: State): Effect.Effect<never> {
    return raise({ _tag: "goto", flow, state })
  }
  end(text?: string): Effect.Effect<never> {
    return raise({ _tag: "end", text })
  }
}
