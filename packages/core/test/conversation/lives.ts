/** Several lives of one bot: a store that outlives them, and scopes that a test closes (a stop) or drops (a crash). */
import { Effect, Exit, Layer, Queue, Scope, Stream } from "effect"
import type { Bot } from "@botmesh/core"
import { MemoryStore } from "@botmesh/core"
import { fromDriver, Store, type StoreDriver } from "@botmesh/core/spi"
import { TestBot } from "@botmesh/core/testing"

/** A memory store shared by lives: the rows stay, the layer is built anew each time. */
export const sharedStore = (driver: StoreDriver = MemoryStore.make()): Layer.Layer<Store> =>
  Layer.sync(Store, () => fromDriver(driver))

/** One life of a bot in a scope of its own: `stop` ends it in order. */
export const live = Effect.fnUntraced(function* <Id extends string, E>(
  definition: Bot.Definition<Id, E, never>,
  options: TestBot.TestBotOptions
) {
  const scope = yield* Scope.make()
  const made = yield* Scope.provide(TestBot.make(definition, options), scope)
  return { ...made, stop: Scope.close(scope, Exit.void) }
})

/** Collects the bot's events from now on. */
export const recorded = Effect.fnUntraced(function* <E>(bot: Bot.BotShape<E>) {
  const queue = yield* Queue.unbounded<Bot.EventsOf<E>>()
  yield* Effect.forkScoped(
    Stream.runForEach(bot.events, (event) => Queue.offer(queue, event)),
    {
      startImmediately: true
    }
  )
  yield* Effect.yieldNow
  return Effect.flatMap(Effect.yieldNow, () => Queue.clear(queue))
})
