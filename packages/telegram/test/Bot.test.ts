/** A bot on Telegram, whole: updates over real HTTP, replies over real HTTP. */
import { createServer } from "node:http"
import { Bot, InProcessScheduler, LocalCoordinator, layerNoDurability, MemoryStore } from "@botmesh/core"
import { Telegram } from "@botmesh/telegram"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { expect, it } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Redacted } from "effect"
import { FetchHttpClient, HttpRouter, HttpServer } from "effect/http"
import * as BotApi from "./BotApi.ts"
import { payloads } from "./Fixtures.ts"
import { post, secret } from "./Setup.ts"

/** `hung` is what a handler waits for that does not end of itself; the engine's tests show how such a turn is cut. */
const shop = (hung: Effect.Effect<void>) =>
  Bot.make("shop", [
    Bot.when("cuelga", (chat) => Effect.andThen(chat.reply("empiezo"), hung)),
    Bot.onMessage((chat) => chat.reply(`eco: ${chat.body}`))
  ])

const local = Layer.mergeAll(MemoryStore.layer(), LocalCoordinator.layer(), layerNoDurability, InProcessScheduler.layer)

const run = Effect.gen(function* () {
  const api = yield* BotApi.make()
  const end = yield* Deferred.make<void>()
  const bot = Bot.layer(shop(Deferred.await(end))).pipe(
    Layer.provide(Telegram.layerWebhook({ token: api.token, secret, apiUrl: api.url })),
    Layer.provide(local)
  )
  const server = HttpRouter.serve(bot, { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" })),
    Layer.provide(FetchHttpClient.layer)
  )
  const context = yield* Layer.build(server)
  const { address } = Context.get(context, HttpServer.HttpServer)
  const url = address._tag === "UnixPathAddress" ? "" : `http://127.0.0.1:${address.port}/telegram`
  const headers = { "x-telegram-bot-api-secret-token": Redacted.value(secret), "content-type": "application/json" }
  return {
    api,
    end: Deferred.succeed(end, undefined),
    give: (update: unknown) => post(url, JSON.stringify(update), headers)
  }
})

const update = (chat: number, index: number) => {
  const where = { chat: { id: chat, type: "private" }, from: { id: chat, first_name: "A" } }
  return { update_id: chat * 100 + index, message: { message_id: index + 1, date: 1, ...where, text: `${index}` } }
}

it.live("100 chats, 10 updates each, each sent twice: 1,000 replies, in order per chat", () =>
  Effect.gen(function* () {
    const { api, give } = yield* run
    const chats = Array.from({ length: 100 }, (_, index) => index + 1)
    const talk = (chat: number) =>
      Effect.forEach(
        Array.from({ length: 20 }, (_, index) => Math.floor(index / 2)),
        (index) => Effect.map(give(update(chat, index)), (status) => expect(status).toBe(200)),
        { discard: true }
      )
    yield* Effect.forEach(chats, talk, { discard: true, concurrency: 32 })
    yield* api.until("1,000 replies", (it) => it.callsOf("sendMessage").length >= 1000)
    expect(api.callsOf("sendMessage").length).toBe(1000)
    const want = Array.from({ length: 10 }, (_, index) => `eco: ${index}`)
    for (const chat of chats) expect(api.shown(`${chat}`)).toEqual(want)
  })
)

it.live("no payload gives a 5xx, and the bot goes on answering", () =>
  Effect.gen(function* () {
    const { api, give } = yield* run
    for (const payload of payloads) expect(yield* give(payload.update)).toBe(200)
    for (const strange of [null, [], { update_id: 1 }, { update_id: 2, message: 3 }, { update_id: 3, foo: {} }]) {
      expect(yield* give(strange)).toBe(200)
    }
    expect(yield* give(update(5, 1))).toBe(200)
    yield* api.until("an answer", (it) => it.shown("5").length === 1)
  })
)

it.live("TG-01: a handler that hangs does not delay the answer, and redeliveries are one run", () =>
  Effect.gen(function* () {
    const { api, end, give } = yield* run
    const slow = { ...update(7, 1), update_id: 9001, message: { ...update(7, 1).message, text: "cuelga" } }
    const statuses = yield* Effect.timeout(
      Effect.forEach([1, 2, 3, 4, 5], () => give(slow)),
      "1 second"
    )
    expect(statuses).toEqual([200, 200, 200, 200, 200])
    expect(yield* give(update(8, 2))).toBe(200)
    yield* api.until("another chat's answer", (it) => it.shown("8").length === 1)
    expect(api.shown("7")).toEqual(["empiezo"])
    yield* end
  })
)

it.live("TG-11: by polling, chats 2 to 500 are answered while the handler of chat 1 never ends", () =>
  Effect.gen(function* () {
    const api = yield* BotApi.make()
    const end = yield* Deferred.make<void>()
    const bot = Bot.layer(shop(Deferred.await(end))).pipe(
      Layer.provide(Telegram.layerPolling({ token: api.token, apiUrl: api.url })),
      Layer.provide([local, FetchHttpClient.layer])
    )
    yield* Layer.build(bot)
    const rest = Array.from({ length: 499 }, (_, index) => index + 2)
    api.push(api.text(1, "cuelga"), ...rest.map((chat) => api.text(chat, "hola")))
    yield* api.until("all others are answered", (it) => it.callsOf("sendMessage").length === 500)
    expect(api.shown("1")).toEqual(["empiezo"])
    for (const chat of rest) expect(api.shown(`${chat}`)).toEqual(["eco: hola"])
    yield* api.until("everything is confirmed", (it) => it.polling && it.pending.length === 0)
    yield* Deferred.succeed(end, undefined)
  })
)
