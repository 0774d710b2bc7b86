/** How a question is put, until an answer is right, time is up or the tries are used (B3, B25, R24). */
import { Effect, Result } from "effect"
import { raise } from "../chat/Control.ts"
import { translate } from "../i18n/Catalogue.ts"
import type { SavedMessage, Wait } from "../model/Checkpoint.ts"
import type { Content } from "../model/Content.ts"
import { normalise } from "../model/Normalise.ts"
import type { SendFailure } from "../outbound/Send.ts"
import { noteApplied } from "./Checkpoints.ts"
import { GaveUp, type OpFailure, QuestionTimedOut } from "./Conversation.ts"
import type { ConversationPort } from "./ConversationPort.ts"
import type { Live } from "./Live.ts"
import type { LiveOp } from "./OpLog.ts"
import type { Question, Refused } from "./Question.ts"
import type { Recorder } from "./Recorder.ts"
import { type Parted, Waiter } from "./Waiter.ts"

type AskWait = Extract<Wait, { readonly kind: "ask" }>

const waitFor = (ops: Recorder, op: LiveOp, question: Question): AskWait => {
  const now = ops.port.timers.now()
  const idle = question.idle ?? ops.live.reminder
  return {
    kind: "ask",
    op: op.name,
    ...(question.timeout === undefined ? {} : { deadline: now + question.timeout }),
    ...(idle === undefined ? {} : { idleAt: now + idle.after })
  }
}

/** A wait that was stored keeps its deadline: it is not restarted by a restart or a handover (C23). */
const recall = (live: Live, op: LiveOp): AskWait | undefined => {
  const { recalled } = live
  live.recalled = undefined
  return recalled?.kind === "ask" && recalled.op === op.name ? recalled : undefined
}

const refusal = (port: ConversationPort, question: Question, refused: Refused, lang: string): Content => {
  const text =
    question.invalid ??
    ("text" in refused ? refused.text : translate(port.catalogue, lang, refused.translate, refused.params ?? {}))
  return question.choices === undefined ? { _tag: "text", text } : { _tag: "choices", text, options: question.choices }
}

/** The reminder of a question that has waited long; said once a wait. */
const remind = Effect.fnUntraced(function* (ops: Recorder, op: LiveOp, question: Question, wait: Wait) {
  const idle = question.idle ?? ops.live.reminder
  const rest: AskWait = {
    kind: "ask",
    op: op.name,
    ...(wait.kind !== "ask" || wait.deadline === undefined ? {} : { deadline: wait.deadline })
  }
  ops.live.dirty = true
  if (idle !== undefined) {
    yield* ops.deliver({ _tag: "text", text: idle.text }, ops.live.keyOf(op, `idle${op.attempts ?? 1}`))
  }
  return rest
})

/**
 * Whether a person says again what started the conversation, whose first question nobody is known to have seen: a crash
 * came between storing the start and asking. They answer nothing with it; they wait for the question. (Any other message
 * that wakes it is the answer, R2.)
 */
const startsAgain = (live: Live, op: LiveOp, message: SavedMessage): boolean => {
  const first = live.visit === 1 && live.log.ops[0] === op && (op.attempts ?? 0) === 0
  if (!first || message.payload !== undefined) return false
  const body = normalise(message.body)
  return body !== "" && body === normalise(live.origin.body)
}

type Failure = OpFailure | SendFailure | GaveUp | QuestionTimedOut

/** One question on its way to an answer. Methods and not a generator: while it waits, this object is all that it holds. */
class Asking extends Waiter<unknown, Failure> {
  private readonly ops: Recorder
  private readonly op: LiveOp
  private readonly question: Question
  constructor(ops: Recorder, op: LiveOp, question: Question) {
    super()
    this.ops = ops
    this.op = op
    this.question = question
  }

  begin(): Effect.Effect<unknown, Failure> {
    if (!this.ops.live.mayRest) {
      // Made inside: what it did before it waits is not held on to while it waits.
      return Effect.onExit(
        Effect.suspend(() => this.first()),
        (exit) => this.ops.left(this.op, exit)
      )
    }
    const { op, ops } = this
    try {
      return ops.guarded(op, this.first())
    } catch (defect) {
      return ops.guarded(op, Effect.die(defect))
    }
  }
  /** Takes at once what is kept for it, or what ended its wait. */
  private first(): Effect.Effect<unknown, Failure> {
    const { op, ops, question } = this
    const wait = recall(ops.live, op)
    const signal = ops.live.takeSignal()
    return signal === undefined ? this.next(wait) : this.woken({ signal, wait: wait ?? waitFor(ops, op, question) })
  }
  /** @param wait the one it goes on with; a new one when absent */
  private next(wait: AskWait | undefined): Effect.Effect<unknown, Failure> {
    const { op, ops } = this
    const { live } = ops
    const [message] = live.pending
    if (message !== undefined) {
      live.pending = live.pending.slice(1)
      if (!startsAgain(live, op, message)) return this.answered(message)
      noteApplied(live, message.id)
    }
    if ((op.attempts ?? 0) > 0) return this.park(wait)
    return Effect.flatMap(ops.deliver(this.question.content, live.keyOf(op)), () => {
      op.attempts = 1
      live.dirty = true
      return this.park(wait)
    })
  }

  private park(wait: AskWait | undefined): Effect.Effect<unknown, Failure> {
    return this.ops.park<unknown, Failure>(wait ?? waitFor(this.ops, this.op, this.question), this)
  }

  /** Its wait is over. */
  woken({ signal, wait }: Parted): Effect.Effect<unknown, Failure> {
    const { op, ops, question } = this
    switch (signal._tag) {
      case "timeout":
        op.result = "timeout"
        ops.finish(op)
        return Effect.fail(new QuestionTimedOut({ question: op.name }))
      case "idle":
        return Effect.flatMap(remind(ops, op, question, wait), (rest) => this.next(rest))
      case "message":
        return this.answered(signal.message)
    }
  }

  private answered(message: SavedMessage): Effect.Effect<unknown, Failure> {
    const { op, ops, question } = this
    const { live, port } = ops
    live.current = message
    noteApplied(live, message.id)
    live.dirty = true
    const lang = message.lang ?? ops.lang
    const word = message.payload === undefined ? port.word(message.body, lang) : undefined
    if (word === "cancel" && question.cancel) return raise({ _tag: "cancel" })
    if (word === "back" && question.back) return raise({ _tag: "back" })
    const read = question.read(message, lang, port.catalogue)
    const attempts = Math.max(1, op.attempts ?? 1)
    op.attempts = attempts
    if (Result.isSuccess(read)) {
      op.answer = message
      ops.finish(op)
      return Effect.succeed(read.success)
    }
    if (attempts > question.retries) {
      op.result = "gave-up"
      ops.finish(op)
      return Effect.fail(new GaveUp({ question: op.name, attempts }))
    }
    // Counted before it is said: an answer that was refused is stored ahead of the send like any other (R2).
    op.attempts = attempts + 1
    return Effect.flatMap(ops.deliver(refusal(port, question, read.failure, lang), live.keyOf(op, attempts)), () =>
      this.next(undefined)
    )
  }
}

/** Called where it is to begin; its op is guarded inside. */
export const asking = (ops: Recorder, op: LiveOp, question: Question): Effect.Effect<unknown, Failure> =>
  new Asking(ops, op, question).begin()
