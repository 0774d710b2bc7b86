/**
 * The flow DSL: a conversation as a list of steps, its state typed by what it asks (B3).
 *
 * ```ts
 * const signUp = Flow.make("registrar").pipe(
 *   Flow.ask("name", "¿Tu nombre?"),
 *   Flow.ask("age", ({ name }) => `¿Tu edad, ${name}?`, { answer: Schema.Int }),
 *   Flow.say(({ name, age }) => `Listo, ${name}: ${age}`),
 *   Flow.persistent)
 * ```
 */
import { type Effect, Pipeable, type Schema } from "effect"
import type { Content } from "../model/Content.ts"
import type { DurationInput } from "../model/Duration.ts"
import type { MediaKind } from "../model/Event.ts"
import type { Json } from "../model/Json.ts"
import type { Conv } from "./Conversation.ts"
import type { Frag, MergeAll, FragError, FragServices, MergeTwo, Put, Simplify } from "./FlowTypes.ts"
import { compile } from "./Program.ts"
import type { AskLimits, Choice, FlowOptions, MediaAnswer, Moment, RunInfo, State, Step } from "./Step.ts"

export type { FlowOptions, Moment, State, Step } from "./Step.ts"

export const FlowTypeId: unique symbol = Symbol.for("@botmesh/core/Flow")

/** A flow under construction or finished: `S` its state so far, `E` and `R` the errors and services of its steps. */
export interface Flow<in out S, out E, out R> extends Pipeable.Pipeable {
  readonly [FlowTypeId]: { readonly s: (_: S) => S; readonly e: () => E; readonly r: () => R }
  readonly id: string
  readonly steps: ReadonlyArray<Step>
  readonly options: FlowOptions
}
export type AnyFlow = Flow<any, any, any>
export type StateOf<F> = F extends Flow<infer S, infer _E, infer _R> ? S : never

export type Text<S> = string | ((state: S, at: Moment) => string)
export interface InsteadOf<S> {
  readonly say?: Text<S>
  readonly goto?: string
}
export interface AskOptions<A, S> extends Omit<AskLimits, "invalid" | "onTimeout" | "onGiveUp" | "idle"> {
  /** Reads and checks the answer. Numbers, booleans and dates read text by the coercion of the guide. Default: the text. */
  readonly answer?: Schema.Decoder<A>
  /** Checks a decoded answer: false asks again, a text says why. */
  readonly validate?: (answer: NoInfer<A>, state: S, at: Moment) => boolean | string
  readonly invalid?: Text<S>
  readonly onTimeout?: InsteadOf<S>
  readonly onGiveUp?: InsteadOf<S>
  readonly idle?: { readonly after: DurationInput; readonly say: Text<S> }
  /** A stable step id; the state key when absent. */
  readonly id?: string
}

type Adds<S, S2, E2 = never, R2 = never> = <E, R>(self: Flow<S, E, R>) => Flow<S2, E | E2, R | R2>

const proto = {
  ...Pipeable.Prototype,
  [FlowTypeId]: { s: (state: unknown) => state, e: () => undefined, r: () => undefined }
}
/** The phantom types of a flow exist for the compiler alone; this is the only place that asserts them. */
const build = <S, E, R>(id: string, steps: ReadonlyArray<Step>, options: FlowOptions): Flow<S, E, R> =>
  Object.assign(Object.create(proto) as Flow<S, E, R>, { id, steps, options })
const add = <S, E, R>(self: AnyFlow, step: Step): Flow<S, E, R> => build(self.id, [...self.steps, step], self.options)

const options0: FlowOptions = { persistent: false, timeout: undefined, migrate: undefined, input: undefined }

/**
 * An empty flow. @param id unique in the bot: what `goto`, `trigger` and stored checkpoints name.
 * `input` declares the state a trigger or a goto brings along; the fields of a Struct are stored by their own schemas.
 */
export function make(id: string): Flow<{}, never, never>
export function make<S>(id: string, options: { readonly input: Schema.Codec<S, any> }): Flow<S, never, never>
export function make(id: string, options?: { readonly input: Schema.Codec<unknown, unknown> }): AnyFlow {
  return build(id, [], options === undefined ? options0 : { ...options0, input: options.input })
}

/** Asks and keeps the answer under `key`. Source: B3. */
export function ask<const K extends string, A = string>(
  key: K,
  text: string,
  options?: Omit<AskOptions<A, never>, "validate"> & {
    readonly validate?: (answer: NoInfer<A>) => boolean | string
  }
): <S, E, R>(self: Flow<S, E, R>) => Flow<Put<S, K, A>, E, R>
export function ask<const K extends string, S, A = string>(
  key: K,
  text: Text<S>,
  options?: AskOptions<A, S>
): Adds<S, Put<S, K, A>>
export function ask(key: string, text: Text<never>, options: AskOptions<unknown, never> = {}) {
  return (self: AnyFlow): AnyFlow =>
    add(self, {
      _tag: "ask",
      key,
      id: options.id,
      text,
      answer: options.answer,
      media: undefined,
      validate: options.validate,
      options
    })
}

