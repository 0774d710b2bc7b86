/** Runs a loaded bot in the terminal. */
import { Bot } from "@botmesh/core"
import { Simulator } from "@botmesh/core/dev"
import { Local } from "@botmesh/local"
import { Effect, Layer, Option } from "effect"
import type { Loaded } from "./LoadBot.ts"

/** @param data the SQLite file that keeps it all; in memory without one */
export const talk = ({ bot, services }: Loaded, data: Option.Option<string>) => {
  const local = Option.match(data, { onNone: () => Local.layer, onSome: (file) => Local.layerFile(file) })
  const running = Bot.layer(bot).pipe(
    Layer.provideMerge(Simulator.layer()),
    Layer.provideMerge(Layer.merge(local, Simulator.layerStdio)),
    Layer.provide(services)
  )
  return Effect.provide(Simulator.run(bot), running)
}
