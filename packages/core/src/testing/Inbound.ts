/**
 * Builders of inbound events for tests. Ids count up from 1, so a test reads the same each time:
 * `const inbound = makeInbound(); inbound.text({ chat: "ana", body: "hola" })`.
 */
import type {
  ContactCard,
  GeoLocation,
  InboundCall,
  InboundDelete,
  InboundInteraction,
  InboundMedia,
  InboundMessage,
  InboundPollVote,
  InboundReaction,
  MediaKind,
  Ref
} from "../model/Event.ts"

/** Who writes, and where. Another sender than the chat makes it a group, unless `group` says otherwise. */
export interface From {
  readonly chat: string
  readonly sender?: string
  readonly group?: boolean
  readonly senderName?: string
  readonly chatName?: string
  readonly lang?: string
  /** ms since the epoch */
  readonly sentAt?: number
  readonly topic?: string
}

/** What any message may carry. `id` "" is a message the transport has no id for. */
export interface FromMessage extends From {
  readonly id?: string
  readonly fromMe?: boolean
  readonly edited?: boolean
  readonly mentionsBot?: boolean
  readonly quoted?: { readonly id: string; readonly fromMe?: boolean }
}

export interface MediaOf extends FromMessage {
  readonly kind: MediaKind
  /** What the provider gives back for a download. */
  readonly bytes?: Uint8Array
  readonly caption?: string
  readonly mimetype?: string
  readonly filename?: string
  readonly seconds?: number
  readonly voice?: boolean
}

export interface Inbound {
  readonly text: (options: FromMessage & { readonly body: string }) => InboundMessage
  readonly media: (options: MediaOf) => InboundMessage
  readonly location: (options: FromMessage & { readonly location: GeoLocation }) => InboundMessage
  readonly contact: (options: FromMessage & { readonly contact: ContactCard }) => InboundMessage
  /** A kind the transport delivers and nobody knows. */
  readonly unknown: (options: FromMessage) => InboundMessage
  /** A pressed button. `payload` is the option's key; `body` its label, the payload when absent. */
  readonly button: (
    options: From & { readonly payload: string; readonly body?: string; readonly id?: string; readonly message?: Ref }
  ) => InboundInteraction
  readonly reaction: (options: From & { readonly emoji: string; readonly target: Ref }) => InboundReaction
  readonly pollVote: (
    options: From & { readonly pollId: string; readonly options: ReadonlyArray<number> }
  ) => InboundPollVote
  readonly deletion: (options: From & { readonly target: Ref }) => InboundDelete
  readonly call: (options: From & { readonly id?: string; readonly video?: boolean }) => InboundCall
}

const common = (options: From) => {
  const sender = options.sender ?? options.chat
  return {
    from: options.chat,
    sender,
    isGroup: options.group ?? sender !== options.chat,
    ...(options.senderName === undefined ? undefined : { senderName: options.senderName }),
    ...(options.chatName === undefined ? undefined : { chatName: options.chatName }),
    ...(options.lang === undefined ? undefined : { lang: options.lang }),
    ...(options.sentAt === undefined ? undefined : { sentAt: options.sentAt }),
    ...(options.topic === undefined ? undefined : { topic: options.topic })
  }
}

const flags = (options: FromMessage) => ({
  ...(options.fromMe === undefined ? undefined : { fromMe: options.fromMe }),
  ...(options.edited === undefined ? undefined : { edited: options.edited }),
  ...(options.mentionsBot === undefined ? undefined : { mentionsBot: options.mentionsBot }),
  ...(options.quoted === undefined ? undefined : { quoted: options.quoted })
})

const mediaOf = (options: MediaOf, id: string): InboundMedia => ({
  kind: options.kind,
  native: options.bytes ?? id,
  ...(options.bytes === undefined ? undefined : { bytes: options.bytes.byteLength }),
  ...(options.mimetype === undefined ? undefined : { mimetype: options.mimetype }),
  ...(options.filename === undefined ? undefined : { filename: options.filename }),
  ...(options.seconds === undefined ? undefined : { seconds: options.seconds }),
  ...(options.voice === undefined ? undefined : { voice: options.voice })
})

/** @param prefix begins every id; "in" */
export const makeInbound = (prefix = "in"): Inbound => {
  let count = 0
  const nextId = (given: string | undefined): string => given ?? `${prefix}-${++count}`
  const message = (options: FromMessage, type: InboundMessage["type"], body: string, id: string): InboundMessage => ({
    _tag: "message",
    ref: { id, chatId: options.chat },
    type,
    body,
    ...common(options),
    ...flags(options)
  })
  return {
    text: (options) => message(options, "text", options.body, nextId(options.id)),
    media: (options) => {
      const id = nextId(options.id)
      return { ...message(options, options.kind, options.caption ?? "", id), media: mediaOf(options, id) }
    },
    location: (options) => ({ ...message(options, "location", "", nextId(options.id)), location: options.location }),
    contact: (options) => ({ ...message(options, "contact", "", nextId(options.id)), contact: options.contact }),
    unknown: (options) => message(options, "unknown", "", nextId(options.id)),
    button: (options) => ({
      _tag: "interaction",
      interactionId: nextId(options.id),
      payload: options.payload,
      body: options.body ?? options.payload,
      ...(options.message === undefined ? undefined : { ref: options.message }),
      ...common(options)
    }),
    reaction: (options) => ({
      _tag: "reaction",
      emoji: options.emoji,
      target: options.target,
      ...common(options)
    }),
    pollVote: (options) => ({
      _tag: "pollVote",
      pollId: options.pollId,
      options: options.options,
      ...common(options)
    }),
    deletion: (options) => ({ _tag: "delete", target: options.target, ...common(options) }),
    call: (options) => ({
      _tag: "call",
      callId: nextId(options.id),
      ...(options.video === undefined ? undefined : { video: options.video }),
      ...common(options)
    })
  }
}
