import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { type Content, type Outgoing, ProviderError, type SendError, splitText } from "@botmesh/core/spi"
import { recordingHost } from "@botmesh/core/testing"
import * as BotApi from "./BotApi.ts"
import { polling } from "./Setup.ts"

const { faults } = BotApi

const chat = "700100200"

const live = Effect.gen(function* () {
  const api = yield* BotApi.make()
  const provider = yield* polling(api)
  const by = recordingHost()
  yield* provider.start(by)
  const send = (content: Content, more: Partial<Outgoing> = {}) => provider.send({ chatId: chat, content, ...more })
  return { api, by, provider, send }
})

const refused = (send: Effect.Effect<unknown, SendError>) => Effect.map(Effect.flip(send), ({ reason }) => reason)

const last = (api: BotApi.BotApi) => {
  const call = api.calls.findLast(({ method }) => method !== "getUpdates")
  if (call === undefined) throw new Error("no call")
  return call
}

const sent = (api: BotApi.BotApi) =>
  api.calls.filter(({ method }) => !["getMe", "deleteWebhook", "getUpdates"].includes(method))

describe("texts", () => {
  it.live("goes to its chat and topic, and quotes without failing for it", () =>
    Effect.gen(function* () {
      const { api, send } = yield* live
      yield* send({ _tag: "text", text: "hola" }, { topic: "12", replyTo: { id: "40", chatId: chat } })
      expect(last(api)).toMatchObject({
        method: "sendMessage",
        params: {
          chat_id: 700100200,
          text: "hola",
          message_thread_id: 12,
          reply_parameters: { message_id: 40, allow_sending_without_reply: true }
        }
      })
    })
  )

  const astronauts = "👩‍🚀".repeat(3000)
  it.live.each([
    ["a surrogate pair on the limit", `${"a".repeat(4095)}🎩${"b".repeat(500)}`],
    ["3 000 characters of five units", astronauts],
    ["paragraphs", `${"uno dos tres. ".repeat(200)}\n\n${"cuatro cinco. ".repeat(400)}`]
  ] as const)("TG-09: %s: well-formed parts within 4096 units, in order, joined they are the text", ([, text]) =>
    Effect.gen(function* () {
      const { api, send } = yield* live
      const receipt = yield* send({ _tag: "text", text }, { replyTo: { id: "40", chatId: chat } })
      const parts = api.shown(chat)
      expect(parts.join("")).toBe(text)
      for (const part of parts) {
        expect(part.isWellFormed()).toBe(true)
        expect(part.length).toBeLessThanOrEqual(4096)
      }
      if (text === astronauts) for (const part of parts) expect(part.length % 5).toBe(0)
      expect(receipt.parts?.length).toBe(parts.length)
      expect(receipt.ref).toEqual(receipt.parts?.[0])
      const quoting = api.callsOf("sendMessage").map(({ params }) => "reply_parameters" in params)
      expect(quoting).toEqual(parts.map((_, index) => index === 0))
    })
  )

  it("TG-09: a limit of 0, -1 or NaN throws at once", () => {
    for (const limit of [0, -1, Number.NaN]) expect(() => splitText("hola", limit, "utf16")).toThrow(RangeError)
  })

  it.live("an empty or blank text is refused before any call", () =>
    Effect.gen(function* () {
      const { api, send } = yield* live
      for (const text of ["", "  \n "]) {
        expect(yield* refused(send({ _tag: "text", text }))).toMatchObject({ _tag: "InvalidContent" })
      }
      expect(sent(api)).toEqual([])
    })
  )

  it.live("a repeat under the same key goes on at the part that failed, also in a new process", () =>
    Effect.gen(function* () {
      const api = yield* BotApi.make()
      const by = recordingHost()
      const content: Content = { _tag: "text", text: "a".repeat(4096 * 2 + 5) }
      const message = { chatId: chat, content, key: "op-1" }
      // Each try is a process of its own: only what lies in the bot's state outlives it.
      const attempt = Effect.scoped(
        Effect.flatMap(polling(api), (it) => Effect.andThen(it.start(by), it.send(message)))
      )
      api.fault("sendMessage", faults.pass, faults.rateLimited(3))
      const first = yield* Effect.flip(attempt)
      expect(first).toMatchObject({ reason: { _tag: "RateLimited", retryAfter: 3000 } })
      const receipt = yield* attempt
      expect(receipt.parts?.length).toBe(3)
      const lengths = api.shown(chat).map(({ length }) => length)
      // The second part twice: the first time it was refused.
      expect(lengths).toEqual([4096, 4096, 4096, 5])
      expect((yield* attempt).parts).toEqual(receipt.parts)
      expect(api.shown(chat).length).toBe(4)
    })
  )
})

