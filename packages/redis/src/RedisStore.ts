/**
 * The store on Redis: chats, messages, profiles, handoffs, checkpoints and values. Standalone, Sentinel or Cluster, one
 * layout. What Redis promises of its disk is what this store promises: `appendfsync always` loses nothing that was
 * answered, and a failover may lose the last writes (R25).
 */
import { ConfigValidationError, fromDriver, Store, type StoreDriver } from "@botmesh/core/spi"
import { type Config, Effect, Layer } from "effect"
import { Redis } from "./Redis.ts"
import { readSetting, type Setting } from "./Setting.ts"
import { ask } from "./store/Ask.ts"
import { chatMethods } from "./store/Chats.ts"
import { checkpointMethods } from "./store/Checkpoints.ts"
import { fieldMethods } from "./store/Fields.ts"
import { storeKeys } from "./store/Keys.ts"

export interface RedisStoreOptions {
  /** Messages kept a chat, the newest. Default 1,000. */
  readonly messagesPerChat?: Setting<number>
}

type OptionError = ConfigValidationError | Config.ConfigError

/** A driver on the client. Fails when an option is wrong. Source: H Redis. */
export const make = Effect.fn("RedisStore.make")(function* (
  options: RedisStoreOptions = {}
): Effect.fn.Return<StoreDriver, OptionError, Redis> {
  const redis = yield* Redis
  const limit = yield* readSetting(options.messagesPerChat ?? 1_000)
  if (!Number.isInteger(limit) || limit < 1)
    return yield* ConfigValidationError.of("redis.messagesPerChat", `expected a whole number from 1 on, got ${limit}`)
  const keysOf = storeKeys(redis.prefix)
  return {
    name: "redis",
    persistent: true,
    ...chatMethods(redis, ask, keysOf, limit),
    ...checkpointMethods(redis, ask, keysOf),
    ...fieldMethods(redis, ask, keysOf)
  }
})

/** The store with options of its own. Source: H Redis. */
export const layerWith = (options: RedisStoreOptions): Layer.Layer<Store, OptionError, Redis> =>
  Layer.effect(Store, Effect.map(make(options), fromDriver))

/** The store. Source: H Redis. */
export const layer: Layer.Layer<Store, OptionError, Redis> = layerWith({})
