/**
 * One of any number of replicas of the shop: Telegram by a webhook, turns, chats and conversations on Redis. See compose.yaml.
 *
 * REDIS_URL, TELEGRAM_TOKEN and TELEGRAM_SECRET are needed; PORT (3000), CHARGES (charges.log), TELEGRAM_WEBHOOK_URL and
 * TELEGRAM_API_URL are not.
 */
import { InProcessScheduler, layerNoDurability } from "@botmesh/core"
import { Redis, RedisCoordinator, RedisStore } from "@botmesh/redis"
import { layer as layerNode } from "@effect/platform-node/NodeServices"
import { runMain } from "@effect/platform-node/NodeRuntime"
import { Config, Effect, Layer, Logger } from "effect"
import { Payments } from "./payments.ts"
import { serveOn } from "./serve.ts"

const client = Redis.layer({ url: Config.Redacted("REDIS_URL"), prefix: "shop" })
const shared = Layer.mergeAll(
  RedisStore.layer,
  RedisCoordinator.layer(),
  layerNoDurability,
  InProcessScheduler.layer
).pipe(Layer.provide(client))

const main = Effect.gen(function* () {
  const port = yield* Config.Port("PORT").pipe(Config.withDefault(3000))
  const charges = yield* Config.String("CHARGES").pipe(Config.withDefault("charges.log"))
  return yield* serveOn(Layer.merge(shared, Payments.layerLog(charges)), port)
})

runMain(main.pipe(Effect.provide(layerNode), Effect.provideService(Logger.LogToStderr, true)))