describe("buttons", () => {
  const long = `opción:${"x".repeat(57)}`
  const choices = (key: string, label: string): Content => ({
    _tag: "choices",
    text: "¿Plan?",
    options: [{ key, label }]
  })

  const data = (api: BotApi.BotApi): string => {
    const markup = JSON.stringify(api.callsOf("sendMessage").at(-1)?.params["reply_markup"])
    return JSON.parse(markup).inline_keyboard[0][0].callback_data
  }

  const press = (api: BotApi.BotApi, pressed: string, label: string) => {
    const person = { id: 700100200, is_bot: false, first_name: "Ana" }
    const reply_markup = { inline_keyboard: [[{ text: label, callback_data: pressed }]] }
    const message = { message_id: 9, date: 1, chat: { id: 700100200, type: "private" }, reply_markup }
    api.push({ callback_query: { id: "1", from: person, chat_instance: "1", data: pressed, message } })
  }

  it.live.each([
    ["64 bytes exactly", "k".repeat(64), true],
    ["64 characters with one of two bytes", long, false],
    ["Cyrillic", "вариант".repeat(8), false],
    ["one that looks like a token", `~${"a".repeat(43)}`, false],
    ["an empty one", "", false],
    ["a lone surrogate", "\ud83c", false]
  ] as const)("TG-08: the key comes back whole, also after a restart: %s", ([, key, plain]) =>
    Effect.gen(function* () {
      const api = yield* BotApi.make()
      const by = recordingHost()
      const label = "Подробнее"
      const message = { chatId: chat, content: choices(key, label) }
      yield* Effect.scoped(Effect.flatMap(polling(api), (it) => Effect.andThen(it.start(by), it.send(message))))
      const behind = data(api)
      expect(Buffer.byteLength(behind)).toBeLessThanOrEqual(64)
      expect(behind === key).toBe(plain)
      // A new process: only what lies in the bot's state has outlived the first.
      const restarted = yield* polling(api)
      yield* restarted.start(by)
      press(api, behind, label)
      yield* by.until("pressed", (events) => events.length === 1)
      expect(by.events).toMatchObject([{ _tag: "interaction", payload: key, body: label }])
    })
  )

  it.live("a token that is not known any more is handed on with its label", () =>
    Effect.gen(function* () {
      const { api, by, send } = yield* live
      yield* send(choices(long, "Más"))
      by.rows.clear()
      press(api, data(api), "Más")
      yield* by.until("pressed", (it) => it.length === 1)
      expect(by.events[0]).toMatchObject({ payload: data(api), body: "Más" })
    })
  )

  it.live("no button is shown whose key could not be kept", () =>
    Effect.gen(function* () {
      const api = yield* BotApi.make()
      const provider = yield* polling(api)
      const message = { chatId: chat, content: choices(long, "Más") }
      expect(yield* refused(provider.send(message))).toMatchObject({ _tag: "Transient" })
      const down = Effect.fail(new ProviderError({ provider: "telegram", reason: "closed", detail: "store down" }))
      yield* provider.start({ ...recordingHost(), state: { get: () => down, set: () => down } })
      expect(yield* refused(provider.send(message))).toMatchObject({ _tag: "Transient", detail: "state: store down" })
      expect(api.callsOf("sendMessage")).toEqual([])
    })
  )

  it.live("a long question is split and its last part carries the buttons", () =>
    Effect.gen(function* () {
      const { api, send } = yield* live
      const options = [{ key: "a", label: "A" }]
      yield* send({ _tag: "choices", text: "a".repeat(5000), options })
      expect(api.callsOf("sendMessage").map(({ params }) => "reply_markup" in params)).toEqual([false, true])
    })
  )

  it.live("no options, or more than a keyboard holds, are refused before any call", () =>
    Effect.gen(function* () {
      const { api, send } = yield* live
      const many = Array.from({ length: 101 }, (_, index) => ({ key: `${index}`, label: `${index}` }))
      for (const options of [[], many]) {
        expect(yield* refused(send({ _tag: "choices", text: "¿?", options }))).toMatchObject({ _tag: "InvalidContent" })
      }
      expect(sent(api)).toEqual([])
      yield* send({ _tag: "choices", text: "¿?", options: many.slice(0, 100) })
    })
  )
})

