/**
 * What a bot says: the outgoing contents, one shape for every provider. A provider that cannot show a content says so in
 * its capabilities, and the send fails with `Unsupported` before any call goes out.
 */
import type { ContactCard, GeoLocation, MediaKind, Ref } from "./Event.ts"

/** Where a file comes from: an https URL, bytes, or a handle the provider gave for something it already has. */
export type MediaSource =
  | { readonly _tag: "url"; readonly url: string }
  | { readonly _tag: "bytes"; readonly bytes: Uint8Array }
  | { readonly _tag: "native"; readonly native: unknown }

export interface Option {
  /** Comes back in full when the option is chosen. */
  readonly key: string
  readonly label: string
}

export interface TextContent {
  readonly _tag: "text"
  readonly text: string
}
export interface MediaContent {
  readonly _tag: "media"
  readonly kind: MediaKind
  readonly source: MediaSource
  readonly caption?: string
  readonly filename?: string
  readonly mimetype?: string
  readonly voice?: boolean
}
export interface ChoicesContent {
  readonly _tag: "choices"
  readonly text: string
  readonly options: ReadonlyArray<Option>
}
export interface PollContent {
  readonly _tag: "poll"
  readonly question: string
  /** 2 to 12 options. */
  readonly options: ReadonlyArray<string>
  readonly multiple?: boolean
}
export interface LocationContent {
  readonly _tag: "location"
  readonly location: GeoLocation
}
export interface ContactContent {
  readonly _tag: "contact"
  readonly contact: ContactCard
}
export interface ReactionContent {
  readonly _tag: "reaction"
  readonly target: Ref
  /** "" takes the reaction back. */
  readonly emoji: string
}
export interface EditContent {
  readonly _tag: "edit"
  readonly target: Ref
  readonly text: string
}
export interface DeleteContent {
  readonly _tag: "delete"
  readonly target: Ref
}

export type Content =
  | TextContent
  | MediaContent
  | ChoicesContent
  | PollContent
  | LocationContent
  | ContactContent
  | ReactionContent
  | EditContent
  | DeleteContent

export type ContentTag = Content["_tag"]

/** Every kind of content, for a transport that shows them all. */
export const contentTags = [
  "text",
  "media",
  "choices",
  "poll",
  "location",
  "contact",
  "reaction",
  "edit",
  "delete"
] as const satisfies ReadonlyArray<ContentTag>

/** The words a person would read in a content; `undefined` for one without words. */
export const wordsOf = (content: Content): string | undefined => {
  switch (content._tag) {
    case "text":
    case "choices":
    case "edit":
      return content.text
    case "poll":
      return content.question
    case "media":
      return content.caption
    default:
      return undefined
  }
}

/** One message on its way out. */
export interface Outgoing {
  readonly chatId: string
  readonly content: Content
  /** Shown as an answer to this message where the transport can. */
  readonly replyTo?: Ref
  readonly topic?: string
  /** Stable over retries: a provider that takes a client id passes it on (R11). */
  readonly key?: string
}

/** What the transport said once it took a message. `parts` names each message when a long text was split. */
export interface Receipt {
  readonly ref: Ref
  readonly parts?: ReadonlyArray<Ref>
}

export const text = (value: string): TextContent => ({ _tag: "text", text: value })
