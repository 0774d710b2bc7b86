import { connect } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted } from "effect"
import { ProviderError } from "@botmesh/core/spi"
import { recordingHost } from "@botmesh/core/testing"
import * as BotApi from "./BotApi.ts"
import { expected, payloads } from "./Fixtures.ts"
import { post, secret, webhook } from "./Setup.ts"

const live = Effect.gen(function* () {
  const api = yield* BotApi.make()
  const hook = yield* webhook(api)
  const by = recordingHost()
  yield* hook.provider.start(by)
  return { api, by, ...hook }
})

const text = (body: string, update_id = 1) => ({
  update_id,
  message: {
    message_id: update_id,
    from: { id: 7, first_name: "Ana" },
    chat: { id: 7, type: "private" },
    date: 1,
    text: body
  }
})

const secretHeader = "x-telegram-bot-api-secret-token"

describe("payloads over real HTTP", () => {
  for (const payload of payloads) {
    it.live(`${payload.id} posted to the webhook gives its expect as the event: ${payload.name}`, () =>
      Effect.gen(function* () {
        const { by, post } = yield* live
        // A poll this bot sent earlier to Ana's chat.
        by.rows.set("telegram:poll:5100000000000000001", JSON.stringify({ from: "700100200", isGroup: false }))
        expect(yield* post(payload.update)).toBe(200)
        const want = expected(payload)
        expect(by.events.length).toBe(want === undefined ? 0 : 1)
        if (want !== undefined) expect(by.events[0]).toMatchObject(want)
        if (payload.id === "telegram-17") expect(by.events[0]).toMatchObject({ from: "700100200", isGroup: false })
      })
    )
  }

  it.live("answers the callback query at once", () =>
    Effect.gen(function* () {
      const { api, post } = yield* live
      const update = payloads.find(({ id }) => id === "telegram-10")?.update
      expect(yield* post(update)).toBe(200)
      yield* api.until("the button is answered", (it) => it.callsOf("answerCallbackQuery").length === 1)
      expect(api.callsOf("answerCallbackQuery")[0]?.params).toEqual({ callback_query_id: "3006930000000000001" })
    })
  )

  it.live("ignores a vote in a poll it does not know", () =>
    Effect.gen(function* () {
      const { by, post } = yield* live
      expect(yield* post(payloads.find(({ id }) => id === "telegram-17")?.update)).toBe(200)
      expect(by.events).toEqual([])
    })
  )
})

