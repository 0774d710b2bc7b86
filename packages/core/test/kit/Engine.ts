/** What the engine's tests share: a bot with its events collected, and doubles of what stands beneath it. */
import { Context, Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Bot, InProcessScheduler, LocalCoordinator, MemoryStore } from "../../src/index.ts"
import type { Coordinator } from "../../src/spi/Coordinator.ts"
import { Durability, layerNone, none } from "../../src/spi/Durability.ts"
import type { Inbox } from "../../src/spi/Inbox.ts"
import { Store, type StoreShape } from "../../src/spi/Store.ts"
import type { InboundEvent } from "../../src/model/Event.ts"
import { MockProvider } from "../../src/testing.ts"

export type AnyEvent = Bot.EventsOf<unknown>

export interface EngineOptions extends MockProvider.MockProviderOptions {
  readonly store?: Layer.Layer<Store>
  readonly coordinator?: Layer.Layer<Coordinator>
  readonly durability?: Layer.Layer<Durability>
  readonly mock?: MockProvider.MockProvider
  /** Events of the start too: the bot is built first and started after somebody listens. */
  readonly listen?: boolean
}

/** Lets every fiber that can run, run. */
export const breathe = Effect.gen(function* () {
  for (let i = 0; i < 20; i++) yield* Effect.yieldNow
})

/** Stops a bot that still has work, letting the time pass which that takes. */
export const halt = (bot: { readonly stop: Effect.Effect<void> }) =>
  Effect.gen(function* () {
    const stopping = yield* Effect.forkChild(bot.stop, { startImmediately: true })
    yield* TestClock.adjust("1 minute")
    yield* Fiber.join(stopping)
  })

export interface Events {
  readonly all: Effect.Effect<ReadonlyArray<AnyEvent>>
  readonly of: <T extends AnyEvent["_tag"]>(
    tag: T
  ) => Effect.Effect<ReadonlyArray<Extract<AnyEvent, { readonly _tag: T }>>>
  readonly tags: Effect.Effect<ReadonlyArray<string>>
}

/** Everything the bot tells from now on. */
export const collect = Effect.fnUntraced(function* (bot: { readonly events: Stream.Stream<AnyEvent> }) {
  const seen: Array<AnyEvent> = []
  yield* Effect.forkScoped(
    Stream.runForEach(bot.events, (event) => Effect.sync(() => void seen.push(event))),
    { startImmediately: true }
  )
  const all = Effect.as(breathe, seen)
  const events: Events = {
    all,
    of: <T extends AnyEvent["_tag"]>(tag: T) =>
      Effect.map(all, (list) =>
        list.filter((event): event is Extract<AnyEvent, { readonly _tag: T }> => event._tag === tag)
      ),
    tags: Effect.map(all, (list) => list.map((event) => event._tag))
  }
  return events
})

/** A running bot, its transport and its events. */
export const run = Effect.fnUntraced(function* <Id extends string, E, R>(
  definition: Bot.Definition<Id, E, R>,
  options: EngineOptions = {}
) {
  const mock = options.mock ?? (yield* MockProvider.make(options))
  const spi = Layer.mergeAll(
    options.store ?? MemoryStore.layer(),
    options.coordinator ?? LocalCoordinator.layer(),
    options.durability ?? layerNone,
    InProcessScheduler.layer
  )
  const built = yield* Layer.build(Bot.layer(definition).pipe(Layer.provide(mock.layer), Layer.provide(spi)))
  const bot = Context.get(built, definition)
  const events = yield* collect(bot)
  const { inbound } = mock
  /** Delivers and waits until all is done. */
  const gets = (...given: ReadonlyArray<InboundEvent>) => Effect.andThen(mock.deliver(given), bot.settled)
  /** A text of a person, handled to the end; the words of the bot in that chat since then. */
  const says = (chat: string, body: string, about: Partial<Parameters<typeof inbound.text>[0]> = {}) =>
    Effect.suspend(() => {
      const before = mock.texts(chat).length
      return Effect.map(gets(inbound.text({ chat, body, ...about })), () => mock.texts(chat).slice(before))
    })
  const dropped = (reason: keyof ReturnType<typeof bot.metrics.snapshot>["dropped"]): number =>
    bot.metrics.snapshot().dropped[reason]
  return { bot, mock, inbound, events, gets, says, dropped, texts: mock.texts }
})

/** I24: everything that came in is handled, or dropped for a counted reason. */
export const balance = (bot: { readonly metrics: Bot.BotShape<never>["metrics"] }) => {
  const { dropped, handled, received } = bot.metrics.snapshot()
  return { received, accounted: handled + Object.values(dropped).reduce((sum, n) => sum + n, 0) }
}

/** A memory store with some methods replaced. */
export const storeWith = (change: (store: StoreShape) => Partial<StoreShape>): Layer.Layer<Store> =>
  Layer.effect(
    Store,
    Effect.map(Layer.build(MemoryStore.layer()), (built) => {
      const store = Context.get(built, Store)
      return { ...store, ...change(store) }
    })
  )

/** A journal in memory that notes what it was asked, in order. */
export const journal = (notes: Array<string>, change: Partial<Inbox> = {}): Layer.Layer<Durability> => {
  let records = 0
  const inbox: Inbox = {
    ...none.inbox,
    record: (_, key) =>
      Effect.sync(() => {
        notes.push(`record ${key}`)
        return { _tag: "recorded", id: `r${++records}` }
      }),
    ack: (_, key, id) => Effect.sync(() => notes.push(`ack ${key} ${id}`) > 0),
    release: (_, key, id) => Effect.sync(() => notes.push(`release ${key} ${id}`) > 0),
    ...change
  }
  return Layer.succeed(Durability, { ...none, name: "journal", durable: true, inbox })
}
