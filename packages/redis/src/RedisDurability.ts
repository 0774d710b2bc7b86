/**
 * Inbox and outbox on Redis: each act is one script on the keys of one conversation key, so one round trip. Standalone,
 * Sentinel or Cluster, one layout. What Redis promises of its disk is what this promises: `appendfsync always` loses nothing
 * that was answered, and a failover may lose the last writes (R25).
 */
import { Durability, type DurabilityDriver, durabilityFromDriver, fenceTtl } from "@botmesh/core/spi"
import { Effect, Layer } from "effect"
import { durabilityKeys } from "./durability/Keys.ts"
import { ask } from "./durability/Lists.ts"
import { inboxDriver } from "./durability/Records.ts"
import { outboxDriver } from "./durability/Sends.ts"
import { raiseKey } from "./lua/scripts.generated.ts"
import { Redis } from "./Redis.ts"

/** A driver on the client. Source: D3 */
export const make: Effect.Effect<DurabilityDriver, never, Redis> = Effect.map(Redis, (redis) => {
  const keysOf = durabilityKeys(redis.prefix)
  return {
    name: "redis",
    inbox: inboxDriver(redis, ask, keysOf),
    outbox: outboxDriver(redis, ask, keysOf),
    raiseFence: (bot, key, fence, now) => {
      const { keyRow, lane, queue } = keysOf(bot).of(key).recordKeys(key)
      return ask("raiseFence", Effect.asVoid(redis.run(raiseKey, { keyRow, lane, queue }, { fence, now, fenceTtl })))
    }
  }
})

/** Inbox and outbox on Redis. Source: D3 */
export const layer: Layer.Layer<Durability, never, Redis> = Layer.effect(
  Durability,
  Effect.map(make, durabilityFromDriver)
)