describe("what is not taken", () => {
  it.live("a wrong or missing secret: 401, nothing read, nothing handed over", () =>
    Effect.gen(function* () {
      const { by, post: known, url } = yield* live
      for (const wrong of ["", "x", Redacted.value(secret).slice(0, -1), `${Redacted.value(secret)}x`, "ñ".repeat(9)]) {
        const header = wrong === "ñ".repeat(9) ? encodeURIComponent(wrong) : wrong
        expect(yield* known(text("hola"), { [secretHeader]: header })).toBe(401)
      }
      expect(yield* post(url, JSON.stringify(text("hola")), { "content-type": "application/json" })).toBe(401)
      // The body is not looked at: a broken one is refused for its secret, not for its form.
      expect(yield* known("{", { [secretHeader]: "x" })).toBe(401)
      expect(by.offers).toEqual([])
    })
  )

  it.live("a cut body, JSON that is none: 400", () =>
    Effect.gen(function* () {
      const { by, post } = yield* live
      for (const body of ["", "{", JSON.stringify(text("hola")).slice(0, -3), "\u0000", "<xml/>"]) {
        expect(yield* post(body)).toBe(400)
      }
      expect(by.offers).toEqual([])
      expect(yield* post(text("sigue"))).toBe(200)
    })
  )

  it.live("a body that ends before its length is handed to nobody, and the next one is", () =>
    Effect.gen(function* () {
      const { by, post, url } = yield* live
      const { port, hostname, pathname } = new URL(url)
      const body = JSON.stringify(text("hola"))
      yield* Effect.callback<void>((resume) => {
        const socket = connect(Number(port), hostname, () => {
          socket.write(
            `POST ${pathname} HTTP/1.1\r\nHost: x\r\n${secretHeader}: ${Redacted.value(secret)}\r\n` +
              `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, -5)}`,
            () => socket.destroy()
          )
        })
        socket.on("close", () => resume(Effect.void))
      })
      expect(yield* post(text("sigue", 2))).toBe(200)
      expect(by.events).toMatchObject([{ body: "sigue" }])
    })
  )

  it.live("a huge body: 413, by its length or when it turns out so", () =>
    Effect.gen(function* () {
      const { by, post, url } = yield* live
      const huge = JSON.stringify(text("a".repeat(1024 * 1024)))
      expect(yield* post(huge)).toBe(413)
      const chunked = Effect.promise(async () => {
        const body = new ReadableStream({
          start: (controller) => {
            for (let at = 0; at < huge.length; at += 65536) {
              controller.enqueue(new TextEncoder().encode(huge.slice(at, at + 65536)))
            }
            controller.close()
          }
        })
        const headers = { [secretHeader]: Redacted.value(secret) }
        const init = { method: "POST", body, headers, duplex: "half" } as RequestInit
        // A server may answer before the body has ended, or cut: what it must not do is take it.
        return fetch(url, init).then(
          (response) => response.status,
          () => 413
        )
      })
      expect(yield* chunked).toBe(413)
      expect(by.offers).toEqual([])
      expect(yield* post(text("a".repeat(4096)))).toBe(200)
    })
  )

  it.live("TG-02: unknown and future kinds are acknowledged, and the message after them is handled", () =>
    Effect.gen(function* () {
      const { by, post } = yield* live
      const person = { id: 7, first_name: "Ana" }
      const edited = { ...text("corregido").message, edit_date: 2 }
      const member = { user: person, status: "member" }
      const updates = [
        { update_id: 1, edited_message: edited },
        { update_id: 2, my_chat_member: { chat: { id: 7, type: "private" }, from: person, new_chat_member: member } },
        { update_id: 3, poll_answer: { poll_id: "1", user: person, option_ids: [0] } },
        { update_id: 4, chat_boost: { chat: { id: 7, type: "private" }, boost: {} } },
        { update_id: 5, foo_event: { anything: [1, { deep: true }] } },
        { update_id: 6, message: { message_id: 6 } },
        [],
        "hola",
        null,
        12
      ]
      for (const update of updates) expect(yield* post(JSON.stringify(update))).toBe(200)
      expect(yield* post(text("normal", 7))).toBe(200)
      expect(by.events).toMatchObject([{ body: "corregido", edited: true }, { body: "normal" }])
    })
  )

  it.live("before the start and after the stop: 503 with Retry-After", () =>
    Effect.gen(function* () {
      const api = yield* BotApi.make()
      const hook = yield* webhook(api)
      const by = recordingHost()
      expect(yield* hook.post(text("pronto"))).toBe(503)
      yield* Effect.scoped(Effect.andThen(hook.provider.start(by), hook.post(text("hola"))))
      expect(yield* hook.post(text("tarde"))).toBe(503)
      expect(by.events).toMatchObject([{ body: "hola" }])
      const response = yield* Effect.promise(() =>
        fetch(hook.url, { method: "POST", body: "{}", headers: { [secretHeader]: Redacted.value(secret) } })
      )
      expect(response.status).toBe(503)
      expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0)
    })
  )

  it.live("a bot that is full: 503, and the same update is taken when it comes again", () =>
    Effect.gen(function* () {
      const { by, post } = yield* live
      by.refuse(1)
      expect(yield* post(text("hola"))).toBe(503)
      expect(yield* post(text("hola"))).toBe(200)
      expect(by.events.length).toBe(1)
    })
  )

  it.live("a store that is down: 503", () =>
    Effect.gen(function* () {
      const api = yield* BotApi.make()
      const hook = yield* webhook(api)
      const by = recordingHost()
      const down = Effect.fail(new ProviderError({ provider: "telegram", reason: "closed", detail: "store down" }))
      yield* hook.provider.start({ ...by, state: { get: () => down, set: () => down } })
      const vote = payloads.find(({ id }) => id === "telegram-17")?.update
      expect(yield* hook.post(vote)).toBe(503)
      expect(yield* hook.post(text("hola"))).toBe(200)
    })
  )
})

