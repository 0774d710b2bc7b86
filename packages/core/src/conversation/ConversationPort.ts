/** What the conversation engine needs of the bot around it. One object a bot. */
import type { Cause, Effect } from "effect"
import type { Chat } from "../chat/Chat.ts"
import type { ConversationOutcome } from "../events/BotEvent.ts"
import type { Catalogue } from "../i18n/Catalogue.ts"
import type { Checkpoint, SavedMessage } from "../model/Checkpoint.ts"
import type { Outbound } from "../outbound/Send.ts"
import type { Turn, TurnHolder } from "../outbound/Turn.ts"
import type { BotScope, StoreShape } from "../spi/Store.ts"
import type { Live, Registered } from "./Live.ts"
import type { Timers } from "./Timers.ts"
import type { Turns } from "./Turns.ts"

export interface ConversationLimits {
  /** Steps without waiting for a person or a long sleep. */
  readonly steps: number
  readonly gotos: number
  /** Messages kept while it sleeps or is cut. */
  readonly pending: number
  /** Cuts of one op in a row before the conversation fails. */
  readonly cuts: number
  /** ms a parked persistent conversation keeps its fiber; then it is dormant. */
  readonly dormantAfter: number
  /** ms: the default wait of a question; `undefined` waits for ever. */
  readonly timeout: number | undefined
}

export interface ConversationPort {
  readonly store: StoreShape
  readonly scope: BotScope
  readonly timers: Timers
  readonly turns: Turns
  readonly outbound: Outbound
  readonly limits: ConversationLimits
  /** Checkpoints are stored as soon as a flow is entered (B5). */
  readonly shared: boolean
  readonly handover: {
    /** Conversations that are not persistent are stored for a while too. */
    readonly forward: boolean
    /** ms: how long, from their last wait. */
    readonly ttl: number
    readonly maxAnswerBytes: number
  }
  readonly registered: (flow: string) => Registered | undefined
  readonly known: () => ReadonlyArray<string>
  readonly catalogue: Catalogue
  /** Whether a whole answer is the word for cancelling or going back, in that language (B25). */
  readonly word: (body: string, lang: string) => "cancel" | "back" | undefined
  /** The chat a conversation's code sees: its acts go through the conversation's own turn. */
  readonly chatOf: (holder: TurnHolder, message: SavedMessage) => Chat
  /** A person holds the chat: its timers rest (B14). */
  readonly handedOff: (live: Live) => boolean
  /** A live copy went; what is stored is read anew next time. */
  readonly onDormant: (live: Live) => void
  readonly onStarted: (live: Live) => void
  /** A dormant one is live again. */
  readonly onAwake: (live: Live, turn: Turn) => void
  readonly onEnded: (live: Live, outcome: ConversationOutcome) => void
  /** A stored conversation ended without coming to life here. */
  readonly onDropped: (key: string, checkpoint: Checkpoint, outcome: ConversationOutcome) => void
  /** Messages it kept for a question that never came: they are new again (R2, R16). */
  readonly onKept: (key: string, messages: ReadonlyArray<SavedMessage>) => void
  /** A write of it had no answer, or was cut: it may still land (R5, R6). */
  readonly onUnanswered: (key: string) => void
  readonly onRefusedCheckpoint: (live: Live, turn: Turn) => void
  /** Reports a failure of a conversation driven by a timer: it has no message of its own. */
  readonly onError: (live: Live, cause: Cause.Cause<unknown>, retried?: boolean) => Effect.Effect<void>
}
