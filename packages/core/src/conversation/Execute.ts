/**
 * Runs a flow's steps, one after another, until it waits, ends or jumps (B3). A step is made of the same ops as a
 * free-form conversation: there is one mechanism (design.md 6).
 */
import { Cause, Effect, Exit, Result, Schema } from "effect"
import { type Jump, jumpOf, raise } from "../chat/Control.ts"
import { translate } from "../i18n/Catalogue.ts"
import type { Content } from "../model/Content.ts"
import { type Conv, GaveUp, QuestionTimedOut } from "./Conversation.ts"
import type { ConversationPort } from "./ConversationPort.ts"
import { readInput } from "./Input.ts"
import { type Live, type Outcome, type Resting, resting } from "./Live.ts"
import type { Ops } from "./Ops.ts"
import { END, type Node } from "./Program.ts"
import { type Limits, mediaQuestion, menuQuestion, type Told, textQuestion } from "./Question.ts"
import { copyField } from "./StateCopy.ts"
import type { AnyText, AskLimits, AskStep, Choice, ChooseStep, Instead, Moment, State } from "./Step.ts"

/** A flow ran too many steps or gotos without waiting for anybody, over cuts and short sleeps: a ring (DOC-01, CONV-02). */
export class TurnLimitError extends Schema.TaggedError<TurnLimitError>()("TurnLimitError", {
  flow: Schema.String,
  limit: Schema.Literals(["steps", "gotos"]),
  max: Schema.Int
}) {
  override get message(): string {
    return `Flow "${this.flow}" ran over ${this.max} ${this.limit} without waiting for anybody: it loops`
  }
}

/** The same op was cut too often in a row (R16). */
export class CutTooOftenError extends Schema.TaggedError<CutTooOftenError>()("CutTooOftenError", {
  flow: Schema.String,
  step: Schema.String,
  cuts: Schema.Int
}) {
  override get message(): string {
    return `Step "${this.step}" of "${this.flow}" was cut ${this.cuts} times: it does not end within the settle limit`
  }
}

/** The flow's functions take the state its own decoders made: the types they were written for (model/Erased.ts). */
const applied = <A>(f: A | ((state: never, at: Moment) => A), state: State, at: Moment): A =>
  typeof f === "function" ? (f as (state: never, at: Moment) => A)(state as never, at) : f

const textOf = (text: AnyText, state: State, at: Moment): string => applied<string>(text, state, at)

/** The text of a question, made only when it is shown: not again for each answer. */
const toldOf = (text: AnyText, state: State, at: Moment): Told =>
  typeof text === "string" ? text : () => textOf(text, state, at)

/** The very options where they hold no text to be made: a question that waits holds on to them. */
const limitsOf = (options: AskLimits, state: State, at: Moment): Limits =>
  options.invalid === undefined && options.idle === undefined ? plain(options) : made(options, state, at)
const plainLimits = new WeakMap<AskLimits, Limits>()
const plain = (options: AskLimits): Limits => {
  const known = plainLimits.get(options)
  if (known !== undefined) return known
  const { back, cancel, retries, timeout } = options
  const limits: Limits = { back, cancel, retries, timeout }
  plainLimits.set(options, limits)
  return limits
}
const made = (options: AskLimits, state: State, at: Moment): Limits => ({
  retries: options.retries,
  timeout: options.timeout,
  cancel: options.cancel,
  back: options.back,
  ...(options.invalid === undefined ? {} : { invalid: textOf(options.invalid, state, at) }),
  ...(options.idle === undefined
    ? {}
    : { idle: { after: options.idle.after, say: textOf(options.idle.say, state, at) } })
})

/** Own branches only: a person may answer "constructor". */
const branchOf = (node: Node, name: unknown): number | undefined =>
  typeof name === "string" && node.branches !== undefined && Object.hasOwn(node.branches, name)
    ? node.branches[name]
    : undefined

/** Where a step leads, with the state it leaves. */
const arrive = (live: Live, node: Node, value: unknown): void => {
  const { step } = node
  const { state } = live
  switch (step._tag) {
    case "ask":
    case "choose": {
      live.trail = [...live.trail.slice(-31), node.id]
      return live.enter(node.next, { ...state, [step.key]: value })
    }
    case "do":
      // What the body of a conversation comes to is nobody's business.
      if (live.program.kind === "conversation") return live.enter(node.next, state)
      return live.enter(node.next, { ...state, [step.key]: copyField(live.program, step.key, value) })
    case "run":
    case "set":
      // Its code may still hold the value.
      return live.enter(node.next, { ...state, [step.key]: copyField(live.program, step.key, value) })
    case "branch":
      return live.enter(branchOf(node, value) ?? node.next, state)
    default:
      return live.enter(node.next, state)
  }
}

