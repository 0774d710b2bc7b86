/**
 * What a handler sees of the message it handles, and how it answers (B9).
 *
 * Every act goes through the turn of the message: after the turn has ended, or was suspended, it fails with
 * `LeaseLostError` and nothing is sent (R17).
 */
import type { Effect } from "effect"
import type { Params, TextKey } from "../i18n/Catalogue.ts"
import type { Content, MediaSource, Option, Outgoing, Receipt } from "../model/Content.ts"
import type { BodyType, ContactCard, GeoLocation, InboundMedia, MediaKind, MessageEvent, Ref } from "../model/Event.ts"
import type { SendFailure } from "../outbound/Send.ts"
import type { TurnHolder } from "../outbound/Turn.ts"
import type { CoordinationUnavailableError, LeaseLostError } from "../spi/Errors.ts"
import type { SendError } from "../spi/Provider.ts"
import type { StoreError } from "../spi/Store.ts"
import { raise } from "./Control.ts"
import type { FlowInputError } from "./FlowInputError.ts"
import type { UnknownFlowError } from "./UnknownFlowError.ts"
import type { UserProfile } from "./UserProfile.ts"

export type LangSource = "stored" | "provider" | "detect" | "default" | "hook"

/** What a reply may be: plain text, or any content. */
export type Reply = string | Content

export interface SendOptions {
  /** Quote the message that is answered where the transport can. Default false. */
  readonly quote?: boolean
}

export type TriggerResult =
  | { readonly _tag: "started"; readonly id: string }
  | { readonly _tag: "queued" }
  | { readonly _tag: "refused"; readonly reason: "not-running" | "blocked" | "handoff" | "active" | "overloaded" }

export interface TriggerOptions {
  readonly data?: Readonly<Record<string, unknown>>
  /** What a conversation in progress means: `reject` (default), `replace` it, or `queue` behind it. Source: B18. */
  readonly ifActive?: "reject" | "replace" | "queue"
}

/** What the engine does for a chat; one object a bot, shared by all its chats. */
export interface ChatPort {
  readonly send: (holder: TurnHolder | undefined, message: Outgoing) => Effect.Effect<Receipt, SendFailure>
  readonly typing: (chatId: string, topic: string | undefined) => Effect.Effect<void>
  readonly markRead: (ref: Ref) => Effect.Effect<void>
  readonly download: (media: InboundMedia) => Effect.Effect<Uint8Array, SendError>
  readonly abort: (key: string) => Effect.Effect<boolean, StoreError | CoordinationUnavailableError>
  readonly trigger: (
    chat: Chat,
    flow: string,
    options: TriggerOptions
  ) => Effect.Effect<
    TriggerResult,
    UnknownFlowError | FlowInputError | StoreError | CoordinationUnavailableError | LeaseLostError
  >
  readonly handOff: (chat: Chat, note: string | undefined) => Effect.Effect<void, StoreError>
  readonly handBack: (chat: Chat) => Effect.Effect<boolean, StoreError>
  readonly translate: (lang: string, key: TextKey, params: Params) => string
}

interface ChatFields {
  readonly body: string
  readonly type: BodyType
  readonly lang: string
  readonly langSource: LangSource
  readonly match: RegExpMatchArray | undefined
  readonly args: ReadonlyArray<string>
}

export class Chat implements ChatFields {
  /** The event as the transport gave it. */
  readonly event: MessageEvent
  readonly key: string
  readonly user: UserProfile
  readonly body: string
  readonly type: BodyType
  readonly lang: string
  readonly langSource: LangSource
  /** What the regex trigger captured. */
  readonly match: RegExpMatchArray | undefined
  /** The words after a command. */
  readonly args: ReadonlyArray<string>
  /** @internal */
  readonly port: ChatPort
  /** @internal */
  readonly holder: TurnHolder

  constructor(
    port: ChatPort,
    holder: TurnHolder,
    event: MessageEvent,
    user: UserProfile,
    body: string,
    type: BodyType,
    lang: string,
    langSource: LangSource,
    match: RegExpMatchArray | undefined,
    args: ReadonlyArray<string>
  ) {
    this.port = port
    this.holder = holder
    this.event = event
    this.key = holder.key
    this.user = user
    this.body = body
    this.type = type
    this.lang = lang
    this.langSource = langSource
    this.match = match
    this.args = args
  }

  /** The chat people talk in. Opaque (B10). */
  get from(): string {
    return this.event.from
  }
  /** Who wrote. Equals `from` in a private chat. */
  get sender(): string {
    return this.event.sender
  }
  get isGroup(): boolean {
    return this.event.isGroup
  }
  /** Names this message, to quote, react to or delete it. A pressed button names the message that carried it. */
  get ref(): Ref {
    return this.event.ref ?? { id: "", chatId: this.event.from }
  }
  get media(): InboundMedia | undefined {
    return this.event._tag === "message" ? this.event.media : undefined
  }
  get location(): GeoLocation | undefined {
    return this.event._tag === "message" ? this.event.location : undefined
  }
  get contact(): ContactCard | undefined {
    return this.event._tag === "message" ? this.event.contact : undefined
  }
  /** The key of the button that was pressed. */
  get payload(): string | undefined {
    return this.event._tag === "interaction" ? this.event.payload : undefined
  }

