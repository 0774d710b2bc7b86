/** The shop on Telegram, by a webhook. */
import { createServer } from "node:http"
import { Bot, type Spi } from "@botmesh/core"
import { Telegram } from "@botmesh/telegram"
import { layer as layerHttpServer } from "@effect/platform-node/NodeHttpServer"
import { Config, Effect, Layer } from "effect"
import { FetchHttpClient, HttpRouter, HttpServer } from "effect/http"
import type { Payments } from "./payments.ts"
import { shop } from "./shop.ts"
import { layerData } from "./simulate.ts"

const optional = (name: string) => Config.String(name).pipe(Config.withDefault(undefined))

const telegram = Telegram.layerWebhook({
  token: Config.Redacted("TELEGRAM_TOKEN"),
  secret: Config.Redacted("TELEGRAM_SECRET"),
  apiUrl: optional("TELEGRAM_API_URL"),
  url: optional("TELEGRAM_WEBHOOK_URL"),
  path: "/telegram"
})

/**
 * Serves until it is interrupted: then no request is taken any more, those in progress end, and the bot stops.
 *
 * @param stands what the shop stands on: store, coordinator and the like, and the payments
 */
export const serveOn = <E, R>(stands: Layer.Layer<Spi | Payments, E, R>, port: number) => {
  const bot = Bot.layer(shop).pipe(
    Layer.provide(telegram),
    Layer.provideMerge(HttpRouter.layer),
    Layer.provide(FetchHttpClient.layer),
    Layer.provide(stands)
  )
  const server = Layer.unwrap(
    Effect.map(HttpRouter.HttpRouter, (router) => HttpServer.serve(router.asHttpEffect()))
  ).pipe(
    HttpServer.withLogAddress,
    Layer.provide(layerHttpServer(createServer, { port, gracefulShutdownTimeout: "10 seconds" }))
  )
  // The bot is there before the port is open, and stops after it is closed.
  return Layer.launch(server.pipe(Layer.provideMerge(bot)))
}

/** The shop in one process. @param data the SQLite file */
export const serve = (data: string, port: number) => serveOn(layerData(data), port)