const instead = (ops: Ops, what: Instead | undefined, op: string): Effect.Effect<never, unknown> | undefined =>
  what === undefined
    ? undefined
    : Effect.flatMap(
        what.say === undefined
          ? Effect.void
          : ops.deliver(
              { _tag: "text", text: textOf(what.say, ops.live.state, ops) },
              `${ops.live.id}:${ops.live.visit}:${op}.instead`
            ),
        () => (what.goto === undefined ? raise({ _tag: "end" }) : raise({ _tag: "goto", flow: what.goto }))
      )

const asked = (ops: Ops, step: AskStep | ChooseStep, question: Parameters<Ops["question"]>[1]) => {
  const answered = ops.questionNow(step.key, question)
  const { onGiveUp, onTimeout } = step.options
  if (onTimeout === undefined && onGiveUp === undefined) return answered
  return Effect.catch(answered, (error): Effect.Effect<unknown, unknown> => {
    const other =
      error instanceof QuestionTimedOut
        ? instead(ops, onTimeout, step.key)
        : error instanceof GaveUp
          ? instead(ops, onGiveUp, step.key)
          : undefined
    return other ?? Effect.fail(error)
  })
}

const choicesOf = (ops: Ops, step: ChooseStep): Effect.Effect<ReadonlyArray<Choice>, unknown> => {
  const { choices } = step
  if (typeof choices !== "function") return Effect.succeed(choices)
  // A computed menu is an op: the options a person saw are the ones the answer is matched against.
  return Effect.map(
    ops.run(
      `${step.key}.choices`,
      Effect.suspend(() => choices(ops.state as never))
    ),
    (found) => found as ReadonlyArray<Choice>
  )
}

/** Runs one step; what it succeeds with is its answer or result, or the branch it takes. */
const execute = (ops: Ops, node: Node): Effect.Effect<unknown, unknown> => {
  const { step } = node
  const { state } = ops.live
  switch (step._tag) {
    case "ask": {
      const text = toldOf(step.text, state, ops)
      const limits = limitsOf(step.options, state, ops)
      const validate = ops.validator(step.validate)
      return asked(
        ops,
        step,
        step.media === undefined
          ? textQuestion(text, step.answer, validate, limits, ops.wait())
          : mediaQuestion(text, step.media, validate, limits, ops.wait())
      )
    }
    case "choose":
      return choose(ops, step)
    case "say":
      return ops.say(applied<string | Content>(step.content, state, ops))
    case "run":
      return ops.run(
        step.key,
        (info) => step.run(ops.state as never, info, ops),
        step.result === undefined ? {} : { result: step.result }
      )
    case "do":
      // The ops are the conversation's own; what the body sees of them is typed by the flow it stands in.
      return Effect.suspend(() => ops.live.registered.bind(step.body(ops as unknown as Conv<never>)))
    case "set":
      return Effect.succeed(step.value(ops.state as never, ops))
    case "delay":
      return ops.delay("delay", step.duration)
    case "branch":
      return Effect.succeed(step.pick(state as never, ops))
    case "goto":
      return raise({
        _tag: "goto",
        flow: step.flow,
        state: step.state === undefined ? {} : step.state(state as never, ops)
      })
    case "end":
      return raise(step.text === undefined ? { _tag: "end" } : { _tag: "end", text: textOf(step.text, state, ops) })
  }
}
/** Apart from `execute`, whose other steps would hold on to what this one needs. */
const choose = (ops: Ops, step: ChooseStep): Effect.Effect<unknown, unknown> => {
  const ask = (choices: ReadonlyArray<Choice>) => {
    const { state } = ops.live
    return asked(
      ops,
      step,
      menuQuestion(toldOf(step.text, state, ops), choices, limitsOf(step.options, state, ops), ops.wait())
    )
  }
  return typeof step.choices === "function" ? Effect.flatMap(choicesOf(ops, step), ask) : ask(step.choices)
}

const rests: Effect.Effect<Resting> = Effect.succeed(resting)

