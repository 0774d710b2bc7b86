/** What an operator reads at start (B26): what the bot stands on, and what would surprise in production. */
import { Effect } from "effect"
import type { Assembly } from "./Assembly.ts"

export const banner = (id: string, parts: Assembly): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { coordinator, durability, provider, store } = parts
    const running = Effect.logInfo(`bot "${id}" is running`, {
      transport: provider.id,
      store: store.name,
      coordinator: coordinator.name,
      durability: durability.name,
      replica: coordinator.incarnation
    })
    if (store.persistent) return running
    const memory = `bot "${id}" keeps everything in memory: a restart forgets it. Use Local.layerFile or another store in production`
    return Effect.andThen(running, Effect.logWarning(memory))
  })
