import { CoordinatorSuite, DurabilitySuite, ScheduleSuite, StoreSuite } from "@botmesh/core/testing"
import { Redis, RedisCoordinator, RedisDurability, RedisSchedule, RedisStore } from "@botmesh/redis"
import { cluster } from "@botmesh/test-services"
import { Effect, Exit, Layer, Scope } from "effect"
import { afterAll, beforeAll } from "vitest"
import { describeServers } from "../Live.ts"

describeServers("C16 COORD-18 a Redis Cluster of three primaries", () => {
  const scope = Scope.makeUnsafe()
  let urls = ""
  beforeAll(async () => {
    const service = await Effect.runPromise(Scope.provide(cluster({ nodes: 3 }), scope))
    urls = service.urls.join(",")
  }, 60_000)
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const connected = Layer.unwrap(Effect.sync(() => Redis.layer({ url: urls, cluster: true, prefix: "suite" })))
  CoordinatorSuite.suite("Redis Cluster", Layer.provide(RedisCoordinator.layer({ lease: "15s" }), connected), {
    live: true
  })
  StoreSuite.suite("Redis Cluster", Layer.provide(RedisStore.layer, connected), { sequences: 20 })
  ScheduleSuite.suite("Redis Cluster", Layer.provide(RedisSchedule.layer, connected))
  DurabilitySuite.suite("Redis Cluster", Layer.provide(RedisDurability.layer, connected), { sequences: 20 })
})
