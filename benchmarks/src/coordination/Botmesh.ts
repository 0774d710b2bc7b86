/** The coordinator alone: a ticket, its lease, and the release. */
import { Coordinator } from "@botmesh/core"
import { Redis, RedisCoordinator } from "@botmesh/redis"
import { Effect, Layer, ManagedRuntime } from "effect"
import type { Setup } from "./Contender.ts"

export const setup: Setup = async ({ lease, port }) => {
  const client = Redis.layer({ url: `redis://127.0.0.1:${port}`, prefix: "bench" })
  const runtime = ManagedRuntime.make(RedisCoordinator.layer({ lease }).pipe(Layer.provide(client)))
  const coordinator = await runtime.runPromise(Coordinator)
  const turn = (key: string) => Effect.flatMap(coordinator.enqueue(key), (ticket) => ticket.granted)
  return {
    hold: (key, act) =>
      runtime.runPromise(Effect.flatMap(turn(key), ({ release }) => Effect.andThen(Effect.promise(act), release))),
    caller: (keyOf, goes, onTurn) =>
      runtime.runPromise(
        Effect.gen(function* () {
          for (let nth = 0; goes(); nth++) {
            const lease = yield* turn(keyOf(nth))
            onTurn()
            yield* lease.release
          }
        })
      )
  }
}
