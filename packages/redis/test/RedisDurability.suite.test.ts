import { DurabilitySuite, ScheduleSuite } from "@botmesh/core/testing"
import { Redis, RedisDurability, RedisSchedule } from "@botmesh/redis"
import { redisUrl } from "@botmesh/test-services"
import { Effect, Exit, Layer, Scope } from "effect"
import { afterAll } from "vitest"
import { describeRedis } from "./Live.ts"

describeRedis("real Redis", () => {
  const scope = Scope.makeUnsafe()
  const url = Effect.runPromise(Scope.provide(redisUrl, scope))
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  // Another prefix each time: a Redis of REDIS_URL may hold rows of an earlier run.
  const prefix = `durable.${process.pid}`
  const connected = Layer.unwrap(
    Effect.map(
      Effect.promise(() => url),
      (url) => Redis.layer({ url, prefix })
    )
  )
  DurabilitySuite.suite("Redis", Layer.provide(RedisDurability.layer, connected), { sequences: 50 })
  ScheduleSuite.suite("Redis", Layer.provide(RedisSchedule.layer, connected))
})
