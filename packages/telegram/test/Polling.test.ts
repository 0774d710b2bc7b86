import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Option, Scope, Stream } from "effect"
import { NotAcceptingError, type ConnectionState, type ProviderShape } from "@botmesh/core/spi"
import { recordingHost } from "@botmesh/core/testing"
import * as BotApi from "./BotApi.ts"
import { polling } from "./Setup.ts"

const { faults } = BotApi

const chat = 700100200

const kinds = ["message", "edited_message", "callback_query", "my_chat_member", "message_reaction", "poll_answer"]

const live = Effect.gen(function* () {
  const api = yield* BotApi.make()
  const provider = yield* polling(api)
  const by = recordingHost()
  yield* provider.start(by)
  yield* api.until("a question is held", (it) => it.polling)
  return { api, by, provider }
})

const say = (api: BotApi.BotApi, ...texts: ReadonlyArray<string>) =>
  api.push(...texts.map((text) => api.text(chat, text)))

const heard = (by: ReturnType<typeof recordingHost>, ...texts: ReadonlyArray<string>) =>
  by.until(texts.join(), (events) =>
    texts.every((text) => events.some((event) => event._tag === "message" && event.body === text))
  )

const bodies = (by: ReturnType<typeof recordingHost>) =>
  by.events.map((event) => (event._tag === "message" ? event.body : event._tag))

const becomes = (provider: ProviderShape, state: ConnectionState, reason?: string) =>
  Stream.runHead(Stream.filter(provider.connection, (it) => it.state === state && it.reason === reason)).pipe(
    Effect.timeout("5 seconds"),
    Effect.map(Option.isSome)
  )

describe("start", () => {
  it.live("takes a webhook away, keeps its updates, and asks for every kind it reads", () =>
    Effect.gen(function* () {
      const api = yield* BotApi.make()
      api.webhook = { url: "https://old.example/" }
      say(api, "esperando")
      const provider = yield* polling(api)
      const by = recordingHost()
      yield* provider.start(by)
      yield* heard(by, "esperando")
      expect(api.webhook).toBeUndefined()
      expect(api.callsOf("deleteWebhook")[0]?.params).toEqual({ drop_pending_updates: false })
      yield* api.until("a question is held", (it) => it.polling)
      for (const { params } of api.callsOf("getUpdates")) expect(params["allowed_updates"]).toEqual(kinds)
      expect(api.callsOf("getUpdates").at(-1)?.params).toMatchObject({ timeout: 20, limit: 100 })
    })
  )

  it.live("fails with auth on a refused token, and does not ask again", () =>
    Effect.gen(function* () {
      const api = yield* BotApi.make()
      const provider = yield* polling(api)
      api.fault("getMe", faults.unauthorized)
      const error = yield* Effect.flip(Effect.scoped(provider.start(recordingHost())))
      expect(error).toMatchObject({ _tag: "ProviderError", provider: "telegram", reason: "auth" })
      expect(yield* becomes(provider, "closed", "auth")).toBe(true)
      expect(api.calls.map(({ method }) => method)).toEqual(["getMe"])
    })
  )

  it.live("409: fails with configuration while a webhook is active", () =>
    Effect.gen(function* () {
      const api = yield* BotApi.make()
      const provider = yield* polling(api)
      api.fault("getUpdates", faults.webhookActive)
      const error = yield* Effect.flip(Effect.scoped(provider.start(recordingHost())))
      expect(error).toMatchObject({ reason: "configuration" })
      expect(error.message).toContain("webhook is active")
    })
  )

  it.live("waits for an API that cannot be reached yet", () =>
    Effect.gen(function* () {
      const api = yield* BotApi.make()
      const provider = yield* polling(api)
      api.fault("getMe", faults.badGateway)
      api.fault("deleteWebhook", faults.cut)
      yield* provider.start(recordingHost())
      expect(yield* becomes(provider, "ready")).toBe(true)
    })
  )
})

