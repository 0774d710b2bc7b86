/** The coordinator on Redis, which tells the transport when a chat's message has its ticket. */
import { Coordinator } from "@botmesh/core/spi"
import { RedisCoordinator } from "@botmesh/redis"
import { Effect, Layer } from "effect"
import { Line } from "./Phone.ts"

/** @param bot its id: what the keys of its turns begin with */
export const layerTickets = (bot: string, options: RedisCoordinator.RedisCoordinatorOptions) => {
  const scope = `default/${bot}/`
  return Layer.effect(
    Coordinator,
    Effect.gen(function* () {
      const line = yield* Line
      const made = yield* RedisCoordinator.make(options)
      return {
        ...made,
        enqueue: (key: string) =>
          Effect.tap(made.enqueue(key), () =>
            Effect.sync(() => {
              if (key.startsWith(scope)) line.say({ t: "ticket", chat: key.slice(scope.length) })
            })
          )
      }
    })
  )
}
