/**
 * A transport in memory for tests, as strict as a real one: it refuses what they refuse, takes nothing while it is not
 * connected, and misbehaves on request (`faults`). Ids count up, logs are bounded.
 */
import { Effect, Layer, Queue, SubscriptionRef } from "effect"
import { wordsOf } from "../model/Content.ts"
import type { InboundEvent } from "../model/Event.ts"
import {
  type Connection,
  type NotAcceptingError,
  Provider,
  type ProviderHost,
  type ProviderShape
} from "../spi/Provider.ts"
import { type Inbound, makeInbound } from "./Inbound.ts"
import { type Faults, switches } from "./mock/Faults.ts"
import { Mock, type MockProviderOptions, type Presence, type Refused, type Sent } from "./mock/Mock.ts"

export type { Faults } from "./mock/Faults.ts"
export type { MockProviderOptions, Presence, Refused, Sent } from "./mock/Mock.ts"

export interface MockProvider {
  readonly provider: ProviderShape
  readonly layer: Layer.Layer<Provider>
  /** Builders of events with ids of their own. */
  readonly inbound: Inbound
  /** Hands events to the bot in one batch, as a webhook would; returns when they are admitted. */
  readonly deliver: (events: InboundEvent | ReadonlyArray<InboundEvent>) => Effect.Effect<void, NotAcceptingError>
  /** What it took, oldest first: the newest `maxLog`. */
  readonly sent: () => ReadonlyArray<Sent>
  /** What it took since the last `takeSent` or `nextSent`; may be nothing. */
  readonly takeSent: Effect.Effect<ReadonlyArray<Sent>>
  /** The next message it takes, or took and nobody has taken yet. */
  readonly nextSent: Effect.Effect<Sent>
  /** The words a person would read in what was sent, of one chat or all: texts, captions, questions, edits. */
  readonly texts: (chatId?: string) => ReadonlyArray<string>
  readonly refused: () => ReadonlyArray<Refused>
  readonly presences: () => ReadonlyArray<Presence>
  readonly faults: Faults
  /** The connection as the bot sees it: `closed` and `connecting` refuse sends as `Transient`. */
  readonly connect: (connection: Connection) => Effect.Effect<void>
  /** The bot that started it; `undefined` while stopped. For provider state. */
  readonly host: () => ProviderHost | undefined
  /** How often it was started. */
  readonly starts: () => number
  /** Empties the logs. */
  readonly clear: Effect.Effect<void>
}

/** A mock transport. Source: B22. */
export const make: (options?: MockProviderOptions) => Effect.Effect<MockProvider> = Effect.fnUntraced(
  function* (options) {
    const maxLog = options?.maxLog ?? 10_000
    const unread = yield* Queue.sliding<Sent>(Math.max(1, maxLog))
    const connection = yield* SubscriptionRef.make<Connection>({ state: "closed" })
    const mock = new Mock(options ?? {}, maxLog, unread, connection)
    const provider: ProviderShape = {
      id: mock.id,
      capabilities: mock.capabilities,
      start: mock.start,
      send: mock.send,
      presence: mock.presence,
      download: mock.download,
      connection: SubscriptionRef.changes(connection)
    }
    return {
      provider,
      layer: Layer.succeed(Provider, provider),
      inbound: options?.inbound ?? makeInbound(),
      deliver: mock.deliver,
      sent: () => mock.sent.all(),
      takeSent: Queue.clear(unread),
      nextSent: Queue.take(unread),
      texts: (chatId) =>
        mock.sent
          .all()
          .filter((sent) => chatId === undefined || sent.message.chatId === chatId)
          .map(({ message }) => wordsOf(message.content))
          .filter((words) => words !== undefined),
      refused: () => mock.refused.all(),
      presences: () => mock.presences.all(),
      faults: switches(mock.plan),
      connect: (next) => SubscriptionRef.set(connection, next),
      host: () => mock.host,
      starts: () => mock.starts,
      clear: Effect.suspend(() => {
        mock.sent.clear()
        mock.refused.clear()
        mock.presences.clear()
        return Effect.asVoid(Queue.clear(unread))
      })
    }
  }
)