describe("media", () => {
  const bytes = new Uint8Array([0xff, 0xd8, 0xff, 0x00, 0x80])

  it.live.each([
    ["image", "sendPhoto", "photo", {}],
    ["video", "sendVideo", "video", {}],
    ["gif", "sendAnimation", "animation", {}],
    ["audio", "sendAudio", "audio", {}],
    ["audio", "sendVoice", "voice", { voice: true }],
    ["document", "sendDocument", "document", {}],
    ["sticker", "sendSticker", "sticker", {}]
  ] as const)("%s by %s: bytes, URL and handle", ([kind, method, field, extra]) =>
    Effect.gen(function* () {
      const { api, send } = yield* live
      const form = { mimetype: "application/x-test", filename: "ñandú.bin" }
      yield* send({ _tag: "media", kind, source: { _tag: "bytes", bytes }, ...form, ...extra }, { topic: "3" })
      const upload = last(api)
      expect(upload).toMatchObject({ method, params: { chat_id: "700100200", message_thread_id: "3" } })
      expect(upload.files.get(field)).toEqual({ name: "ñandú.bin", type: "application/x-test", bytes })
      yield* send({ _tag: "media", kind, source: { _tag: "url", url: "https://files.example/a" }, ...extra })
      expect(last(api)).toMatchObject({ method, params: { [field]: "https://files.example/a" } })
      yield* send({ _tag: "media", kind, source: { _tag: "native", native: "AwACAgEAAxv" }, ...extra })
      expect(last(api)).toMatchObject({ method, params: { [field]: "AwACAgEAAxv" } })
    })
  )

  it.live("a caption over 1024 units goes on as text; a sticker has none", () =>
    Effect.gen(function* () {
      const { api, send } = yield* live
      const caption = "palabra ".repeat(700).trim()
      const source = { _tag: "native", native: "F" } as const
      const receipt = yield* send({ _tag: "media", kind: "image", source, caption })
      const shown = [api.callsOf("sendPhoto")[0]?.params["caption"], ...api.shown(chat)]
      expect(shown.join("")).toBe(caption)
      expect(receipt.parts?.length).toBe(shown.length)
      yield* send({ _tag: "media", kind: "sticker", source, caption: "mira" })
      expect(api.callsOf("sendSticker")[0]?.params).not.toHaveProperty("caption")
      expect(api.shown(chat).at(-1)).toBe("mira")
    })
  )

  it.live(
    "what is no web address and no handle is refused before any call: a local server could read it as a path",
    () =>
      Effect.gen(function* () {
        const { api, send } = yield* live
        for (const source of [
          { _tag: "url", url: "file:///etc/passwd" },
          { _tag: "url", url: "/etc/passwd" },
          { _tag: "native", native: "file:///etc/passwd" },
          { _tag: "native", native: { id: 1 } },
          { _tag: "bytes", bytes: new Uint8Array() },
          { _tag: "bytes", bytes: new Uint8Array(10 * 1024 * 1024 + 1) }
        ] as const) {
          const reason = yield* refused(send({ _tag: "media", kind: "image", source }))
          expect(reason).toMatchObject({ _tag: "InvalidContent" })
        }
        expect(sent(api)).toEqual([])
      })
  )

  it.live("a file over what a bot may download is refused, by what is said and by what comes", () =>
    Effect.gen(function* () {
      const { api, provider } = yield* live
      const huge = { kind: "document", native: "H", bytes: 21 * 1024 * 1024 } as const
      expect(yield* refused(provider.download(huge))).toMatchObject({ _tag: "InvalidContent" })
      expect(sent(api)).toEqual([])
      api.store("H", new Uint8Array(20 * 1024 * 1024 + 1))
      api.fault("getFile", { _tag: "answer", status: 200, body: { ok: true, result: { file_path: "files/H" } } })
      const unsaid = { kind: "document", native: "H" } as const
      expect(yield* refused(provider.download(unsaid))).toMatchObject({ detail: "Bad Request: file is too big" })
      expect(yield* refused(provider.download(unsaid))).toMatchObject({ _tag: "InvalidContent" })
    })
  )
})

