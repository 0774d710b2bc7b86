/**
 * A flow as data: what the DSL builds and the compiler reads. The user's types are gone here (see model/Erased.ts):
 * a step's functions take the state that the flow's own decoders made.
 */
import type { Schema } from "effect"
import type { Chat } from "../chat/Chat.ts"
import type { Content, Option } from "../model/Content.ts"
import type { DurationInput } from "../model/Duration.ts"
import type { UserEffect } from "../model/Erased.ts"
import type { InboundMedia, MediaKind } from "../model/Event.ts"
import type { Conv } from "./Conversation.ts"

/** State as the engine holds it: decoded values by key. */
export type State = Readonly<Record<string, unknown>>

/** What a step's functions may look at beside the state. */
export interface Moment {
  /** The message that is being handled; after a restart, in a timer or a trigger the one that started the conversation. */
  readonly chat: Chat
}

export type AnyText = string | ((state: never, at: Moment) => string)
export type AnyContent = string | Content | ((state: never, at: Moment) => string | Content)

/** What happens instead of ending with the built-in text: say something, go to another flow, or both. */
export interface Instead {
  readonly say?: AnyText
  readonly goto?: string
}

/** One started `run`: `id` is stable over retries and restarts, the idempotency key a payment needs (R2). */
export interface RunInfo {
  readonly id: string
  /** 1 for the first try. */
  readonly attempt: number
}

interface Named {
  /** A stable step id; made of the state key, or of the step before it, when absent. */
  readonly id?: string | undefined
}
export interface AskStep {
  readonly _tag: "ask"
  readonly key: string
  readonly id: string | undefined
  readonly text: AnyText
  readonly answer: Schema.Decoder<unknown> | undefined
  readonly media: ReadonlyArray<MediaKind> | undefined
  readonly validate: ((answer: never, state: never, at: Moment) => boolean | string) | undefined
  readonly options: AskLimits
}
/** What bounds a question. */
export interface AskLimits {
  /** Tries after the first; 0 to 20, default 20. Then the conversation gives up. */
  readonly retries?: number | undefined
  readonly invalid?: AnyText | undefined
  readonly timeout?: DurationInput | undefined
  readonly onTimeout?: Instead | undefined
  readonly onGiveUp?: Instead | undefined
  /** Said once while the question waits. */
  readonly idle?: { readonly after: DurationInput; readonly say: AnyText } | undefined
  /** False: words like "cancelar" are an answer here. */
  readonly cancel?: boolean | undefined
  /** False: words like "atrás" are an answer here. */
  readonly back?: boolean | undefined
}
export interface Choice extends Option {
  readonly value?: unknown
}
export interface ChooseStep {
  readonly _tag: "choose"
  readonly key: string
  readonly id: string | undefined
  readonly text: AnyText
  readonly choices: ReadonlyArray<Choice> | ((state: never) => UserEffect<ReadonlyArray<Choice>>)
  readonly options: AskLimits
}
export interface SayStep extends Named {
  readonly _tag: "say"
  readonly content: AnyContent
}
export interface RunStep extends Named {
  readonly _tag: "run"
  readonly key: string
  readonly run: (state: never, op: RunInfo, at: Moment) => UserEffect
  readonly result: Schema.Codec<unknown, unknown> | undefined
}
export interface DoStep extends Named {
  readonly _tag: "do"
  readonly key: string
  readonly body: (c: Conv<never>) => UserEffect
  readonly result: Schema.Codec<unknown, unknown> | undefined
}
/** A value made of the state and kept in it: no op, for it is made again from the same state. */
export interface SetStep extends Named {
  readonly _tag: "set"
  readonly key: string
  readonly value: (state: never, at: Moment) => unknown
}
export interface DelayStep extends Named {
  readonly _tag: "delay"
  readonly duration: DurationInput
}
export interface BranchStep extends Named {
  readonly _tag: "branch"
  readonly name: string
  /** The name of the branch to take; `undefined` takes none. */
  readonly pick: (state: never, at: Moment) => string | undefined
  readonly branches: Readonly<Record<string, ReadonlyArray<Step>>>
}
export interface GotoStep extends Named {
  readonly _tag: "goto"
  readonly flow: string
  readonly state: ((state: never, at: Moment) => State) | undefined
}
export interface EndStep extends Named {
  readonly _tag: "end"
  readonly text: AnyText | undefined
}

export type Step =
  | AskStep
  | ChooseStep
  | SayStep
  | RunStep
  | DoStep
  | SetStep
  | DelayStep
  | BranchStep
  | GotoStep
  | EndStep

export interface FlowOptions {
  /** What a trigger or a goto brings along. */
  readonly input: Schema.Codec<unknown, unknown> | undefined
  readonly persistent: boolean
  /** The wait of every question that names none. */
  readonly timeout: DurationInput | undefined
  /** Maps the state of an older version when a checkpoint of it is resumed. */
  readonly migrate:
    | ((old: { readonly version: string; readonly stepId: string; readonly state: State }) => State)
    | undefined
}

/** A media answer: what the state keeps of a file somebody sent. `native` is the provider's handle. */
export interface MediaAnswer extends Pick<InboundMedia, "kind"> {
  readonly mimetype?: string
  readonly filename?: string
  readonly caption: string
  readonly native: unknown
}
