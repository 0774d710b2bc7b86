/** An inbound event as it is journalled: JSON with a format version, and the key by which a repeat of it is known. */
import { Schema } from "effect"
import { hashText } from "./Hash.ts"
import { eventId, type InboundEvent } from "./Event.ts"

const Ref = Schema.Struct({
  id: Schema.String,
  chatId: Schema.String,
  native: Schema.optionalKey(Schema.Unknown)
})

const common = {
  from: Schema.String,
  sender: Schema.String,
  isGroup: Schema.Boolean,
  senderName: Schema.optionalKey(Schema.String),
  chatName: Schema.optionalKey(Schema.String),
  lang: Schema.optionalKey(Schema.String),
  sentAt: Schema.optionalKey(Schema.Number),
  topic: Schema.optionalKey(Schema.String)
}

const kinds = ["image", "video", "gif", "audio", "document", "sticker"] as const

const Media = Schema.Struct({
  kind: Schema.Literals(kinds),
  mimetype: Schema.optionalKey(Schema.String),
  filename: Schema.optionalKey(Schema.String),
  bytes: Schema.optionalKey(Schema.Number),
  seconds: Schema.optionalKey(Schema.Number),
  voice: Schema.optionalKey(Schema.Boolean),
  animated: Schema.optionalKey(Schema.Boolean),
  viewOnce: Schema.optionalKey(Schema.Boolean),
  native: Schema.Unknown
})

const Location = Schema.Struct({
  latitude: Schema.Number,
  longitude: Schema.Number,
  name: Schema.optionalKey(Schema.String),
  address: Schema.optionalKey(Schema.String),
  live: Schema.optionalKey(Schema.Boolean)
})

const Contact = Schema.Struct({
  name: Schema.String,
  phones: Schema.Array(Schema.String),
  userId: Schema.optionalKey(Schema.String)
})

const Event = Schema.Union([
  Schema.Struct({
    _tag: Schema.tag("message"),
    ...common,
    ref: Ref,
    type: Schema.Literals(["text", ...kinds, "location", "contact", "poll", "unknown"]),
    body: Schema.String,
    fromMe: Schema.optionalKey(Schema.Boolean),
    edited: Schema.optionalKey(Schema.Boolean),
    mentionsBot: Schema.optionalKey(Schema.Boolean),
    quoted: Schema.optionalKey(Schema.Struct({ id: Schema.String, fromMe: Schema.optionalKey(Schema.Boolean) })),
    media: Schema.optionalKey(Media),
    location: Schema.optionalKey(Location),
    contact: Schema.optionalKey(Contact),
    album: Schema.optionalKey(Schema.String)
  }),
  Schema.Struct({
    _tag: Schema.tag("interaction"),
    ...common,
    interactionId: Schema.String,
    payload: Schema.String,
    body: Schema.String,
    ref: Schema.optionalKey(Ref)
  }),
  Schema.Struct({ _tag: Schema.tag("reaction"), ...common, emoji: Schema.String, target: Ref }),
  Schema.Struct({
    _tag: Schema.tag("pollVote"),
    ...common,
    pollId: Schema.String,
    options: Schema.Array(Schema.Number)
  }),
  Schema.Struct({ _tag: Schema.tag("delete"), ...common, target: Ref }),
  Schema.Struct({
    _tag: Schema.tag("call"),
    ...common,
    callId: Schema.String,
    video: Schema.optionalKey(Schema.Boolean)
  })
])

/** The JSON text of a journalled event. Old formats stay readable. */
export const StoredEvent = Schema.fromJsonString(Schema.Struct({ format: Schema.Literal(1), event: Event }))

/**
 * Names an event for as long as a repeat may come: chat, id and a hash of the body, so that an edit is another one (R15).
 * "" when the transport gives no id: then it is never taken for a repeat (A4).
 */
export const dedupeKey = (event: InboundEvent): string => {
  const id = eventId(event)
  if (id === "") return ""
  if (event._tag === "interaction") return `interaction ${id}`
  if (event._tag !== "message") return `${event._tag} ${event.from} ${id}`
  const { body, location } = event
  // A live location moves as edits without a text.
  const text = location === undefined ? body : `${body}\u0000${location.latitude},${location.longitude}`
  return `message ${hashText(text)} ${id} ${event.from}`
}