/** Asks for a file and keeps its description under `key`; text is not an answer. Source: B25. */
export const askMedia =
  <const K extends string, S>(
    key: K,
    text: Text<S>,
    options: Omit<AskOptions<MediaAnswer, S>, "answer"> & { readonly kinds: ReadonlyArray<MediaKind> }
  ): Adds<S, Put<S, K, MediaAnswer>> =>
  (self) =>
    add(self, {
      _tag: "ask",
      key,
      id: options.id,
      text,
      answer: undefined,
      media: options.kinds,
      validate: options.validate,
      options
    })

/** Says a text, or any content. */
export function say(content: string | Content): <S, E, R>(self: Flow<S, E, R>) => Flow<S, E, R>
export function say<S>(content: (state: S, at: Moment) => string | Content): Adds<S, S>
export function say(content: string | Content | ((state: never, at: Moment) => string | Content)) {
  return (self: AnyFlow): AnyFlow => add(self, { _tag: "say", content })
}

export interface ChoiceOf<V> {
  readonly key: string
  readonly label: string
  readonly value: V
}
type ChooseOptions<S> = Omit<AskOptions<string, S>, "answer" | "validate">

/** Shows a menu and keeps the chosen key (or, for a computed menu, the chosen value) under `key`. */
export function choose<const K extends string, const O extends Record<string, string>>(
  key: K,
  text: string,
  choices: O,
  options?: ChooseOptions<never>
): <S, E, R>(self: Flow<S, E, R>) => Flow<Put<S, K, keyof O & string>, E, R>
export function choose<const K extends string, S, const O extends Record<string, string>>(
  key: K,
  text: Text<S>,
  choices: O,
  options?: ChooseOptions<S>
): Adds<S, Put<S, K, keyof O & string>>
export function choose<const K extends string, S, V extends Json, E2, R2>(
  key: K,
  text: Text<S>,
  choices: (state: S) => Effect.Effect<ReadonlyArray<ChoiceOf<V>>, E2, R2>,
  options?: ChooseOptions<S>
): Adds<S, Put<S, K, V>, E2, R2>
export function choose(
  key: string,
  text: Text<never>,
  choices: Record<string, string> | ((state: never) => Effect.Effect<ReadonlyArray<Choice>, unknown, unknown>),
  options: ChooseOptions<never> = {}
) {
  return (self: AnyFlow): AnyFlow =>
    add(self, {
      _tag: "choose",
      key,
      id: options.id,
      text,
      choices:
        typeof choices === "function" ? choices : Object.entries(choices).map(([key, label]) => ({ key, label })),
      options
    })
}

/**
 * Runs an effect and keeps its result under `key`. Recorded when it succeeded and never run again after; one in flight at
 * a crash is run again under the same `op.id`, the idempotency key a payment needs (R2). Results are JSON, or name a
 * `result` Schema.
 */
export function run<const K extends string, S, A extends Json, E2, R2>(
  key: K,
  effect: (state: S, op: RunInfo) => Effect.Effect<A, E2, R2>
): Adds<S, Put<S, K, A>, E2, R2>
export function run<const K extends string, S, A, E2, R2>(
  key: K,
  effect: (state: S, op: RunInfo) => Effect.Effect<A, E2, R2>,
  options: { readonly result: Schema.Codec<A, any> }
): Adds<S, Put<S, K, A>, E2, R2>
export function run(
  key: string,
  effect: (state: never, op: RunInfo) => Effect.Effect<unknown, unknown, unknown>,
  options: { readonly result?: Schema.Codec<unknown, unknown> } = {}
) {
  return (self: AnyFlow): AnyFlow => add(self, { _tag: "run", key, run: effect, result: options.result })
}

type DoBody<S, A, E, R> = (c: Conv<S>) => Effect.Effect<A, E, R>
/** A free-form step: several questions, says and runs, each an op of its own; its result is kept under `key`. */
const do_: {
  <const K extends string, S, A extends Json, E2, R2>(key: K, body: DoBody<S, A, E2, R2>): Adds<S, Put<S, K, A>, E2, R2>
  <const K extends string, S, A, E2, R2>(
    key: K,
    body: DoBody<S, A, E2, R2>,
    options: { readonly result: Schema.Codec<A, any> }
  ): Adds<S, Put<S, K, A>, E2, R2>
} =
  (
    key: string,
    body: DoBody<never, unknown, unknown, unknown>,
    options: { readonly result?: Schema.Codec<unknown, unknown> } = {}
  ) =>
  (self: AnyFlow): AnyFlow =>
    add(self, { _tag: "do", key, body, result: options.result })
export { do_ as do }

/** Makes a value of the state and keeps it under `key`: what later steps read, without an op of its own. */
export const set =
  <const K extends string, S, A extends Json>(key: K, value: (state: S, at: Moment) => A): Adds<S, Put<S, K, A>> =>
  (self) =>
    add(self, { _tag: "set", key, value })

