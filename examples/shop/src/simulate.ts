/** The shop in the terminal. */
import { dirname, join, resolve } from "node:path"
import { Bot } from "@botmesh/core"
import { Simulator } from "@botmesh/core/dev"
import { Local } from "@botmesh/local"
import { Effect, Layer } from "effect"
import { Payments } from "./payments.ts"
import { shop } from "./shop.ts"

/** What both ways of running the shop stand on. @param data the SQLite file; the log of charges stands beside it */
export const layerData = (data: string) =>
  Layer.merge(Local.layerFile(data), Payments.layerLog(join(dirname(resolve(data)), "charges.log")))

/** Reads lines until the input ends. */
export const simulate = (data: string) => {
  const running = Bot.layer(shop).pipe(
    Layer.provideMerge(Simulator.layer()),
    Layer.provideMerge(Layer.merge(layerData(data), Simulator.layerStdio))
  )
  return Effect.provide(Simulator.run(shop), running)
}
