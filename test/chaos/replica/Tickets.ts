/** The coordinator on Redis, which tells the transport when a chat's message has its ticket. */
import { type Claim, Coordinator } from "@botmesh/core/spi"
import { RedisCoordinator } from "@botmesh/redis"
import { Effect, Layer, Option } from "effect"
import { Line } from "./Phone.ts"

/** @param bot its id: what the keys of its turns begin with */
export const layerTickets = (bot: string, options: RedisCoordinator.RedisCoordinatorOptions) => {
  const scope = `default/${bot}/`
  return Layer.effect(
    Coordinator,
    Effect.gen(function* () {
      const line = yield* Line
      const made = yield* RedisCoordinator.make(options)
      const tell = (key: string) =>
        Effect.sync(() => {
          if (key.startsWith(scope)) line.say({ t: "ticket", chat: key.slice(scope.length) })
        })
      return {
        ...made,
        enqueue: (key: string) => Effect.tap(made.enqueue(key), tell(key)),
        enqueueOnce: (key: string, claim: Claim) =>
          Effect.tap(made.enqueueOnce(key, claim), (ticket) => (Option.isSome(ticket) ? tell(key) : Effect.void))
      }
    })
  )
}