describe("admission", () => {
  it.live("TG-01: is answered once admitted, whatever the handler does; a redelivery is handed over again", () =>
    Effect.gen(function* () {
      const { by, post } = yield* live
      // The host admits at once and its handler never ends: `receive` does not wait for it.
      const statuses = yield* Effect.forEach([1, 2, 3, 4, 5], () => post(text("lento", 9001))).pipe(
        Effect.timeout("1 second")
      )
      expect(statuses).toEqual([200, 200, 200, 200, 200])
      const ids = by.events.map((event) => (event._tag === "message" ? event.ref.id : ""))
      // One id each time: what makes it one run is the bot's dedupe.
      expect(ids).toEqual(["9001", "9001", "9001", "9001", "9001"])
    })
  )

  it.live("is waited for, and a client that hangs up does not stop it", () =>
    Effect.gen(function* () {
      const api = yield* BotApi.make()
      const hook = yield* webhook(api)
      const begun = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<string>()
      const slow = Deferred.succeed(begun, undefined).pipe(
        Effect.andThen(Deferred.await(go)),
        Effect.onExit((exit) => Deferred.succeed(ended, exit._tag))
      )
      yield* hook.provider.start({ ...recordingHost(), receive: () => slow })
      const caller = yield* Effect.forkChild(hook.post(text("hola")))
      yield* Deferred.await(begun)
      expect(caller.pollUnsafe()).toBeUndefined()
      yield* Fiber.interrupt(caller)
      // The server hears of the hang-up with its next round of the event loop; a second request comes after it.
      expect(yield* hook.post("{")).toBe(400)
      yield* Deferred.succeed(go, undefined)
      expect(yield* Deferred.await(ended)).toBe("Success")
    })
  )

  it.live("100 chats in parallel, each sent twice in order: none is lost, none is out of order", () =>
    Effect.gen(function* () {
      const { by, post } = yield* live
      const update = (chat: number, index: number) => {
        const person = { id: chat, first_name: "A" }
        const message = {
          message_id: index,
          from: person,
          chat: { id: chat, type: "private" },
          date: 1,
          text: `${index}`
        }
        return { update_id: chat * 10 + index, message }
      }
      const one = (chat: number) =>
        Effect.forEach([0, 0, 1, 1, 2, 2], (index) => post(update(chat, index)), { discard: true })
      const chats = Array.from({ length: 100 }, (_, chat) => chat + 1)
      yield* Effect.forEach(chats, one, { discard: true, concurrency: 32 })
      for (const chat of chats) {
        const said = by.events.flatMap((it) => (it.from === String(chat) && it._tag === "message" ? [it.body] : []))
        expect(said).toEqual(["0", "0", "1", "1", "2", "2"])
      }
    })
  )
})

describe("registering", () => {
  const at = { url: "https://tienda.example/telegram" }

  it.live("sets the webhook with its secret and the kinds it wants when a URL is given", () =>
    Effect.gen(function* () {
      const api = yield* BotApi.make()
      const hook = yield* webhook(api, at)
      yield* hook.provider.start(recordingHost())
      expect(api.webhook).toEqual({
        ...at,
        secret_token: Redacted.value(secret),
        drop_pending_updates: false,
        allowed_updates: [
          "message",
          "edited_message",
          "callback_query",
          "my_chat_member",
          "message_reaction",
          "poll_answer"
        ]
      })
    })
  )

  it.live("leaves it alone when none is given", () =>
    Effect.gen(function* () {
      const { api } = yield* live
      expect(api.calls.map(({ method }) => method)).toEqual(["getMe"])
    })
  )

  it.live("fails its start on a URL Telegram refuses, and on a refused token", () =>
    Effect.gen(function* () {
      const api = yield* BotApi.make()
      const hook = yield* webhook(api, at)
      api.fault("setWebhook", BotApi.faults.error(400, "Bad Request: bad webhook: HTTPS url must be provided"))
      const start = Effect.flip(Effect.scoped(hook.provider.start(recordingHost())))
      expect(yield* start).toMatchObject({ _tag: "ProviderError", reason: "configuration" })
      expect(yield* hook.post(text("hola"))).toBe(503)
      api.fault("getMe", BotApi.faults.unauthorized)
      expect(yield* start).toMatchObject({ _tag: "ProviderError", reason: "auth" })
    })
  )
})
