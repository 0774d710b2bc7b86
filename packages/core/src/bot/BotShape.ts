/** What a running bot offers (design.md 3). */
import type { Effect, Scope, Stream } from "effect"
import type { Chat, Reply, TriggerResult } from "../chat/Chat.ts"
import type { FlowInputError } from "../chat/FlowInputError.ts"
import type { UnknownFlowError } from "../chat/UnknownFlowError.ts"
import type { TurnLimitError, CutTooOftenError } from "../conversation/Execute.ts"
import type { Flow } from "../conversation/Flow.ts"
import type { ConversationInfo } from "../conversation/Runtime.ts"
import type { BotEvent } from "../events/BotEvent.ts"
import type { MetricsSnapshot } from "../events/Metrics.ts"
import type { InvalidProviderEventError } from "../inbound/1-receive/Contract.ts"
import type { Pattern } from "../handlers/Trigger.ts"
import type { Receipt } from "../model/Content.ts"
import type { LifecycleState } from "../outbound/Lifecycle.ts"
import type { SendFailure } from "../outbound/Send.ts"
import type { CoordinationUnavailableError, LeaseLostError } from "../spi/Errors.ts"
import type { ProviderError } from "../spi/Provider.ts"
import type { Handoff, StoreError } from "../spi/Store.ts"
import type { SchedulerShape } from "../spi/Scheduler.ts"
import type { HandledError, HandlerDiedError } from "./Failures.ts"
import type { BotDefinitionError } from "./Definition.ts"
import type { Plugin } from "./Plugin.ts"

/** What `error` events can hold besides the errors of the bot's own handlers. */
export type EngineError =
  | SendFailure
  | StoreError
  | CoordinationUnavailableError
  | LeaseLostError
  | InvalidProviderEventError
  | FlowInputError
  | TurnLimitError
  | CutTooOftenError
  | HandlerDiedError
  | HandledError

export type EventsOf<E> = BotEvent<Chat, E | EngineError>

/** A flow as the bot lists it. Source: B16. */
export interface FlowInfo {
  readonly id: string
  readonly kind: "flow" | "conversation"
  readonly steps: number
  readonly persistent: boolean
}

export interface TriggerRequest {
  readonly chatId: string
  /** Default: the chat id. */
  readonly userId?: string
  readonly isGroup?: boolean
  /** The flow's first state: values of its `input` schema, or their JSON form. */
  readonly data?: Readonly<Record<string, unknown>>
  /** What `chat.body` says. Default "". */
  readonly body?: string
  readonly ifActive?: "reject" | "replace" | "queue"
  readonly lang?: string
}

export interface BotShape<out E> {
  readonly id: string
  readonly state: () => LifecycleState
  /** Sends outside any turn. Fails with `SendFailure`; not safe to repeat. */
  readonly send: (
    chatId: string,
    reply: Reply,
    options?: { readonly topic?: string }
  ) => Effect.Effect<Receipt, SendFailure>
  /** Starts a flow without a message (A21, B18). Inside a turn of the same key it starts after the handler (R18). */
  readonly trigger: (
    flow: string,
    request: TriggerRequest
  ) => Effect.Effect<
    TriggerResult,
    UnknownFlowError | FlowInputError | StoreError | CoordinationUnavailableError | LeaseLostError
  >
  readonly plug: <E2, R2>(
    plugin: Plugin<E2, R2>
  ) => Effect.Effect<{ readonly unplug: Effect.Effect<void> }, E2 | BotDefinitionError, Exclude<R2, Scope.Scope>>
  /** Dynamic flows (B16). Live conversations keep the version they began with. */
  readonly flows: {
    /** Fails when the id exists. */
    readonly register: <S, E2, R2>(
      flow: Flow<S, E2, R2>,
      trigger?: Pattern
    ) => Effect.Effect<void, BotDefinitionError, R2>
    readonly replace: <S, E2, R2>(
      flow: Flow<S, E2, R2>,
      trigger?: Pattern
    ) => Effect.Effect<void, BotDefinitionError, R2>
    /** False when there is none. */
    readonly unregister: (id: string) => Effect.Effect<boolean>
    readonly has: (id: string) => boolean
    readonly list: () => ReadonlyArray<FlowInfo>
  }
  readonly conversations: {
    /** How many deadlines of this bot stand: none of a conversation outlives it (I17). For tests and operators. */
    readonly timers: () => number
    /** Those alive in this process. */
    readonly list: () => ReadonlyArray<ConversationInfo>
    /**
     * Ends the conversation of a key, live or dormant: a chat's id, in groups `chat:participant`; a ":" or "%" in an id is
     * written "%3A" or "%25", as `list` shows it. Takes the key's turn. Inside a turn of another key it is queued and
     * answers true at once: asked for, not done (R18). Safe to repeat.
     */
    readonly abort: (key: string) => Effect.Effect<boolean, StoreError | CoordinationUnavailableError>
  }
  readonly handoff: {
    /** Gives a chat to a person (B14). Safe to repeat. */
    readonly start: (
      chatId: string,
      options?: { readonly by?: string; readonly note?: string }
    ) => Effect.Effect<void, StoreError>
    /** Gives it back; its conversation goes on, its deadlines moved by the pause. Safe to repeat. */
    readonly end: (chatId: string) => Effect.Effect<boolean, StoreError>
    readonly get: (chatId: string) => Effect.Effect<Handoff | undefined, StoreError>
  }
  readonly access: {
    readonly block: (id: string) => Effect.Effect<void>
    readonly unblock: (id: string) => Effect.Effect<void>
    readonly isBlocked: (id: string) => boolean
  }
  /** Work at a time or every so often, for as long as the bot lives (D4). */
  readonly schedule: Pick<SchedulerShape, "schedule" | "at" | "every" | "cron">
  /** Everything that happens, from the moment it is run. A slow reader loses the oldest, counted. */
  readonly events: Stream.Stream<EventsOf<E>>
  /** Completes once the bot receives. */
  readonly ready: Effect.Effect<void>
  /** Serialised with stop, in order. Safe to repeat. */
  readonly start: Effect.Effect<void, ProviderError>
  /** Takes nothing new, lets what runs end within `stopGrace`, stops the transport. Safe to repeat. */
  readonly stop: Effect.Effect<void>
  /** Completes when no message is waiting or being handled. For tests. */
  readonly settled: Effect.Effect<void>
  readonly metrics: { readonly snapshot: () => MetricsSnapshot; readonly prometheus: Effect.Effect<string> }
}
