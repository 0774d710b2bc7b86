/** What `bot.events` tells: one event for each thing an operator or a test may ask about (I24). Source: C14, C18, A17, A19. */
import type { Cause } from "effect"
import type { Outgoing } from "../model/Content.ts"
import type { DropReason, SuspendReason } from "../model/DropReason.ts"
import type { InboundCall, InboundDelete, InboundEvent, InboundPollVote, InboundReaction } from "../model/Event.ts"

export const conversationOutcomes = [
  "done",
  "failed",
  "timeout",
  "gave-up",
  "cancelled",
  "aborted",
  "replaced",
  "changed",
  "lost"
] as const
/** How a conversation ended. `lost`: its turn was lost and nothing stored holds it. */
export type ConversationOutcome = (typeof conversationOutcomes)[number]

export const handoverOutcomes = ["resumed", "dropped", "notified", "restarted", "handled"] as const
/** What became of a conversation that another life of the bot left behind (C18). */
export type HandoverOutcome = (typeof handoverOutcomes)[number]

/** `C` is the chat type handlers see; `E` the errors of the bot's handlers. */
export type BotEvent<C, E> =
  | { readonly _tag: "started" }
  | { readonly _tag: "ready" }
  | { readonly _tag: "stopping" }
  | { readonly _tag: "stopped" }
  | { readonly _tag: "message"; readonly chat: C }
  | {
      readonly _tag: "error"
      readonly error: E
      readonly cause: Cause.Cause<unknown>
      readonly where: string
      readonly chat: C | undefined
    }
  | { readonly _tag: "dropped"; readonly reason: DropReason; readonly event: InboundEvent }
  | { readonly _tag: "suspended"; readonly key: string; readonly reason: SuspendReason }
  | { readonly _tag: "overrun"; readonly key: string }
  | { readonly _tag: "overloaded"; readonly key: string; readonly waiting: number }
  | { readonly _tag: "send-failed"; readonly message: Outgoing; readonly reason: string }
  | { readonly _tag: "conversation:started"; readonly key: string; readonly flow: string; readonly id: string }
  | {
      readonly _tag: "conversation:ended"
      readonly key: string
      readonly flow: string
      readonly id: string
      readonly outcome: ConversationOutcome
    }
  /** This replica leads the exclusive transport `name` from now on (C13, C14). */
  | { readonly _tag: "coordination:leader"; readonly name: string; readonly fence: number }
  /** It does not, or no longer: led by another, stepped down, or why the lead was lost. */
  | { readonly _tag: "coordination:follower"; readonly name: string; readonly reason: string }
  /** A turn's lease is lost, or a store refused its write for another's; its message is lost or comes again (C6, C11). */
  | { readonly _tag: "coordination:lease-lost"; readonly key: string; readonly reason: string }
  | {
      readonly _tag: "coordination:handover"
      readonly key: string
      readonly name: string
      readonly outcome: HandoverOutcome
    }
  | { readonly _tag: "handoff:started"; readonly chatId: string }
  | { readonly _tag: "handoff:ended"; readonly chatId: string }
  | { readonly _tag: "call"; readonly chat: C; readonly call: InboundCall }
  | { readonly _tag: "reaction"; readonly reaction: InboundReaction }
  | { readonly _tag: "pollVote"; readonly vote: InboundPollVote }
  | { readonly _tag: "delete"; readonly event: InboundDelete }