describe("other contents", () => {
  it.live("polls are open ones, and a vote finds its chat and topic", () =>
    Effect.gen(function* () {
      const { api, by, send } = yield* live
      const content = { _tag: "poll", question: "¿Cuándo?", options: ["lunes", "martes"], multiple: true } as const
      const { ref } = yield* send(content, { chatId: "-1002003004005", topic: "4" })
      expect(last(api).params).toMatchObject({
        is_anonymous: false,
        allows_multiple_answers: true,
        options: [{ text: "lunes" }, { text: "martes" }]
      })
      const { pollId } = ref.native as { readonly pollId: string }
      const user = { id: 7, first_name: "Ana", language_code: "es" }
      api.push({ poll_answer: { poll_id: pollId, user, option_ids: [1] } })
      yield* by.until("the vote", (it) => it.length === 1)
      const vote = { _tag: "pollVote", pollId, options: [1], sender: "7", senderName: "Ana", lang: "es" }
      expect(by.events[0]).toEqual({ ...vote, from: "-1002003004005", isGroup: true, topic: "4" })
    })
  )

  it.live(
    "poll options over the limit are cut on a character and told apart; too many or a long question refused",
    () =>
      Effect.gen(function* () {
        const { api, send } = yield* live
        const options = ["👩‍🚀".repeat(30), "👩‍🚀".repeat(31), "corta"]
        yield* send({ _tag: "poll", question: "¿?", options })
        const texts: ReadonlyArray<string> = JSON.parse(JSON.stringify(last(api).params["options"])).map(
          (it: { readonly text: string }) => it.text
        )
        expect(new Set(texts).size).toBe(3)
        for (const text of texts.slice(0, 2)) expect(text).toMatch(/^(👩‍🚀)+…/u)
        const many = Array.from({ length: 13 }, (_, index) => `${index}`)
        for (const bad of [
          { question: "¿?", options: many },
          { question: "¿?", options: ["sola"] },
          { question: "a".repeat(301), options: ["a", "b"] }
        ]) {
          expect(yield* refused(send({ _tag: "poll", ...bad }))).toMatchObject({ _tag: "InvalidContent" })
        }
      })
  )

  it.live("places, with a name as a venue, and contacts with all their numbers", () =>
    Effect.gen(function* () {
      const { api, send } = yield* live
      yield* send({ _tag: "location", location: { latitude: 4.7, longitude: -74 } })
      expect(last(api)).toMatchObject({ method: "sendLocation", params: { latitude: 4.7, longitude: -74 } })
      yield* send({ _tag: "location", location: { latitude: 4.7, longitude: -74, name: "Plaza", address: "Cra 7" } })
      expect(last(api)).toMatchObject({ method: "sendVenue", params: { title: "Plaza", address: "Cra 7" } })
      yield* send({ _tag: "contact", contact: { name: "Luz; Sol", phones: ["+571", "+572"] } })
      const { params } = last(api)
      expect(params).toMatchObject({ phone_number: "+571", first_name: "Luz; Sol" })
      expect(params["vcard"]).toContain("FN:Luz\\; Sol\r\nTEL:+571\r\nTEL:+572\r\n")
      expect(yield* refused(send({ _tag: "contact", contact: { name: "Luz", phones: [] } }))).toMatchObject({
        _tag: "InvalidContent"
      })
    })
  )

  it.live("reactions come and go", () =>
    Effect.gen(function* () {
      const { api, send } = yield* live
      const target = { id: "38", chatId: chat }
      const want: ReadonlyArray<readonly [string, ReadonlyArray<object>]> = [
        ["👍", [{ type: "emoji", emoji: "👍" }]],
        ["custom:55", [{ type: "custom_emoji", custom_emoji_id: "55" }]],
        ["", []]
      ]
      for (const [emoji, reaction] of want) {
        const { ref } = yield* send({ _tag: "reaction", target, emoji })
        expect(last(api)).toMatchObject({ method: "setMessageReaction", params: { message_id: 38, reaction } })
        expect(ref).toEqual(target)
      }
    })
  )

  it.live("an edit or delete that is so already is a success; a caption is edited as one", () =>
    Effect.gen(function* () {
      const { api, send } = yield* live
      const target = { id: "38", chatId: chat }
      const edit: Content = { _tag: "edit", target, text: "nuevo" }
      api.fault("editMessageText", faults.error(400, "Bad Request: message is not modified: specified new message …"))
      expect((yield* send(edit)).ref).toEqual(target)
      api.fault("editMessageText", faults.error(400, "Bad Request: there is no text in the message to edit"))
      yield* send(edit)
      expect(last(api)).toMatchObject({ method: "editMessageCaption", params: { message_id: 38, caption: "nuevo" } })
      api.fault("deleteMessage", faults.error(400, "Bad Request: message to delete not found"))
      expect((yield* send({ _tag: "delete", target })).ref).toEqual(target)
      api.fault("deleteMessage", faults.error(400, "Bad Request: message can't be deleted"))
      expect(yield* refused(send({ _tag: "delete", target }))).toMatchObject({ _tag: "InvalidContent" })
      for (const content of [
        { _tag: "edit", target, text: "a".repeat(4097) },
        { _tag: "edit", target, text: " " },
        { _tag: "edit", target: { id: "x", chatId: chat }, text: "a" }
      ] as const) {
        expect(yield* refused(send(content))).toMatchObject({ _tag: "InvalidContent" })
      }
    })
  )

  it.live("typing shows in its topic; reading has no sign and makes no call", () =>
    Effect.gen(function* () {
      const { api, provider } = yield* live
      yield* provider.presence(chat, { _tag: "typing", topic: "4" })
      const params = { chat_id: 700100200, message_thread_id: 4, action: "typing" }
      expect(last(api)).toMatchObject({ method: "sendChatAction", params })
    })
  )
})

