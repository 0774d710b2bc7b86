/** The transport of the simulator: replies go to the terminal, what is typed goes to the bot. */
import { Clock, Context, Effect, Layer, Random, SubscriptionRef } from "effect"
import { contentTags, type Outgoing, wordsOf } from "../model/Content.ts"
import type { InboundEvent } from "../model/Event.ts"
import {
  type Connection,
  InvalidContent,
  NotAcceptingError,
  Provider,
  type ProviderHost,
  type ProviderShape,
  SendError,
  Transient
} from "../spi/Provider.ts"
import { Chats, chatOf, type Person } from "./Chats.ts"
import { show } from "./Show.ts"
import { Terminal } from "./Terminal.ts"

export interface SimulatorShape {
  readonly chats: Chats
  /** Who sits before the terminal now. */
  readonly person: () => Person
  readonly become: (person: Person) => void
  /** Hands an event to the bot; returns once it is admitted. Fails while the bot is not running. */
  readonly hand: (event: InboundEvent) => Effect.Effect<void, NotAcceptingError>
}

/** The simulated side of the terminal transport. Source: B21. */
export class Simulator extends Context.Service<Simulator, SimulatorShape>()("@botmesh/core/dev/Simulator") {}

/** What every real transport refuses as well: better to meet it here. */
const refusal = ({ content }: Outgoing): string | undefined => {
  const words = content._tag === "media" ? "file" : wordsOf(content)
  if (words?.trim() === "") return "a text that is empty"
  return content._tag === "choices" && content.options.length === 0 ? "choices without options" : undefined
}

const make = Effect.fnUntraced(function* (name: string) {
  const terminal = yield* Terminal
  const connection = yield* SubscriptionRef.make<Connection>({ state: "closed" })
  const now = yield* Clock.currentTimeMillis
  const nonce = yield* Random.nextIntBetween(0, 0xffffff)
  const chats = new Chats(`${now.toString(36)}${nonce.toString(36)}`)
  let person: Person = { name, group: false }
  let host: ProviderHost | undefined

  const send = Effect.fnUntraced(function* (message: Outgoing) {
    const { chatId, content } = message
    const refused = refusal(message)
    const failed = (reason: SendError["reason"]) => new SendError({ provider: "simulator", chatId, reason })
    if (refused !== undefined) return yield* failed(new InvalidContent({ detail: refused }))
    const shown = show(content, chats.textOf)
    const ref = chats.said(chatId, content)
    const text = chatId === chatOf(person) ? shown : `(${chatId}) ${shown}`
    yield* Effect.mapError(terminal.print(text, "bot"), (error) => failed(new Transient({ detail: error.message })))
    return { ref }
  })

  const provider: ProviderShape = {
    id: "simulator",
    capabilities: {
      exclusiveSession: false,
      contents: new Set(contentTags),
      typing: true,
      markRead: true,
      clientIds: false
    },
    start: (by) =>
      Effect.andThen(
        Effect.acquireRelease(
          Effect.sync(() => {
            host = by
          }),
          () =>
            Effect.suspend(() => {
              host = undefined
              return SubscriptionRef.set(connection, { state: "closed", reason: "stopped" })
            })
        ),
        SubscriptionRef.set(connection, { state: "ready" })
      ),
    send,
    presence: () => Effect.void,
    download: (media) => Effect.sync(() => new TextEncoder().encode(String(media.native))),
    connection: SubscriptionRef.changes(connection)
  }
  const simulator: SimulatorShape = {
    chats,
    person: () => person,
    become: (next) => {
      person = next
    },
    hand: (event) =>
      Effect.suspend(() =>
        host === undefined
          ? Effect.fail(new NotAcceptingError({ reason: "not-running", detail: "the bot has not started, or stopped" }))
          : host.receive([event])
      )
  }
  return Context.make(Provider, provider).pipe(Context.add(Simulator, simulator))
})

export interface SimulatorOptions {
  /** Whom the bot talks with at first; also the id of the chat. Default "you". */
  readonly person?: string
}

/** A transport that talks in the terminal. It cannot fail. Source: B21. */
export const layer = (options: SimulatorOptions = {}): Layer.Layer<Provider | Simulator, never, Terminal> =>
  Layer.effectContext(make(options.person ?? "you"))
