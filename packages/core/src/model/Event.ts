/**
 * What a transport tells the bot: the normalised inbound events, one shape for every provider.
 *
 * Chat and sender ids are opaque strings (B10). An event's id names exactly one logical event, stays the same when the
 * event is delivered again, and is "" when the transport cannot promise that (then it is never deduplicated, A4).
 */

/** Names one message of a chat. `native` is whatever the provider needs to quote, edit or delete it. Source: B9. */
export interface Ref {
  readonly id: string
  readonly chatId: string
  readonly native?: unknown
}

export type MediaKind = "image" | "video" | "gif" | "audio" | "document" | "sticker"

export type MessageType = "text" | MediaKind | "location" | "contact" | "poll" | "unknown"

/** Every type a trigger can name: the kinds of message, and a pressed button. */
export type BodyType = MessageType | "interaction"

/** A file somebody sent. `native` is the provider's handle; the bytes come from `chat.download`. */
export interface InboundMedia {
  readonly kind: MediaKind
  readonly mimetype?: string
  readonly filename?: string
  readonly bytes?: number
  readonly seconds?: number
  readonly voice?: boolean
  readonly animated?: boolean
  readonly viewOnce?: boolean
  readonly native: unknown
}

export interface GeoLocation {
  readonly latitude: number
  readonly longitude: number
  readonly name?: string
  readonly address?: string
  readonly live?: boolean
}

export interface ContactCard {
  readonly name: string
  readonly phones: ReadonlyArray<string>
  readonly userId?: string
}

interface Common {
  /** The chat where people talk. */
  readonly from: string
  /** Who wrote; equals `from` in a private chat. */
  readonly sender: string
  readonly isGroup: boolean
  readonly senderName?: string
  readonly chatName?: string
  /** The language the transport reports for the sender, as a BCP 47 tag. */
  readonly lang?: string
  /** Milliseconds since the epoch, by the transport's clock. */
  readonly sentAt?: number
  /** The thread or forum topic inside the chat; a reply goes back to it. */
  readonly topic?: string
}

export interface InboundMessage extends Common {
  readonly _tag: "message"
  readonly ref: Ref
  readonly type: MessageType
  readonly body: string
  readonly fromMe?: boolean
  readonly edited?: boolean
  readonly mentionsBot?: boolean
  readonly quoted?: { readonly id: string; readonly fromMe?: boolean }
  readonly media?: InboundMedia
  readonly location?: GeoLocation
  readonly contact?: ContactCard
  readonly album?: string
}

/** A pressed button or a chosen row. `payload` is the option's full key; `body` the label the person saw. */
export interface InboundInteraction extends Common {
  readonly _tag: "interaction"
  readonly interactionId: string
  readonly payload: string
  readonly body: string
  /** The message that carried the button. */
  readonly ref?: Ref
}

export interface InboundReaction extends Common {
  readonly _tag: "reaction"
  /** "" when the reaction was taken back. */
  readonly emoji: string
  readonly target: Ref
}

export interface InboundPollVote extends Common {
  readonly _tag: "pollVote"
  readonly pollId: string
  /** Positions of the chosen options; empty when the vote was taken back. */
  readonly options: ReadonlyArray<number>
}

export interface InboundDelete extends Common {
  readonly _tag: "delete"
  readonly target: Ref
}

export interface InboundCall extends Common {
  readonly _tag: "call"
  readonly callId: string
  readonly video?: boolean
}

/** What takes part in the message pipeline. */
export type MessageEvent = InboundMessage | InboundInteraction
/** What has a path of its own: only typed triggers and events (A20). */
export type SignalEvent = InboundReaction | InboundPollVote | InboundDelete | InboundCall
export type InboundEvent = MessageEvent | SignalEvent

/** The transport's id of an event, "" when it has none. Source: A4. */
export const eventId = (event: InboundEvent): string => {
  switch (event._tag) {
    case "message":
      return event.ref.id
    case "interaction":
      return event.interactionId
    case "call":
      return event.callId
    default:
      return ""
  }
}

export const bodyType = (event: MessageEvent): BodyType => (event._tag === "message" ? event.type : "interaction")
