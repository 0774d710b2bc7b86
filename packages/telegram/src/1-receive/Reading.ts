/** What reading an update can come to: the closed set of answers of this phase. */
import type { InboundEvent, InboundInteraction } from "@botmesh/core/spi"

export type IgnoredReason =
  /** An update kind this provider does not ask for, or one from the future. */
  | "unknown-kind"
  /** The bot was blocked, added or removed: a later send says so by itself. */
  | "membership"
  /** A message nobody wrote: somebody joined, a title changed, the chat was upgraded. */
  | "service"
  /** A button of an inline message or a game: it has no chat, or no data. */
  | "no-chat"
  /** A vote in a poll this bot's store does not know (or no longer). */
  | "unknown-poll"

/** A vote names no chat: it is looked up by the poll's id. */
export interface Vote {
  readonly _tag: "vote"
  readonly pollId: string
  readonly options: ReadonlyArray<number>
  readonly sender: string
  readonly senderName?: string
  readonly lang?: string
}

export type Reading =
  | { readonly _tag: "event"; readonly event: InboundEvent }
  /** `token` stands for a key that did not fit behind its button. */
  | { readonly _tag: "button"; readonly token: string; readonly event: InboundInteraction }
  | Vote
  | {
      readonly _tag: "ignored"
      readonly kind: string
      readonly reason: IgnoredReason
      /** A callback query that is ignored is still to be answered, or its button spins. */
      readonly callbackId?: string
    }
  | { readonly _tag: "malformed"; readonly kind: string; readonly detail: string }
