/** The provider under test, built as a user builds it, against the double. */
import { createServer } from "node:http"
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import { FetchHttpClient, type HttpClient, HttpRouter, HttpServer } from "effect/http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Provider, type ProviderHost, type ProviderShape } from "@botmesh/core/spi"
import { Telegram } from "@botmesh/telegram"
import type { BotApi } from "./BotApi.ts"

type Client = Layer.Layer<HttpClient.HttpClient>

export const secret = Redacted.make("s3cret_of-the_webhook")

/** Short waits: what the defaults are is tested by the clock, not by waiting. */
const quick = { standBack: "50ms", pollTimeout: "20s" } as const

export const polling = (
  api: BotApi,
  options: Partial<Telegram.PollingOptions> = {},
  client: Client = FetchHttpClient.layer
): Effect.Effect<ProviderShape, unknown, Scope.Scope> =>
  Layer.build(
    Telegram.layerPolling({ token: api.token, apiUrl: api.url, ...quick, ...options }).pipe(Layer.provide(client))
  ).pipe(Effect.map((context) => Context.get(context, Provider)))

export interface Webhook {
  readonly provider: ProviderShape
  /** Where Telegram posts to. */
  readonly url: string
  /** Posts as Telegram does; gives the status. */
  readonly post: (body: unknown, headers?: Record<string, string>) => Effect.Effect<number>
}

export const post = (url: string, body: string, headers: Record<string, string>): Effect.Effect<number> =>
  Effect.promise(async (signal) => {
    const response = await fetch(url, { method: "POST", body, signal, headers })
    await response.arrayBuffer()
    return response.status
  })

const json = { "content-type": "application/json" }

export const webhook = (
  api: BotApi,
  options: Partial<Telegram.WebhookOptions> = {},
  client: Client = FetchHttpClient.layer
): Effect.Effect<Webhook, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const app = Telegram.layerWebhook({ token: api.token, apiUrl: api.url, secret, ...options })
    const server = HttpRouter.serve(app, { disableLogger: true, disableListenLog: true }).pipe(
      Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" })),
      Layer.provide(client)
    )
    const context = yield* Layer.build(server)
    const { address } = Context.get(context, HttpServer.HttpServer)
    if (address._tag === "UnixPathAddress") return yield* Effect.die(new Error(`listens on ${address._tag}`))
    const url = `http://127.0.0.1:${address.port}${options.path ?? "/telegram"}`
    const known = { ...json, "x-telegram-bot-api-secret-token": Redacted.value(secret) }
    return {
      provider: Context.get(context, Provider),
      url,
      post: (body, headers) =>
        post(url, typeof body === "string" ? body : JSON.stringify(body), { ...known, ...headers })
    }
  })

/** Starts a provider for the rest of the test. */
export const start = (provider: ProviderShape, host: ProviderHost) => provider.start(host)