describe("confirming", () => {
  it.live("asks on only once the batch is admitted, from the last id plus one", () =>
    Effect.gen(function* () {
      const api = yield* BotApi.make()
      const provider = yield* polling(api)
      const begun = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const slow = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(go))
      yield* provider.start({ ...recordingHost(), receive: () => slow })
      yield* api.until("a question is held", (it) => it.polling)
      api.push({ update_id: 41, ...api.text(chat, "a") })
      yield* Deferred.await(begun)
      const before = api.callsOf("getUpdates").length
      api.push({ update_id: 42, ...api.text(chat, "b") })
      expect(api.pending.map(({ update_id }) => update_id)).toEqual([41, 42])
      yield* Deferred.succeed(go, undefined)
      yield* api.until("everything is confirmed", (it) => it.polling && it.pending.length === 0)
      const offsets = api
        .callsOf("getUpdates")
        .slice(before)
        .map(({ params }) => params["offset"])
      expect(offsets).toEqual([42, 43])
    })
  )

  it.live("a full bot gets the same batch again, nothing is read past it and nothing lost", () =>
    Effect.gen(function* () {
      const { api, by } = yield* live
      by.refuse(2)
      say(api, "uno", "dos")
      yield* heard(by, "dos")
      expect(bodies(by)).toEqual(["uno", "dos"])
      expect(by.offers).toEqual([2, 2, 2])
    })
  )

  it.live("a stop while the bot is full loses nothing: the batch comes after the next start", () =>
    Effect.gen(function* () {
      const api = yield* BotApi.make()
      const provider = yield* polling(api)
      const offered = yield* Deferred.make<void>()
      const full = new NotAcceptingError({ reason: "overloaded", detail: "full" })
      const scope = yield* Scope.make()
      const refusing = Effect.andThen(Deferred.succeed(offered, undefined), Effect.fail(full))
      yield* Scope.provide(provider.start({ ...recordingHost(), receive: () => refusing }), scope)
      say(api, "hola")
      yield* Deferred.await(offered)
      yield* Scope.close(scope, Exit.void)
      const by = recordingHost()
      yield* provider.start(by)
      yield* heard(by, "hola")
    })
  )

  it.live("after an empty answer no offset is sent, so ids that start anew are seen", () =>
    Effect.gen(function* () {
      const { api, by } = yield* live
      api.push({ update_id: 999_999, ...api.text(chat, "antes") })
      yield* heard(by, "antes")
      yield* api.until("the batch is confirmed", (it) => it.polling && it.pending.length === 0)
      api.expirePoll()
      yield* api.until("another question is held", (it) => it.polling)
      expect(api.callsOf("getUpdates").at(-1)?.params).not.toHaveProperty("offset")
      api.push({ update_id: 5, ...api.text(chat, "una semana después") })
      yield* heard(by, "una semana después")
      expect(bodies(by)).toEqual(["antes", "una semana después"])
    })
  )

  it.live("TG-02: a malformed update and unknown kinds are confirmed with their batch and stop nothing", () =>
    Effect.gen(function* () {
      const { api, by } = yield* live
      const strange = [{ foo_event: {} }, { message: { message_id: "x" } }, { chat_boost: {} }, { callback_query: 3 }]
      api.push(...strange, api.text(chat, "normal"))
      yield* heard(by, "normal")
      yield* api.until("everything is confirmed", (it) => it.polling && it.pending.length === 0)
      expect(bodies(by)).toEqual(["normal"])
    })
  )
})