describe("a group that became a supergroup", () => {
  const group = "-400500600"
  const content: Content = { _tag: "text", text: "hola" }

  it.live("is written to once more under its new id, and the receipt names it", () =>
    Effect.gen(function* () {
      const { api, send } = yield* live
      api.fault("sendMessage", faults.movedTo(-1002003004999))
      const { ref } = yield* send(content, { chatId: group })
      expect(ref.chatId).toBe("-1002003004999")
      expect(api.callsOf("sendMessage").map(({ params }) => params["chat_id"])).toEqual([-400500600, -1002003004999])
    })
  )

  it.live("is reported as moved when that fails too, after one try", () =>
    Effect.gen(function* () {
      const { api, send } = yield* live
      api.fault("sendMessage", faults.movedTo(-1002003004999), faults.movedTo(-1002003005000))
      expect(yield* refused(send(content, { chatId: group }))).toMatchObject({
        _tag: "MovedChat",
        to: "-1002003004999"
      })
      expect(api.callsOf("sendMessage").length).toBe(2)
    })
  )
})

describe("the token", () => {
  it.live("stands in no error of a server that is gone, nor of a download", () =>
    Effect.gen(function* () {
      const provider = yield* Effect.scoped(Effect.flatMap(BotApi.make(), (api) => polling(api))).pipe(Effect.orDie)
      const { token } = new BotApi.BotApi()
      const text: Outgoing = { chatId: chat, content: { _tag: "text", text: "hola" } }
      const errors = [
        yield* Effect.flip(provider.send(text)),
        yield* Effect.flip(provider.download({ kind: "audio", native: "F" }))
      ]
      for (const error of errors) {
        expect(error.reason._tag).toBe("Transient")
        const told = `${error.message} ${JSON.stringify(error)} ${String(error.stack)} ${String(error.cause)}`
        expect(told).not.toContain(Redacted.value(token))
      }
    })
  )
})
