import { CoordinatorSuite } from "@botmesh/core/testing"
import { Redis, RedisCoordinator } from "@botmesh/redis"
import { redisUrl } from "@botmesh/test-services"
import { Effect, Exit, Layer, Scope } from "effect"
import { afterAll } from "vitest"
import { describeRedis } from "./Live.ts"

describeRedis("real Redis", () => {
  const scope = Scope.makeUnsafe()
  const url = Effect.runPromise(Scope.provide(redisUrl, scope))
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const connected = Layer.unwrap(
    Effect.map(
      Effect.promise(() => url),
      (url) => Redis.layer({ url, prefix: "suite" })
    )
  )
  CoordinatorSuite.suite("redis", Layer.provide(RedisCoordinator.layer({ lease: "15s" }), connected), { live: true })
})
