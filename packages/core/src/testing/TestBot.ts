/**
 * A bot for tests: a mock transport, everything else in memory, people who write and read (B22).
 *
 * ```ts
 * it.effect("greets", () => Effect.gen(function*() {
 *   const { person } = yield* TestBot.make(shop)
 *   const ana = person("ana")
 *   expect(yield* ana.says("hola")).toEqual(["👋 ¡Hola!"])
 * }))
 * ```
 */
import { Context, Effect, Layer, type Scope } from "effect"
import * as Bot from "../bot/Bot.ts"
import * as LocalCoordinator from "../memory/LocalCoordinator.ts"
import * as MemoryStore from "../memory/MemoryStore.ts"
import { type Content, wordsOf } from "../model/Content.ts"
import type { ConfigValidationError } from "../model/Duration.ts"
import type { InboundEvent, MediaKind } from "../model/Event.ts"
import * as InProcessScheduler from "../scheduler/InProcess.ts"
import type { Coordinator } from "../spi/Coordinator.ts"
import { layerNone } from "../spi/Durability.ts"
import type { NotAcceptingError, ProviderError } from "../spi/Provider.ts"
import type { Store } from "../spi/Store.ts"
import * as MockProvider from "./MockProvider.ts"

export interface Person {
  readonly id: string
  /** Writes, waits until everything has settled, and returns the new words of the bot in this chat. */
  readonly says: (body: string) => Effect.Effect<ReadonlyArray<string>, NotAcceptingError>
  /** Presses the button with this key. */
  readonly presses: (key: string, label?: string) => Effect.Effect<ReadonlyArray<string>, NotAcceptingError>
  /** Sends a file. */
  readonly sendsMedia: (kind: MediaKind, caption?: string) => Effect.Effect<ReadonlyArray<string>, NotAcceptingError>
  /** Hands over any event as this person's, and returns the new words. */
  readonly does: (event: InboundEvent) => Effect.Effect<ReadonlyArray<string>, NotAcceptingError>
  /** What the bot has said in this chat since the last time anybody looked. */
  readonly sees: Effect.Effect<ReadonlyArray<string>>
  /** The same as whole contents: buttons, files, reactions. */
  readonly seesContents: Effect.Effect<ReadonlyArray<Content>>
}

export interface PersonOptions {
  /** The chat; the person's own unless given. Another chat is a group. */
  readonly chat?: string
  readonly lang?: string
  readonly name?: string
}

export interface TestBot<E> {
  readonly bot: Bot.BotShape<E>
  readonly mock: MockProvider.MockProvider
  readonly person: (id: string, options?: PersonOptions) => Person
  /** Completes when no message is waiting or being handled; look again after `TestClock.adjust`. */
  readonly settled: Effect.Effect<void>
}

export interface TestBotOptions extends MockProvider.MockProviderOptions {
  /** Another store than memory, or one shared by two lives of a bot. */
  readonly store?: Layer.Layer<Store>
  readonly coordinator?: Layer.Layer<Coordinator>
  readonly mock?: MockProvider.MockProvider
}

/** Builds and starts the bot; it stops with the scope. */
export const make = Effect.fnUntraced(function* <Id extends string, E, R>(
  definition: Bot.Definition<Id, E, R>,
  options: TestBotOptions = {}
): Effect.fn.Return<
  TestBot<E>,
  ConfigValidationError | Bot.BotDefinitionError | ProviderError,
  Exclude<R, Scope.Scope> | Scope.Scope
> {
  const mock = options.mock ?? (yield* MockProvider.make(options))
  const spi = Layer.mergeAll(
    options.store ?? MemoryStore.layer(),
    options.coordinator ?? LocalCoordinator.layer(),
    layerNone,
    InProcessScheduler.layer
  )
  const built = yield* Layer.build(Bot.layer(definition).pipe(Layer.provide(mock.layer), Layer.provide(spi)))
  const bot = Context.get(built, definition)
  const seen = new Map<string, number>()

  const unseen = (chat: string): ReadonlyArray<Content> => {
    const all = mock.sent().filter((sent) => sent.message.chatId === chat)
    const from = seen.get(chat) ?? 0
    seen.set(chat, all.length)
    return all.slice(from).map((sent) => sent.message.content)
  }
  const person = (id: string, about: PersonOptions = {}): Person => {
    const chat = about.chat ?? id
    const from = {
      chat,
      sender: id,
      group: chat !== id,
      ...(about.lang === undefined ? {} : { lang: about.lang }),
      ...(about.name === undefined ? {} : { senderName: about.name })
    }
    const sees = Effect.sync(() => unseen(chat).flatMap((content) => wordsOf(content) ?? []))
    const does = (event: InboundEvent) => Effect.andThen(Effect.andThen(mock.deliver(event), bot.settled), sees)
    return {
      id,
      says: (body) => Effect.suspend(() => does(mock.inbound.text({ ...from, body }))),
      presses: (key, label) =>
        Effect.suspend(() =>
          does(mock.inbound.button({ ...from, payload: key, ...(label === undefined ? {} : { body: label }) }))
        ),
      sendsMedia: (kind, caption) =>
        Effect.suspend(() =>
          does(mock.inbound.media({ ...from, kind, ...(caption === undefined ? {} : { caption }) }))
        ),
      does,
      sees,
      seesContents: Effect.sync(() => unseen(chat))
    }
  }
  return { bot, mock, person, settled: bot.settled }
})
