/** What the inbound phases need of the bot around them. One object a bot. */
import type { Cause, Effect } from "effect"
import type { Chat, ChatPort } from "../chat/Chat.ts"
import type { HandoverFallback } from "../chat/Handover.ts"
import type { ConversationPort } from "../conversation/ConversationPort.ts"
import type { Conversations } from "../conversation/Runtime.ts"
import type { Timers } from "../conversation/Timers.ts"
import type { Turns } from "../conversation/Turns.ts"
import type { BotEvent, HandoverOutcome } from "../events/BotEvent.ts"
import type { Metrics } from "../events/Metrics.ts"
import type { Commands } from "../handlers/Commands.ts"
import type { Matchers, Reaction } from "../handlers/Matchers.ts"
import type { HookList } from "../hooks/Hooks.ts"
import type { DropReason } from "../model/DropReason.ts"
import type { InboundEvent, MessageEvent, SignalEvent } from "../model/Event.ts"
import type { LifecycleCell } from "../outbound/Lifecycle.ts"
import type { Claim as SharedClaim, CoordinatorShape, Lease } from "../spi/Coordinator.ts"
import type { DurabilityShape } from "../spi/Durability.ts"
import type { NotAcceptingError } from "../spi/Provider.ts"
import type { BotScope, StoreError, StoreShape } from "../spi/Store.ts"
import type { CoordinationUnavailableError, LeaseLostError } from "../spi/Errors.ts"
import type { View } from "./Passage.ts"

/** Why what is stored of a key could not be read under its turn. */
export type ReadFailure = StoreError | LeaseLostError | CoordinationUnavailableError

/** What a failing handler, hook or conversation leaves behind. */
export interface Failure {
  readonly cause: Cause.Cause<unknown>
  /** Which part failed, for the log: `when "hola"`, `flow registrar`, `after hook`. */
  readonly where: string
  readonly chat: Chat | undefined
  /** Which onFailure hooks it concerns; "message" when absent (B7). */
  readonly during?: "message" | "call"
  /** The person waits for nothing, or has been answered: no apology (B25). */
  readonly quiet?: boolean
  /** The step is tried again after a back-off: told, but nobody needs to answer for it yet (R14, R16). */
  readonly retried?: boolean
  /** An error of the engine, not of the bot's own handlers: `Bot.onError` does not know its type. */
  readonly engine?: boolean
}

export interface MessageHooks {
  readonly before: HookList<Chat, Chat | void>
  readonly after: HookList<Chat>
  readonly onError: HookList<Failure>
}
export interface CallHooks {
  readonly before: HookList<Chat, Chat | void>
  readonly after: HookList<Chat>
  readonly onError: HookList<Failure>
}

/** A dedupe key that was taken; its holder confirms or releases it (ME1). */
export interface DedupeMark {
  /** ms since the epoch: when it was taken. */
  readonly at: number
}
/** What dedupe says of an event; `mark` is undefined when the event has no id. */
export type Claim =
  | { readonly _tag: "claimed"; readonly mark: DedupeMark | undefined }
  | { readonly _tag: "duplicate" }
  | { readonly _tag: "admitting"; readonly outcome: (tell: (admitted: boolean) => void) => void }

/**
 * The order of one key (A8), with its names: the same text objects for every message, which makes each look-up by them
 * cheap. To be used in the very step that asked for it.
 */
export interface Lane {
  readonly key: string
  /** What the coordinator calls the key. */
  readonly ticket: string
  readonly isFull: () => boolean
  readonly arrive: () => Place
  /** An event that had started is over. */
  readonly over: () => void
}

/** A place in the order of a key (A8). */
export interface Place {
  /** The event is admitted: takes its ticket when its time comes. */
  readonly ready: (start: () => void) => void
  /** The event was dropped: its place is given up. Safe to repeat. */
  readonly void: () => void
}

/** A trigger that waits for a conversation to end. */
export interface Follower {
  readonly run: () => void
  /** The bot stops before its time has come: says so. */
  readonly lost: () => void
}

export interface SignalHandler {
  readonly tag: SignalEvent["_tag"]
  readonly reaction: Extract<Reaction, { readonly _tag: "run" }>
}

export interface InboundPort {
  readonly providerId: string
  readonly lifecycle: LifecycleCell
  readonly store: StoreShape
  readonly scope: BotScope
  readonly durability: DurabilityShape
  readonly coordinator: CoordinatorShape
  readonly timers: Timers
  readonly admissions: {
    /** Runs it within its bound; `late` runs when it ends after it was given up. */
    readonly bounded: <A, E>(
      admission: Effect.Effect<A, E>,
      late: () => void
    ) => Effect.Effect<A, E | StoreError | NotAcceptingError>
  }
  /** Runs without being waited for. */
  readonly run: (effect: Effect.Effect<void>) => void
  readonly turns: Turns
  readonly conversations: Conversations
  readonly conversationPort: ConversationPort
  readonly chatPort: ChatPort
  readonly access: { readonly lets: (chatId: string, sender: string) => boolean }
  readonly dedupe:
    | {
        readonly claim: (event: MessageEvent, now: number) => Claim
        readonly confirm: (mark: DedupeMark | undefined) => void
        readonly release: (mark: DedupeMark | undefined) => void
        /** What is claimed for it of all replicas, within its turn key (R15). */
        readonly shared: (mark: DedupeMark | undefined) => SharedClaim | undefined
      }
    | undefined
  readonly echo: { readonly isEcho: (event: InboundEvent, now: number) => boolean } | undefined
  readonly queue: {
    readonly waiting: number
    readonly lane: (key: string) => Lane
  }
  readonly views: {
    readonly known: (lease: Lease, key: string, userId: string) => View | undefined
    readonly open: (lease: Lease, key: string, chatId: string, userId: string) => Effect.Effect<View, ReadFailure>
    readonly forget: (key: string) => void
  }
  readonly handover: {
    readonly fallback: HandoverFallback
    /** In place of the localised one. */
    readonly notifyMessage: string | undefined
    /** Counts and tells what became of one. */
    readonly told: (key: string, flow: string, outcome: HandoverOutcome) => void
  }
  readonly hears: (event: MessageEvent) => boolean
  /** One conversation a chat, or one a participant (B6). */
  readonly perParticipant: boolean
  readonly detect: ((body: string) => string | undefined) | undefined
  readonly defaultLang: string
  readonly handoffCommands: ReadonlySet<string>
  readonly matchers: Matchers
  readonly commands: Commands
  readonly catchAlls: HookList<Chat>
  readonly signals: HookList<{ readonly chat: Chat; readonly event: SignalEvent }>
  readonly message: MessageHooks
  readonly call: CallHooks
  readonly metrics: Metrics
  readonly publish: (event: BotEvent<Chat, unknown>) => void
  /** Counts and reports a failure; never fails itself (A19). */
  readonly failed: (failure: Failure) => Effect.Effect<void>
  readonly dropped: (event: InboundEvent, reason: DropReason) => void
  /** Runs once the conversation of a key has ended: a trigger queued behind it (B18). False when too many wait already. */
  readonly afterConversation: (key: string, follower: Follower) => boolean
  /** Re-arms the idle timers of a key after a message (A17). */
  readonly rearmIdle: (chat: Chat) => void
}
