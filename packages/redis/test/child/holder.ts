/** A replica in a process of its own: takes one turn, says so, and keeps it for as long as it lives. */
import { Redis, RedisCoordinator } from "@botmesh/redis"
import { Effect } from "effect"

const [port = "", key = ""] = process.argv.slice(2)
const program = Effect.gen(function* () {
  const redis = yield* Redis.make({ url: `redis://127.0.0.1:${port}`, prefix: "test" })
  const coordinator = yield* Effect.provideService(RedisCoordinator.make({ lease: "1500ms" }), Redis.Redis, redis)
  const ticket = yield* coordinator.enqueue(key)
  const held = yield* ticket.granted
  process.stdout.write(`held ${held.fence} ${coordinator.incarnation}\n`)
  const error = yield* held.whenLost
  process.stdout.write(`lost ${error.reason}\n`)
  return yield* Effect.never
})
await Effect.runPromise(Effect.scoped(program))