  /** A copy with other text, type or language: what a before hook returns to change the message. */
  with(changes: Partial<ChatFields>): Chat {
    return new Chat(
      this.port,
      this.holder,
      this.event,
      this.user,
      changes.body ?? this.body,
      changes.type ?? this.type,
      changes.lang ?? this.lang,
      changes.langSource ?? (changes.lang === undefined ? this.langSource : "hook"),
      "match" in changes ? changes.match : this.match,
      changes.args ?? this.args
    )
  }

  /** Sends text or any content to this chat, in the topic it came from. Fails with `SendFailure`; not safe to repeat. */
  get reply(): (reply: Reply, options?: SendOptions) => Effect.Effect<Receipt, SendFailure> {
    return (reply, options) => {
      const content: Content = typeof reply === "string" ? { _tag: "text", text: reply } : reply
      return this.port.send(this.holder, this.outgoing(content, options))
    }
  }
  private outgoing(content: Content, options: SendOptions | undefined): Outgoing {
    const { event } = this
    if (event.topic === undefined && options?.quote !== true) return { chatId: event.from, content }
    return {
      chatId: event.from,
      content,
      ...(event.topic === undefined ? {} : { topic: event.topic }),
      ...(options?.quote === true ? { replyTo: this.ref } : {})
    }
  }

  /** Sends to another chat, under this message's turn (B9). From outside any turn use `bot.send`. */
  send(chatId: string, reply: Reply, options?: { readonly topic?: string }) {
    return this.port.send(this.holder, {
      chatId,
      content: typeof reply === "string" ? { _tag: "text", text: reply } : reply,
      ...(options?.topic === undefined ? {} : { topic: options.topic })
    })
  }

  /** Sends a file. @param source an https URL, bytes, or a handle of the provider */
  sendMedia(
    kind: MediaKind,
    source: string | MediaSource,
    options?: {
      readonly caption?: string
      readonly filename?: string
      readonly mimetype?: string
      readonly voice?: boolean
    }
  ) {
    const from: MediaSource = typeof source === "string" ? { _tag: "url", url: source } : source
    return this.reply({ _tag: "media", kind, source: from, ...options })
  }
  /** Sends a picture by URL. */
  photo(url: string, caption?: string) {
    return this.sendMedia("image", url, caption === undefined ? {} : { caption })
  }
  /** Shows options as buttons, or numbered where the transport has none. Answers arrive at `Bot.action(key)`. */
  choices(text: string, options: Readonly<Record<string, string>> | ReadonlyArray<Option>) {
    return this.reply({ _tag: "choices", text, options: toOptions(options) })
  }
  /** @param options 2 to 12 */
  poll(question: string, options: ReadonlyArray<string>, multiple = false) {
    return this.reply({ _tag: "poll", question, options, multiple })
  }
  /** Reacts to the message; "" takes the reaction back. */
  react(emoji: string) {
    return this.reply({ _tag: "reaction", target: this.ref, emoji })
  }
  edit(target: Ref, text: string) {
    return this.reply({ _tag: "edit", target, text })
  }
  delete(target: Ref) {
    return this.reply({ _tag: "delete", target })
  }
  /** Shows "typing…". Best effort (B12). */
  get typing(): Effect.Effect<void> {
    return this.port.typing(this.event.from, this.event.topic)
  }
  /** Best effort (B12). */
  get markRead(): Effect.Effect<void> {
    return this.port.markRead(this.ref)
  }
  /** The bytes of a media somebody sent, mostly `chat.media`. */
  download(media: InboundMedia) {
    return this.port.download(media)
  }
  /** A localised text of the bot's catalogues, in this chat's language (B13). */
  t(key: TextKey, params: Params = {}): string {
    return this.port.translate(this.lang, key, params)
  }

  /** Leaves this handler and lets the next one that matches have the message (A18). */
  get pass(): Effect.Effect<never> {
    return raise({ _tag: "pass" })
  }
  /** In a before hook: the message goes no further (A10). In a handler: it is consumed here. */
  get stop(): Effect.Effect<never> {
    return raise({ _tag: "stop" })
  }
  /** Ends this participant's conversation, live or dormant; says whether there was one. Acts in this turn (R18). */
  get abortConversation(): Effect.Effect<boolean, StoreError | CoordinationUnavailableError> {
    return this.port.abort(this.key)
  }
  /** Starts a flow in this chat once the handler has ended (R18). Fails with `UnknownFlowError`, and with `FlowInputError`. */
  trigger(flow: string, options: TriggerOptions = {}) {
    return this.port.trigger(this, flow, options)
  }
  /** Gives the chat to a person: the bot is silent until `bot.handoff.end` (B14). */
  handOff(note?: string) {
    return this.port.handOff(this, note)
  }
  /** Takes the chat back from the person: in a command of `handoff.allowCommands`. Says whether somebody held it (B14). */
  get handBack(): Effect.Effect<boolean, StoreError> {
    return this.port.handBack(this)
  }
}

export const toOptions = (options: Readonly<Record<string, string>> | ReadonlyArray<Option>): ReadonlyArray<Option> =>
  isList(options) ? options : Object.entries(options).map(([key, label]) => ({ key, label }))

const isList = (options: Readonly<Record<string, string>> | ReadonlyArray<Option>): options is ReadonlyArray<Option> =>
  Array.isArray(options)
