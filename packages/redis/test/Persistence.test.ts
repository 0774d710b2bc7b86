import { layerPersistence, Redis } from "@botmesh/redis"
import { cluster, redis } from "@botmesh/test-services"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option, Queue, Schema } from "effect"
import { PersistedQueue, RateLimiter, Redis as Port } from "effect/persistence"
import { describeServers, eventually } from "./Live.ts"

const Job = Schema.Struct({ to: Schema.String, text: Schema.String })

/** A limiter and a queue on the one client. */
const layer = (options: Redis.RedisOptions) =>
  Layer.mergeAll(
    RateLimiter.layer.pipe(Layer.provide(RateLimiter.layerStoreRedis({ prefix: "{test:limits}" }))),
    PersistedQueue.layer.pipe(
      Layer.provide(PersistedQueue.layerStoreRedis({ prefix: "{test:queue}", pollInterval: "20 millis" }))
    )
  ).pipe(Layer.provideMerge(layerPersistence), Layer.provide(Redis.layer(options)))

const use = Effect.gen(function* () {
  const limiter = yield* RateLimiter.RateLimiter
  const hit = limiter.consume({
    key: "k",
    limit: 2,
    window: "10 seconds",
    algorithm: "token-bucket",
    onExceeded: "fail"
  })
  yield* hit
  yield* hit
  expect((yield* Effect.flip(hit)).reason._tag).toBe("RateLimitExceeded")

  const queue = yield* PersistedQueue.make({ name: "out", schema: Job, maxAttempts: 3 })
  yield* queue.offer({ to: "a", text: "1" }, { id: "m1" })
  yield* queue.offer({ to: "a", text: "again" }, { id: "m1" })
  yield* queue.offer({ to: "a", text: "2" }, { id: "m2" })
  const taken = [
    yield* queue.take((job) => Effect.succeed(job.text)),
    yield* queue.take((job) => Effect.succeed(job.text))
  ]
  expect(taken).toEqual(["1", "2"])
})

describeServers("effect/persistence on our client", () => {
  it.live("H a rate limiter and a queue share it; what is published is heard; a blocking read can be given up", () =>
    Effect.gen(function* () {
      const { url } = yield* redis()
      yield* Effect.gen(function* () {
        yield* use
        const port = yield* Port.Redis
        const heard = yield* port.subscribe("c")
        yield* eventually("a listener", port.send<number>("PUBLISH", "c", "hi"), (count) => count === 1)
        expect(yield* Queue.take(heard)).toEqual({ channel: "c", message: "hi" })
        const connection = yield* port.reserve
        const script = Port.script((by: number) => ["total", by], {
          lua: "return redis.call('INCRBY', KEYS[1], ARGV[1])",
          numberOfKeys: 1
        }).withReturnType<number>()
        expect(yield* port.eval(script)(2)).toBe(2)
        yield* port.send("SCRIPT", "FLUSH")
        expect(yield* connection.eval(script)(3)).toBe(5)
        const blocked = yield* Effect.forkChild(connection.send("BLPOP", "none", "0"), { startImmediately: true })
        expect(Option.isNone(yield* Effect.timeoutOption(Fiber.join(blocked), "50 millis"))).toBe(true)
        yield* Fiber.interrupt(blocked)
      }).pipe(Effect.scoped, Effect.provide(layer({ url })))
    })
  )

  it.live(
    "C16 they run on a Cluster too",
    () =>
      Effect.gen(function* () {
        const { urls } = yield* cluster({ nodes: 3 })
        yield* Effect.provide(use, layer({ url: urls.join(","), cluster: true }))
      }),
    60_000
  )
})
