/** What the inbound phases need of the bot around them. One object a bot. */
import type { Cause, Effect } from "effect"
import type { Chat, ChatPort } from "../chat/Chat.ts"
import type { ConversationPort } from "../conversation/ConversationPort.ts"
import type { Conversations } from "../conversation/Runtime.ts"
import type { Timers } from "../conversation/Timers.ts"
import type { Turns } from "../conversation/Turns.ts"
import type { BotEvent } from "../events/BotEvent.ts"
import type { Metrics } from "../events/Metrics.ts"
import type { Commands } from "../handlers/Commands.ts"
import type { Matchers, Reaction } from "../handlers/Matchers.ts"
import type { HookList } from "../hooks/Hooks.ts"
import type { DropReason } from "../model/DropReason.ts"
import type { InboundEvent, SignalEvent } from "../model/Event.ts"
import type { LifecycleCell } from "../outbound/Lifecycle.ts"
import type { CoordinatorShape } from "../spi/Coordinator.ts"
import type { DurabilityShape } from "../spi/Durability.ts"
import type { BotScope, StoreShape } from "../spi/Store.ts"
import type { EchoFilter } from "./1-receive/Echo.ts"
import type { Access } from "./2-admit/Access.ts"
import type { Dedupe } from "./2-admit/Dedupe.ts"
import type { GroupMode } from "./2-admit/GroupMode.ts"
import type { ChatQueue } from "./3-turn/ChatQueue.ts"
import type { Views } from "./3-turn/Views.ts"

/** What a failing handler, hook or conversation leaves behind. */
export interface Failure {
  readonly cause: Cause.Cause<unknown>
  /** Which part failed, for the log: `when "hola"`, `flow registrar`, `after hook`. */
  readonly where: string
  readonly chat: Chat | undefined
}

export interface MessageHooks {
  readonly before: HookList<Chat, Chat | void>
  readonly after: HookList<Chat>
  readonly onError: HookList<Failure>
}
export interface CallHooks {
  readonly before: HookList<Chat, Chat | void>
  readonly after: HookList<Chat>
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
  readonly turns: Turns
  readonly conversations: Conversations
  readonly conversationPort: ConversationPort
  readonly chatPort: ChatPort
  readonly access: Access
  readonly dedupe: Dedupe | undefined
  readonly echo: EchoFilter | undefined
  readonly queue: ChatQueue
  readonly views: Views
  readonly groupMode: GroupMode
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
  readonly afterConversation: (key: string, run: () => void) => boolean
  /** Re-arms the idle timers of a key after a message (A17). */
  readonly rearmIdle: (chat: Chat) => void
}
