/** What both modes share: the shape of the provider around a way of receiving. */
import { Effect, MutableRef, Option, Schema, type Scope, Stream, SubscriptionRef } from "effect"
import {
  type Capabilities,
  type Connection,
  type InboundMedia,
  InvalidContent,
  type ProviderError,
  type ProviderHost,
  type ProviderShape,
  type SendError,
  type SendReason,
  Unsupported
} from "@botmesh/core/spi"
import { send } from "./2-send/Send.ts"
import { typingIn } from "./2-send/Target.ts"
import { sendError, sendReason } from "./Errors.ts"
import { limits } from "./Limits.ts"
import type { Link } from "./Link.ts"
import type { Api } from "./native/Api.ts"
import type { Settings } from "./Options.ts"

export interface Session {
  readonly api: Api
  readonly settings: Settings
  readonly connection: SubscriptionRef.SubscriptionRef<Connection>
  /** Set while the provider is started. */
  readonly link: MutableRef.MutableRef<Link | undefined>
}

export const session = (api: Api, settings: Settings): Effect.Effect<Session> =>
  Effect.map(SubscriptionRef.make<Connection>({ state: "closed" }), (connection) => ({
    api,
    settings,
    connection,
    link: MutableRef.make<Link | undefined>(undefined)
  }))

/** Tells a change once: the same state again is no news. */
export const become = (it: Session, next: Connection): Effect.Effect<void> =>
  SubscriptionRef.updateSome(it.connection, (now) =>
    now.state === next.state && now.reason === next.reason ? Option.none() : Option.some(next)
  )

const FilePath = Schema.Struct({
  file_path: Schema.optionalKey(Schema.String),
  file_size: Schema.optionalKey(Schema.Number)
})

const tooBig = new InvalidContent({ detail: `the file is over the ${limits.download} bytes a bot may download` })

const download = (it: Session, media: InboundMedia): Effect.Effect<Uint8Array, SendReason> => {
  if (typeof media.native !== "string") {
    return Effect.fail(new InvalidContent({ detail: "not a file handle of Telegram" }))
  }
  if ((media.bytes ?? 0) > limits.download) return Effect.fail(tooBig)
  return it.api.call("getFile", { file_id: media.native }, FilePath).pipe(
    Effect.mapError(sendReason),
    Effect.flatMap(({ file_path, file_size }) =>
      file_path === undefined || (file_size ?? 0) > limits.download
        ? Effect.fail(tooBig)
        : Effect.mapError(it.api.file(file_path), sendReason)
    )
  )
}

type Presence = Parameters<ProviderShape["presence"]>

const presence = (it: Session, chatId: Presence[0], signal: Presence[1]): Effect.Effect<void, SendReason> =>
  signal._tag === "read"
    ? Effect.fail(new Unsupported({ content: "read" }))
    : it.api
        .call("sendChatAction", { ...typingIn(chatId, signal.topic), action: "typing" }, Schema.Boolean)
        .pipe(Effect.asVoid, Effect.mapError(sendReason))

const contents: Capabilities["contents"] = new Set([
  "text",
  "media",
  "choices",
  "poll",
  "location",
  "contact",
  "reaction",
  "edit",
  "delete"
])

export const provider = (
  it: Session,
  exclusiveSession: boolean,
  start: (host: ProviderHost) => Effect.Effect<void, ProviderError, Scope.Scope>
): ProviderShape => {
  const { buttonTtl, pollTtl } = it.settings
  const sender = { api: it.api, buttonTtl, pollTtl, state: () => MutableRef.get(it.link)?.host.state }
  const named =
    (chatId: string) =>
    (reason: SendReason): SendError =>
      sendError(chatId, reason)
  return {
    id: it.settings.id,
    capabilities: { exclusiveSession, contents, typing: true, markRead: false, clientIds: false },
    start,
    send: (message) => Effect.mapError(send(sender, message), named(message.chatId)),
    presence: (chatId, signal) => Effect.mapError(presence(it, chatId, signal), named(chatId)),
    download: (media) => Effect.mapError(download(it, media), named("")),
    connection: Stream.suspend(() => SubscriptionRef.changes(it.connection))
  }
}
