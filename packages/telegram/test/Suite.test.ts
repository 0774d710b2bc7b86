import { Effect, type Scope } from "effect"
import { FetchHttpClient } from "effect/http"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type { ProviderShape } from "@botmesh/core/spi"
import { ProviderSuite } from "@botmesh/core/testing"
import * as BotApi from "./BotApi.ts"
import { polling, webhook } from "./Setup.ts"

const chat = 700100200
const voice = new TextEncoder().encode("OggS and so on")

/** The other side's half of a `Peer`. */
const peer = (api: BotApi.BotApi, provider: ProviderShape, say: ProviderSuite.Peer["say"]): ProviderSuite.Peer => {
  const fault = (next: BotApi.Fault) =>
    Effect.sync(() => {
      api.fault("sendMessage", next)
    })
  api.store("AwACAgEAAxv", voice)
  return {
    provider,
    chatId: String(chat),
    say,
    shown: Effect.sync(() => api.shown(String(chat))),
    calls: Effect.sync(() => api.calls.filter(({ method }) => method !== "getUpdates").length),
    faults: {
      RateLimited: fault(BotApi.faults.rateLimited(7)),
      Unreachable: fault(BotApi.faults.blocked),
      AuthFailed: fault(BotApi.faults.unauthorized),
      InvalidContent: fault(BotApi.faults.invalid),
      Transient: fault(BotApi.faults.badGateway),
      Ambiguous: fault(BotApi.faults.cut),
      MovedChat: Effect.sync(() => {
        api.fault("sendMessage", BotApi.faults.movedTo(-1002003004999), BotApi.faults.badGateway)
      })
    },
    file: { media: { kind: "audio", voice: true, native: "AwACAgEAAxv" }, bytes: voice },
    longText: `${"a".repeat(4095)}🎩${"b".repeat(500)}`
  }
}

const overPolling = (client: Parameters<typeof polling>[2]): Effect.Effect<ProviderSuite.Peer, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const api = yield* BotApi.make()
    const provider = yield* polling(api, {}, client)
    return peer(api, provider, (texts) => Effect.sync(() => api.push(...texts.map((text) => api.text(chat, text)))))
  })

/** Telegram posts one update after the other and offers again what was not answered with 200. */
const overWebhook = Effect.gen(function* () {
  const api = yield* BotApi.make()
  const { post, provider } = yield* webhook(api)
  const offer = (update: object): Effect.Effect<void> =>
    Effect.flatMap(post(update), (status) =>
      status === 200 ? Effect.void : Effect.andThen(Effect.sleep("20 millis"), offer(update))
    )
  const scope = yield* Effect.scope
  return peer(api, provider, (texts) =>
    Effect.forEach(texts, (text, index) => offer({ update_id: index, ...api.text(chat, text) }), {
      discard: true
    }).pipe(Effect.forkIn(scope), Effect.asVoid)
  )
})

ProviderSuite.suite("telegram polling over fetch", overPolling(FetchHttpClient.layer))
ProviderSuite.suite("telegram polling over undici", overPolling(NodeHttpClient.layerUndici))
ProviderSuite.suite("telegram webhook", overWebhook)