const fragment = <S>(frag: Frag<S, any, any, any> | undefined): ReadonlyArray<Step> =>
  frag === undefined ? [] : frag(build("", [], options0)).steps

/** Takes a branch by the state; what only one branch asks is optional afterwards. */
export const when =
  <S, S1, E1, R1, S2 = S, E2 = never, R2 = never>(
    condition: (state: S, at: Moment) => boolean,
    then: Frag<S, S1, E1, R1>,
    otherwise?: Frag<S, S2, E2, R2>
  ): Adds<S, Simplify<MergeTwo<S1, S2>>, E1 | E2, R1 | R2> =>
  (self) =>
    add(self, {
      _tag: "branch",
      name: "when",
      pick: (state: S, at: Moment) => (condition(state, at) ? "then" : "else"),
      branches: { then: fragment(then), else: fragment(otherwise) }
    })

/** Takes the branch named by a field of the state. */
export const match =
  <S, K extends keyof S & string, B extends { readonly [P in S[K] & string]: Frag<S, any, any, any> }>(
    key: K,
    branches: B
  ): Adds<S, Simplify<MergeAll<S, B>>, FragError<B>, FragServices<B>> =>
  (self) => {
    const names = Object.keys(branches)
    const steps = Object.fromEntries(names.map((name) => [name, fragment(branches[name as S[K] & string])]))
    return add(self, { _tag: "branch", name: key, pick: (state: S) => String(state[key]), branches: steps })
  }

/** Several questions in a row. */
export const form =
  <const F extends Readonly<Record<string, { readonly text: string; readonly answer?: Schema.Decoder<any> }>>>(
    fields: F
  ) =>
  <S, E, R>(
    self: Flow<S, E, R>
  ): Flow<
    Simplify<S & { readonly [P in keyof F]: F[P] extends { readonly answer: Schema.Decoder<infer A> } ? A : string }>,
    E,
    R
  > =>
    build(
      self.id,
      [
        ...self.steps,
        ...Object.entries(fields).map(
          ([key, field]): Step => ({
            _tag: "ask",
            key,
            id: undefined,
            text: field.text,
            answer: field.answer,
            media: undefined,
            validate: undefined,
            options: {}
          })
        )
      ],
      self.options
    )

/** Waits. Over 5 s it frees the turn: messages that come meanwhile are kept for the next question (R16). */
export const delay =
  (duration: DurationInput) =>
  <S, E, R>(self: Flow<S, E, R>): Flow<S, E, R> =>
    add(self, { _tag: "delay", duration })

/** Goes on with another flow, in the same turn; `state` is what it starts with (nothing is carried over by itself). */
export const goto =
  <S>(flow: string, state?: (state: S, at: Moment) => State) =>
  <E, R>(self: Flow<S, E, R>): Flow<S, E, R> =>
    add(self, { _tag: "goto", flow, state })

/** Ends the flow here, with a last text. */
export const end =
  (text?: string) =>
  <S, E, R>(self: Flow<S, E, R>): Flow<S, E, R> =>
    add(self, { _tag: "end", text })

/** Keeps a checkpoint in the store: the conversation goes on after a restart (B5). */
export const persistent = <S, E, R>(self: Flow<S, E, R>): Flow<S, E, R> =>
  build(self.id, self.steps, { ...self.options, persistent: true })

/** How long every question of this flow waits that names no timeout of its own. */
export const timeout =
  (duration: DurationInput) =>
  <S, E, R>(self: Flow<S, E, R>): Flow<S, E, R> =>
    build(self.id, self.steps, { ...self.options, timeout: duration })

/** Maps the state of older versions of this flow when one of their checkpoints is resumed (design.md 6). */
export const migrate =
  (f: NonNullable<FlowOptions["migrate"]>) =>
  <S, E, R>(self: Flow<S, E, R>): Flow<S, E, R> =>
    build(self.id, self.steps, { ...self.options, migrate: f })

/**
 * A flow of steps that are data already: for compilers of other notations, such as flow documents. The steps' functions
 * take the state those steps make; nothing here checks that.
 */
export const fromSteps = <E = never, R = never>(
  id: string,
  steps: ReadonlyArray<Step>,
  options: Partial<FlowOptions> = {}
): Flow<State, E, R> => build(id, steps, { ...options0, ...options })

/** One step as a stored conversation names it. */
export interface StepOutline {
  readonly id: string
  readonly kind: Step["_tag"]
  /** The state key it fills. */
  readonly key: string | undefined
}
/**
 * The steps of a flow by their stable ids, and its fingerprint: what decides whether a stored conversation can go on after
 * a change. Pure. Source: B16
 */
export const outline = (flow: AnyFlow): { readonly version: string; readonly steps: ReadonlyArray<StepOutline> } => {
  const { nodes, version } = compile(flow)
  return {
    version,
    steps: nodes.map(({ id, step }) => ({ id, kind: step._tag, key: "key" in step ? step.key : undefined }))
  }
}
