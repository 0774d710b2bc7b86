/** The engine on a real Redis: two replicas of one bot, standalone and Cluster. */
import { Bot, Flow } from "@botmesh/core"
import { type Inbound, makeInbound, TestBot } from "@botmesh/core/testing"
import { Redis, RedisCoordinator, RedisStore } from "@botmesh/redis"
import { cluster, redis } from "@botmesh/test-services"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { describeServers } from "./Live.ts"

const signUp = Flow.make("signup").pipe(
  Flow.ask("name", "Your name?"),
  Flow.ask("age", ({ name }) => `Your age, ${name}?`, { answer: Schema.Int }),
  Flow.ask("town", "Your town?"),
  Flow.say(({ age, name, town }) => `${name}, ${age}, ${town}`),
  Flow.persistent
)
const shop = Bot.make("shop", [Bot.flow(signUp, { trigger: "join" }), Bot.onMessage((chat) => chat.reply("what?"))])

/** A life of the bot with a connection of its own. */
const replica = (options: Redis.RedisOptions, inbound: Inbound) => {
  const connected = Layer.orDie(Redis.layer(options))
  return TestBot.make(shop, {
    inbound,
    store: Layer.orDie(Layer.provide(RedisStore.layer, connected)),
    coordinator: Layer.orDie(Layer.provide(RedisCoordinator.layer({ lease: "5s" }), connected))
  })
}

/** One person whose messages go to the replicas in turn. */
const roundRobin = (options: Redis.RedisOptions) =>
  Effect.gen(function* () {
    const inbound = makeInbound()
    const anas = [(yield* replica(options, inbound)).person("ana"), (yield* replica(options, inbound)).person("ana")]
    for (let n = 0; n < 3; n++) {
      const seen: Array<string> = []
      for (const [at, said] of ["join", "Ana", "33", "Lima", "bye"].entries())
        seen.push(...(yield* anas[(at + n) % 2]!.says(said)))
      expect(seen).toEqual(["Your name?", "Your age, Ana?", "Your town?", "Ana, 33, Lima", "what?"])
    }
  })

describeServers("a bot of two replicas", () => {
  it.live("C12 R6 answers a three-question flow sent round robin, on Redis", () =>
    Effect.gen(function* () {
      const { url } = yield* redis()
      yield* roundRobin({ url })
    })
  )
  it.live(
    "C12 C16 answers a three-question flow sent round robin, on a Redis Cluster",
    () =>
      Effect.gen(function* () {
        const { urls } = yield* cluster({ nodes: 3 })
        yield* roundRobin({ url: urls.join(","), cluster: true })
      }),
    60_000
  )
})
