/**
 * Telegram over the raw Bot API, by long polling or by a webhook. Source: G.
 *
 * @example
 * Telegram.layerPolling({ token: Config.Redacted("TELEGRAM_TOKEN") })
 */
import { type Config, Effect, Layer, type Redacted, Result } from "effect"
import { HttpClient, HttpRouter } from "effect/http"
import { type ConfigValidationError, type DurationInput, Provider } from "@botmesh/core/spi"
import * as Api from "./native/Api.ts"
import {
  type CommonOptions,
  common,
  duration,
  path,
  type Settings,
  secret,
  unwrap,
  url,
  type Wrapped
} from "./Options.ts"
import { polling } from "./Polling.ts"
import { session } from "./Provider.ts"
import { handle, webhook } from "./Webhook.ts"

export { limits } from "./Limits.ts"
export type { CommonOptions, Wrapped } from "./Options.ts"

export interface PollingOptions extends CommonOptions {
  /** How long the server may hold one question for updates, at most 50 s. Default `30s`. */
  readonly pollTimeout?: DurationInput | undefined
  /** How long to leave the session to another poller that took it over. Default `15s`. */
  readonly standBack?: DurationInput | undefined
}

export interface WebhookOptions extends CommonOptions {
  /** What Telegram sends back in a header of every update: 1 to 256 characters of A-Z, a-z, 0-9, _ and -. */
  readonly secret: Redacted.Redacted
  /** Where the route is added to the `HttpRouter`. Default `/telegram`. */
  readonly path?: string | undefined
  /** The full public URL of that route. When given, it is registered with Telegram at start. */
  readonly url?: string | undefined
}

const open = (settings: Settings) =>
  Effect.flatMap(HttpClient.HttpClient, (client) =>
    session(
      Api.make(client, { token: settings.token, apiUrl: settings.apiUrl, timeout: settings.requestTimeout }),
      settings
    )
  )

const pollingSettings = (options: PollingOptions) =>
  Result.all({
    settings: common(options),
    poll: Result.all({
      pollTimeout: duration("pollTimeout", options.pollTimeout, "30s", "50s"),
      standBack: duration("standBack", options.standBack, "15s")
    })
  })

const webhookSettings = (options: WebhookOptions) =>
  Result.all({
    settings: common(options),
    secret: secret(options.secret),
    path: path(options.path ?? "/telegram"),
    url: options.url === undefined ? Result.succeed(undefined) : url("url", options.url)
  })

const makePolling = Effect.fn("Telegram.layerPolling")(function* (options: Wrapped<PollingOptions>) {
  const { settings, poll } = yield* Effect.fromResult(pollingSettings(yield* unwrap<PollingOptions>(options)))
  return polling(yield* open(settings), poll)
})

const makeWebhook = Effect.fn("Telegram.layerWebhook")(function* (options: Wrapped<WebhookOptions>) {
  const read = yield* Effect.fromResult(webhookSettings(yield* unwrap<WebhookOptions>(options)))
  const it = yield* open(read.settings)
  const router = yield* HttpRouter.HttpRouter
  yield* router.add("POST", read.path, handle(it, read.secret))
  return webhook(it, { secret: read.secret, ...(read.url === undefined ? {} : { url: read.url }) })
})

/**
 * Receives by long polling: nothing to expose, but only one process may poll (the provider is exclusive). A webhook that is
 * set is taken away at start; its pending updates are kept.
 *
 * @param options each field a value or a `Config` of it; see `PollingOptions` for units and defaults
 *
 * Fails with `ConfigError` when a `Config` cannot be read and with `ConfigValidationError` naming the field. The provider's
 * `start` fails with `ProviderError`: `auth` for a refused token, `configuration` when a webhook stands in the way.
 * Source: G.
 */
export const layerPolling = (
  options: Wrapped<PollingOptions>
): Layer.Layer<Provider, Config.ConfigError | ConfigValidationError, HttpClient.HttpClient> =>
  Layer.effect(Provider, makePolling(options))

/**
 * Receives by a webhook: adds `POST path` to the `HttpRouter`. The secret is compared in constant time; an update is
 * answered with 200 once it is admitted, with 503 while the bot does not run or is full.
 *
 * @param options each field a value or a `Config` of it; see `WebhookOptions`
 *
 * Fails with `ConfigError` when a `Config` cannot be read and with `ConfigValidationError` naming the field. The provider's
 * `start` fails with `ProviderError`: `auth` for a refused token, `configuration` for a webhook Telegram does not take.
 * Source: G.
 */
export const layerWebhook = (
  options: Wrapped<WebhookOptions>
): Layer.Layer<Provider, Config.ConfigError | ConfigValidationError, HttpClient.HttpClient | HttpRouter.HttpRouter> =>
  Layer.effect(Provider, makeWebhook(options))
