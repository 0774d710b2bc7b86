/**
 * What a free-form conversation, and a `Flow.do` step, is written with: every act is an op with a name, recorded so that
 * a conversation that moves or restarts says, asks and runs nothing twice (R2, R22).
 */
import type { Effect, Schema } from "effect"
import { Schema as S } from "effect"
import type { Chat, Reply } from "../chat/Chat.ts"
import type { Receipt } from "../model/Content.ts"
import type { DurationInput } from "../model/Duration.ts"
import type { MediaKind } from "../model/Event.ts"
import type { Json } from "../model/Json.ts"
import type { SendFailure } from "../outbound/Send.ts"
import type { LeaseLostError } from "../spi/Errors.ts"
import type { StoreError } from "../spi/Store.ts"
import type { AskOptions, ChoiceOf } from "./Flow.ts"
import type { MediaAnswer, RunInfo, State } from "./Step.ts"

/** The question was not answered in time. Uncaught, the conversation ends with the localised text (B3). */
export class QuestionTimedOut extends S.TaggedError<QuestionTimedOut>()("QuestionTimedOut", { question: S.String }) {
  override get message(): string {
    return `Nobody answered "${this.question}" in time`
  }
}
/** Every try was an invalid answer. Uncaught, the conversation ends with the localised text (B3). */
export class GaveUp extends S.TaggedError<GaveUp>()("GaveUp", { question: S.String, attempts: S.Int }) {
  override get message(): string {
    return `"${this.question}" was answered wrongly ${this.attempts} times`
  }
}
/** A second op was begun while one was open: ops of a conversation are one at a time (R22). */
export class OpInProgress extends S.TaggedError<OpInProgress>()("OpInProgress", { open: S.String, second: S.String }) {
  override get message(): string {
    return `"${this.second}" began while "${this.open}" is open: run the ops of a conversation one after the other`
  }
}
/** The op log is at its limit: call `c.checkpoint(state)` from time to time (design.md 6). */
export class LogFull extends S.TaggedError<LogFull>()("LogFull", { ops: S.Int, bytes: S.Int }) {
  override get message(): string {
    return `The log of this step holds ${this.ops} ops (${this.bytes} bytes), its limit: call c.checkpoint(state) to compact it`
  }
}
/** A result or a state is not plain JSON and names no Schema, so it cannot be stored. */
export class NotStorable extends S.TaggedError<NotStorable>()("NotStorable", { what: S.String, detail: S.String }) {
  override get message(): string {
    return `${this.what} cannot be stored: ${this.detail}. Return plain JSON or name a \`result\` Schema`
  }
}

export type OpFailure = OpInProgress | LogFull | NotStorable | StoreError | LeaseLostError

type ConvAskOptions<A, St> = Omit<AskOptions<A, St>, "id" | "onTimeout" | "onGiveUp">

export interface Conv<out St> {
  /** The state at step entry; `c.checkpoint` replaces it. */
  readonly state: St
  /** The message that is being handled; in a timer or trigger, the one that started the conversation. */
  readonly chat: Chat
  readonly lang: string
  /** Asks and waits for the answer. @param name names the op: unique within the step. */
  readonly ask: <A = string>(
    name: string,
    text: string,
    options?: ConvAskOptions<A, St>
  ) => Effect.Effect<A, GaveUp | QuestionTimedOut | SendFailure | OpFailure>
  /** Shows a menu and waits for a choice. */
  readonly choose: {
    <const O extends Record<string, string>>(
      name: string,
      text: string,
      choices: O,
      options?: ConvAskOptions<string, St>
    ): Effect.Effect<keyof O & string, GaveUp | QuestionTimedOut | SendFailure | OpFailure>
    <V extends Json>(
      name: string,
      text: string,
      choices: ReadonlyArray<ChoiceOf<V>>,
      options?: ConvAskOptions<string, St>
    ): Effect.Effect<V, GaveUp | QuestionTimedOut | SendFailure | OpFailure>
  }
  /** Asks for a file. */
  readonly askMedia: (
    name: string,
    text: string,
    options: ConvAskOptions<MediaAnswer, St> & { readonly kinds: ReadonlyArray<MediaKind> }
  ) => Effect.Effect<MediaAnswer, GaveUp | QuestionTimedOut | SendFailure | OpFailure>
  /** Says a text or any content; said once, however often the step is resumed. */
  readonly say: (reply: Reply) => Effect.Effect<Receipt, SendFailure | OpFailure>
  /** Runs an effect once: its result is recorded. One in flight at a crash runs again under the same `op.id`. */
  readonly run: {
    <A extends Json, E, R>(
      name: string,
      effect: Effect.Effect<A, E, R> | ((op: RunInfo) => Effect.Effect<A, E, R>)
    ): Effect.Effect<A, E | OpFailure, R>
    <A, E, R>(
      name: string,
      effect: Effect.Effect<A, E, R> | ((op: RunInfo) => Effect.Effect<A, E, R>),
      options: { readonly result: Schema.Codec<A, any> }
    ): Effect.Effect<A, E | OpFailure, R>
  }
  /** Sleeps; over 5 s it frees the turn, and the deadline survives a restart (R16, C23). */
  readonly sleep: (name: string, duration: DurationInput) => Effect.Effect<void, OpFailure>
  /** The time, recorded. Milliseconds since the epoch. */
  readonly now: Effect.Effect<number, OpFailure>
  /** A random number in [0, 1), recorded. */
  readonly random: Effect.Effect<number, OpFailure>
  /** Runs the watcher once whenever a later question has waited `after` without an answer (B4, B15). */
  readonly idle: (after: DurationInput, reminder: string) => Effect.Effect<void>
  /** Compacts the log: the step starts over from `state` when it is resumed, so call it at the head of a loop. */
  readonly checkpoint: <S2 extends St & State>(state: S2) => Effect.Effect<void, OpFailure>
  /** Goes on with another flow in the same turn. */
  readonly goto: (flow: string, state?: State) => Effect.Effect<never>
  /** Ends the conversation here. */
  readonly end: (text?: string) => Effect.Effect<never>
}
