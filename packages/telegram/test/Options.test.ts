import { describe, expect, it } from "@effect/vitest"
import { Config, ConfigProvider, Effect, Layer, Logger, Metric, Redacted, Tracer } from "effect"
import { FetchHttpClient, HttpRouter } from "effect/http"
import { Provider } from "@botmesh/core/spi"
import { recordingHost } from "@botmesh/core/testing"
import { Telegram } from "@botmesh/telegram"
import * as BotApi from "./BotApi.ts"
import { polling, webhook } from "./Setup.ts"

const token = Redacted.make("600000001:AAx_-9")
const secret = Redacted.make("s")

const env = (values: Record<string, string>) => ConfigProvider.layer(ConfigProvider.fromUnknown(values))

const around = Layer.mergeAll(FetchHttpClient.layer, HttpRouter.layer)

const built = <E>(layer: Layer.Layer<Provider, E, Layer.Success<typeof around>>, values: Record<string, string> = {}) =>
  Effect.scoped(Provider.pipe(Effect.provide(layer.pipe(Layer.provide(around), Layer.provide(env(values))))))

describe("options", () => {
  it.effect("each field takes a value or a Config of it", () =>
    Effect.gen(function* () {
      const options = {
        token: Config.Redacted("TELEGRAM_TOKEN"),
        apiUrl: Config.String("TELEGRAM_API_URL").pipe(Config.withDefault(undefined)),
        id: "tienda",
        pollTimeout: Config.String("POLL")
      }
      const provider = yield* built(Telegram.layerPolling(options), { TELEGRAM_TOKEN: "1:a", POLL: "20s" })
      expect(provider.id).toBe("tienda")
      expect(provider.capabilities).toMatchObject({ exclusiveSession: true, typing: true, markRead: false })
      const missing = yield* Effect.flip(built(Telegram.layerPolling(options)))
      expect(missing._tag).toBe("ConfigError")
    })
  )

  it.effect("a webhook may run on every replica", () =>
    Effect.gen(function* () {
      const provider = yield* built(Telegram.layerWebhook({ token, secret }))
      expect(provider).toMatchObject({ id: "telegram", capabilities: { exclusiveSession: false, clientIds: false } })
    })
  )

  const wrong: ReadonlyArray<readonly [string, Partial<Telegram.WebhookOptions & Telegram.PollingOptions>]> = [
    ["telegram.token", { token: Redacted.make("with space") }],
    ["telegram.token", { token: Redacted.make("") }],
    ["telegram.secret", { secret: Redacted.make("") }],
    ["telegram.secret", { secret: Redacted.make("ñ") }],
    ["telegram.secret", { secret: Redacted.make("a".repeat(257)) }],
    ["telegram.path", { path: "telegram" }],
    ["telegram.path", { path: "/a?b" }],
    ["telegram.url", { url: "tienda.example" }],
    ["telegram.apiUrl", { apiUrl: "ftp://api.example" }],
    ["telegram.requestTimeout", { requestTimeout: "soon" }],
    ["telegram.requestTimeout", { requestTimeout: 0 }],
    ["telegram.buttonTtl", { buttonTtl: "-1d" }],
    ["telegram.pollTtl", { pollTtl: "1 month" }]
  ]
  for (const [field, bad] of wrong) {
    it.effect(`${field} refuses ${JSON.stringify(bad)}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(built(Telegram.layerWebhook({ token, secret, ...bad })))
        expect(error).toMatchObject({ _tag: "ConfigValidationError", field })
        expect(String(error)).toContain(`Invalid config.${field}: expected`)
      })
    )
  }

  it.effect("a poll cannot be held longer than the server does, nor stood back by nothing", () =>
    Effect.gen(function* () {
      for (const [field, bad] of [
        ["telegram.pollTimeout", { pollTimeout: "2m" }],
        ["telegram.standBack", { standBack: "0s" }]
      ] as const) {
        const error = yield* Effect.flip(built(Telegram.layerPolling({ token, ...bad })))
        expect(error).toMatchObject({ _tag: "ConfigValidationError", field })
      }
    })
  )
})

describe("what is told", () => {
  it.live("the token and the secret are in no log line and no span", () =>
    Effect.gen(function* () {
      const api = yield* BotApi.make()
      const told: Array<string> = []
      const logger = Logger.make(({ message, cause }) => {
        told.push(JSON.stringify([message, cause]))
      })
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          const attribute = span.attribute.bind(span)
          told.push(options.name)
          span.attribute = (key, value) => {
            told.push(`${key}=${JSON.stringify(value)}`)
            attribute(key, value)
          }
          return span
        }
      })
      const hook = yield* webhook(api, { url: "https://tienda.example/telegram" })
      const { faults } = BotApi
      api.fault("getMe", faults.badGateway, faults.cut)
      api.fault("answerCallbackQuery", faults.reset)
      const use = Effect.gen(function* () {
        yield* hook.provider.start(recordingHost())
        api.fault("sendMessage", faults.cut)
        yield* Effect.flip(hook.provider.send({ chatId: "1", content: { _tag: "text", text: "hola" } }))
        yield* Effect.flip(hook.provider.download({ kind: "audio", native: "none" }))
        yield* hook.post({ update_id: 1, message: 5 })
      })
      yield* Effect.scoped(use).pipe(
        Effect.withSpan("test"),
        Effect.provide(Logger.layer([logger])),
        Effect.provideService(Tracer.Tracer, tracer)
      )
      expect(told.length).toBeGreaterThan(3)
      for (const line of told) {
        expect(line).not.toContain("AAfake")
        expect(line).not.toContain("s3cret")
      }
    })
  )

  it.live("updates are counted by kind and by what became of them", () =>
    Effect.gen(function* () {
      const api = yield* BotApi.make()
      const provider = yield* polling(api)
      const by = recordingHost()
      yield* provider.start(by)
      api.push(
        { message: 5 },
        { foo_event: {} },
        { poll_answer: { poll_id: "9", option_ids: [] } },
        api.text(7, "hola")
      )
      yield* by.until("hola", (events) => events.length === 1)
      yield* api.until("all is confirmed", (it) => it.polling && it.pending.length === 0)
      const counts = (yield* Metric.snapshot).flatMap((it) =>
        it.id === "botmesh_telegram_updates_total" && it.type === "Counter"
          ? [`${it.attributes?.["kind"]}/${it.attributes?.["outcome"]}=${it.state.count}`]
          : []
      )
      expect(counts.sort()).toEqual([
        "message/event=1",
        "message/malformed=1",
        "other/unknown-kind=1",
        "poll_answer/unknown-poll=1"
      ])
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})