/** Runs from the step it stands at on, to its end or to a step that lets its fiber go at its wait (C4). Without a generator: a conversation that waits holds no more than the step it is in. */
const steps = (ops: Ops, port: ConversationPort): Effect.Effect<Outcome | Resting, unknown> => {
  const { live } = ops
  for (;;) {
    const node = live.program.nodes[live.at]
    if (live.at === END || node === undefined) return Effect.succeed("done")
    if (++live.stepsSinceWait > port.limits.steps) {
      return Effect.fail(new TurnLimitError({ flow: live.registered.id, limit: "steps", max: port.limits.steps }))
    }
    const ran = execute(ops, node)
    if (!isOver(ran)) return Effect.flatMap(ran, (value) => after(ops, port, node, value) ?? steps(ops, port))
    if (ran._tag === "Failure") return Effect.failCause(ran.cause)
    const next = after(ops, port, node, ran.value)
    if (next !== undefined) return next
  }
}
const isOver = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Exit<A, E> => Exit.isExit(effect)
/** Leaves a step that has run; `undefined` when the next may begin at once. */
const after = (
  ops: Ops,
  port: ConversationPort,
  node: Node,
  value: unknown
): Effect.Effect<Outcome | Resting, unknown> | undefined => {
  if (value === resting) return rests
  arrive(ops.live, node, value)
  ops.live.reminder = undefined
  // A result must never be computed again, so it is stored with the step that follows it (R2).
  return node.step._tag === "run" || node.step._tag === "do"
    ? Effect.flatMap(ops.flush(), () => steps(ops, port))
    : undefined
}

const say = (ops: Ops, key: string, text: string) =>
  ops.deliver({ _tag: "text", text }, `${ops.live.id}:${ops.live.visit}:${key}`)

const lang = (live: Live): string => (live.current ?? live.origin).lang ?? ""

/** Follows a jump; `undefined` means: go on running steps. */
const follow = (ops: Ops, port: ConversationPort, jump: Jump): Effect.Effect<Outcome | undefined, unknown> => {
  const { live } = ops
  switch (jump._tag) {
    case "goto": {
      const target = port.registered(jump.flow)
      if (target === undefined) return Effect.die(new Error(`goto names the unknown flow "${jump.flow}"`))
      if (++live.gotosSinceWait > port.limits.gotos) {
        return Effect.fail(new TurnLimitError({ flow: live.registered.id, limit: "gotos", max: port.limits.gotos }))
      }
      live.registered = target
      live.trail = []
      live.reminder = undefined
      const input = readInput(jump.flow, target.program.options, jump.state ?? {})
      if (Result.isFailure(input)) return Effect.fail(input.failure)
      live.enter(target.program.entry, input.success)
      return Effect.undefined
    }
    case "end":
      return jump.text === undefined ? Effect.succeed("done") : Effect.as(say(ops, "end", jump.text), "done")
    case "cancel":
      return Effect.as(say(ops, "cancelled", translate(port.catalogue, lang(live), "core.cancelled")), "cancelled")
    case "back": {
      const before = live.log.beforeLastAnswer()
      if (before !== undefined) {
        live.rewind(before)
        return Effect.undefined
      }
      const id = live.trail.at(-1)
      live.trail = live.trail.slice(0, -1)
      live.enter((id === undefined ? undefined : live.program.position.get(id)) ?? live.at, live.state)
      return Effect.undefined
    }
    case "changed":
      return Effect.as(
        Effect.logWarning(`conversation "${live.registered.id}" cannot go on: ${jump.detail}`, { key: live.key }),
        "changed"
      )
    case "pass":
    case "stop":
      return Effect.succeed("done")
  }
}

/** Whether a step that failed may go on from that: by a jump, or with a last word. */
export const mayLeave = ({ gone, suspending }: Live): boolean => suspending === undefined && !gone

/** What a failure of a step leads to: how it ends, or (`undefined`) where `converse` goes on. */
export const leave = (
  ops: Ops,
  port: ConversationPort,
  cause: Cause.Cause<unknown>
): Effect.Effect<Outcome | undefined, unknown> => {
  const { live } = ops
  const jump = jumpOf(cause)
  if (jump !== undefined) return follow(ops, port, jump)
  const error = Cause.findErrorOption(cause)
  if (error._tag === "Some") {
    if (error.value instanceof QuestionTimedOut) {
      return Effect.as(
        say(ops, "timeout", translate(port.catalogue, lang(live), "core.conversation.timeout")),
        "timeout"
      )
    }
    if (error.value instanceof GaveUp) {
      return Effect.as(
        say(ops, "gave-up", translate(port.catalogue, lang(live), "core.conversation.gave-up")),
        "gave-up"
      )
    }
  }
  return Effect.failCause(cause)
}

/**
 * Called where it is to begin: from its start, or its place in a step, to its end, its rest or a failure that `leave` may
 * know how to go on from. Under a shared coordinator it is stored as soon as it is entered (B5).
 */
export const converse = (ops: Ops, port: ConversationPort): Effect.Effect<Outcome | Resting, unknown> =>
  port.shared && ops.live.revision === 0 ? Effect.flatMap(ops.flush(), () => steps(ops, port)) : steps(ops, port)