describe("faults", () => {
  it.live("502, 429, cut JSON, a connection reset, and other pages: goes on, and nothing is lost", () =>
    Effect.gen(function* () {
      const { api, by, provider } = yield* live
      const broken: BotApi.Fault = { _tag: "answer", status: 200, body: '{"ok":true,"result":[{"upd' }
      const wrong: BotApi.Fault = { _tag: "answer", status: 200, body: { ok: true, result: "none" } }
      for (const fault of [faults.badGateway, faults.rateLimited(0.02), faults.cut, faults.reset, broken, wrong]) {
        api.fault("getUpdates", fault)
        const text = `tras ${fault._tag} ${api.calls.length}`
        say(api, text)
        yield* heard(by, text)
        yield* api.until("a question is held", (it) => it.polling)
      }
      expect(bodies(by).length).toBe(6)
      expect(yield* becomes(provider, "ready")).toBe(true)
    })
  )

  it.live("409: another poller takes the session over; stands back, tells so, and goes on", () =>
    Effect.gen(function* () {
      const { api, by, provider } = yield* live
      // Another process asks: the double refuses the older question, as the real one does.
      const other = yield* Effect.forkChild(becomes(provider, "closed", "sessionTakenOver"), { startImmediately: true })
      const rival = yield* polling(api)
      yield* Effect.scoped(rival.start(recordingHost()))
      expect(yield* Fiber.join(other)).toBe(true)
      expect(yield* becomes(provider, "ready")).toBe(true)
      say(api, "sigo aquí")
      yield* heard(by, "sigo aquí")
    })
  )

  it.live("409: a webhook set meanwhile ends the polling and says why", () =>
    Effect.gen(function* () {
      const { api, provider } = yield* live
      api.webhook = { url: "https://new.example/" }
      api.expirePoll()
      expect(yield* becomes(provider, "closed", "configuration")).toBe(true)
      expect(api.polling).toBe(false)
    })
  )

  it.live("401: a token withdrawn meanwhile ends the polling and says why", () =>
    Effect.gen(function* () {
      const { api, provider } = yield* live
      api.fault("getUpdates", faults.unauthorized)
      api.expirePoll()
      expect(yield* becomes(provider, "closed", "auth")).toBe(true)
      expect(api.polling).toBe(false)
    })
  )

  it.live("duplicate update ids are handed over again with the same ids, and polling goes on", () =>
    Effect.gen(function* () {
      const { api, by } = yield* live
      api.fault("getUpdates", faults.duplicate)
      say(api, "doble")
      yield* by.until("both", (events) => events.length === 2)
      const [first, second] = by.events
      expect(second).toEqual(first)
      say(api, "después")
      yield* heard(by, "después")
      expect(bodies(by)).toEqual(["doble", "doble", "después"])
    })
  )

  it.live("a stop closes the held question at once", () =>
    Effect.gen(function* () {
      const api = yield* BotApi.make()
      const provider = yield* polling(api)
      const scope = yield* Scope.make()
      yield* Scope.provide(provider.start(recordingHost()), scope)
      yield* api.until("a question is held", (it) => it.polling)
      yield* Effect.timeout(Scope.close(scope, Exit.void), "1 second")
      yield* api.until("the question was hung up", (it) => it.aborted === 1 && !it.polling)
    })
  )
})

describe("load", () => {
  it.live("TG-11: one chat whose handler never ends keeps nobody waiting: 499 others are handed over", () =>
    Effect.gen(function* () {
      const api = yield* BotApi.make()
      const provider = yield* polling(api)
      const by = recordingHost()
      // `receive` returns once admitted; the handler of chat 1 goes on without end behind it.
      const hung = yield* Deferred.make<never>()
      const scope = yield* Effect.scope
      const receive: typeof by.receive = (batch) =>
        Effect.andThen(
          Effect.forEach(
            batch.filter(({ from }) => from === "1"),
            () => Effect.forkIn(Deferred.await(hung), scope)
          ),
          by.receive(batch)
        )
      yield* provider.start({ ...by, receive })
      api.push(...Array.from({ length: 500 }, (_, index) => api.text(index + 1, "hola")))
      yield* by.until("all 500", (events) => events.length === 500)
      expect(new Set(by.events.map(({ from }) => from)).size).toBe(500)
      // Bounded: never more than a hundred at once in memory, and each batch confirmed before the next.
      expect(Math.max(...by.offers)).toBeLessThanOrEqual(100)
      yield* api.until("everything is confirmed", (it) => it.polling && it.pending.length === 0)
    })
  )
})
