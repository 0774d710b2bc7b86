import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Logger, References } from "effect"
import { TestClock } from "effect/testing"
import { Bot, type Chat } from "../../src/index.ts"
import type { Content } from "../../src/model/Content.ts"
import { RateLimited } from "../../src/spi/Provider.ts"
import { MockProvider } from "../../src/testing.ts"
import { breathe, halt, run } from "../kit/Engine.ts"

describe("B9 the chat", () => {
  it.effect("B9 tells body, from, sender, type, isGroup, ref and lang; ids are opaque (B10)", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const { gets, inbound } = yield* run(
        Bot.make("shop", [
          Bot.onMessage(({ body, from, isGroup, key, lang, ref, sender, type }) =>
            Effect.sync(() => void seen.push({ body, from, sender, type, isGroup, ref, lang, key }))
          )
        ])
      )
      yield* gets(
        inbound.text({ chat: "120363/x@g.us", sender: "573001:2@s.whatsapp.net", body: "hola", id: "m:1", lang: "es" })
      )
      yield* gets(inbound.media({ chat: "ana", kind: "audio", id: "m2" }))
      expect(seen).toEqual([
        {
          body: "hola",
          from: "120363/x@g.us",
          sender: "573001:2@s.whatsapp.net",
          type: "text",
          isGroup: true,
          ref: { id: "m:1", chatId: "120363/x@g.us" },
          lang: "es",
          key: "120363/x@g.us:573001%3A2@s.whatsapp.net"
        },
        {
          body: "",
          from: "ana",
          sender: "ana",
          type: "audio",
          isGroup: false,
          ref: { id: "m2", chatId: "ana" },
          lang: "en",
          key: "ana"
        }
      ])
    })
  )

  const acts: ReadonlyArray<readonly [string, (chat: Chat) => Effect.Effect<unknown, unknown>, Content]> = [
    ["reply", (chat) => chat.reply("hi"), { _tag: "text", text: "hi" }],
    [
      "photo",
      (chat) => chat.photo("https://x.test/a.png", "look"),
      { _tag: "media", kind: "image", source: { _tag: "url", url: "https://x.test/a.png" }, caption: "look" }
    ],
    [
      "sendMedia",
      (chat) => chat.sendMedia("audio", { _tag: "bytes", bytes: new Uint8Array([1]) }, { voice: true }),
      { _tag: "media", kind: "audio", source: { _tag: "bytes", bytes: new Uint8Array([1]) }, voice: true }
    ],
    [
      "choices",
      (chat) => chat.choices("Which?", { a: "A", b: "B" }),
      {
        _tag: "choices",
        text: "Which?",
        options: [
          { key: "a", label: "A" },
          { key: "b", label: "B" }
        ]
      }
    ],
    [
      "poll",
      (chat) => chat.poll("Q?", ["1", "2"], true),
      { _tag: "poll", question: "Q?", options: ["1", "2"], multiple: true }
    ],
    ["react", (chat) => chat.react("👍"), { _tag: "reaction", target: { id: "m1", chatId: "ana" }, emoji: "👍" }],
    [
      "edit",
      (chat) => Effect.flatMap(chat.reply("a"), ({ ref }) => chat.edit(ref, "b")),
      { _tag: "edit", target: { id: "out-1", chatId: "ana" }, text: "b" }
    ],
    [
      "delete",
      (chat) => Effect.flatMap(chat.reply("a"), ({ ref }) => chat.delete(ref)),
      { _tag: "delete", target: { id: "out-1", chatId: "ana" } }
    ]
  ]
  for (const [name, act, content] of acts) {
    it.effect(`B9 ${name} reaches the transport as it is`, () =>
      Effect.gen(function* () {
        const { bot, gets, inbound, mock } = yield* run(Bot.make("shop", [Bot.onMessage(act)]))
        yield* gets(inbound.text({ chat: "ana", body: "x", id: "m1" }))
        expect(mock.sent().at(-1)?.message).toEqual({ chatId: "ana", content })
        expect(bot.metrics.snapshot()).toMatchObject({ sent: mock.sent().length, errors: 0 })
      })
    )
  }

  it.effect("B9 a reply goes back to its topic, and quotes when asked to", () =>
    Effect.gen(function* () {
      const { gets, inbound, mock } = yield* run(
        Bot.make("shop", [Bot.onMessage((chat) => chat.reply("ok", { quote: true }))])
      )
      yield* gets(inbound.text({ chat: "ana", body: "x", id: "m1", topic: "t9" }))
      expect(mock.sent()[0]?.message).toMatchObject({ topic: "t9", replyTo: { id: "m1", chatId: "ana" } })
    })
  )

  it.effect("B9 chat.user is a persistent profile of the person, over chats and restarts", () =>
    Effect.gen(function* () {
      const { says } = yield* run(
        Bot.make("shop", [
          Bot.when("set", (chat) =>
            Effect.andThen(
              chat.user.set("plan", "pro"),
              Effect.suspend(() => chat.reply(`${chat.user.get("plan")}`))
            )
          ),
          Bot.when("unset", (chat) => Effect.andThen(chat.user.set("plan", undefined), chat.reply("gone"))),
          Bot.onMessage((chat) => chat.reply(`${chat.user.get("plan")}`))
        ])
      )
      expect(yield* says("ana", "set")).toEqual(["pro"])
      expect(yield* says("room", "x", { sender: "ana" })).toEqual(["pro"])
      expect(yield* says("room", "x", { sender: "eva" })).toEqual(["undefined"])
      // One profile a person: a chat that was opened before sees what another one set.
      yield* says("ana", "unset")
      expect(yield* says("room", "x", { sender: "ana" })).toEqual(["undefined"])
      expect(yield* says("ana", "x")).toEqual(["undefined"])
    })
  )

  it.effect("B13 chat.t speaks the person's language, with the bot's own texts over the built-in ones", () =>
    Effect.gen(function* () {
      const { says } = yield* run(
        Bot.make(
          "shop",
          [Bot.onMessage((chat) => chat.reply(`${chat.t("hi", { name: "Ana" })} ${chat.t("core.cancelled")}`))],
          {
            i18n: {
              default: "es",
              languages: { es: { hi: "Hola {name}" }, pt: { hi: "Oi {name}", core: { cancelled: "Tá." } } }
            }
          }
        )
      )
      expect(yield* says("ana", "x")).toEqual(["Hola Ana Cancelado."])
      expect(yield* says("ana", "x", { lang: "pt-BR" })).toEqual(["Oi Ana Tá."])
    })
  )
})

describe("B12 sends outside a running bot", () => {
  it.effect(
    "B12 before start and after stop every send fails with BotNotRunningError and reaches no provider; counted",
    () =>
      Effect.gen(function* () {
        const kept: Array<Chat> = []
        const { bot, events, mock, says } = yield* run(
          Bot.make("shop", [Bot.onMessage((chat) => Effect.sync(() => void kept.push(chat)))], { autoStart: false })
        )
        const refused = { _tag: "BotNotRunningError", bot: "shop" }
        expect(yield* Effect.flip(bot.send("ana", "early"))).toMatchObject({ ...refused, state: "idle" })
        yield* bot.start
        yield* bot.send("ana", "now")
        yield* says("ana", "x")
        yield* bot.stop
        const chat = kept[0]!
        for (const act of [bot.send("ana", "late"), chat.reply("late"), chat.delete({ id: "out-1", chatId: "ana" })]) {
          expect(yield* Effect.flip(Effect.asVoid(act))).toMatchObject({ ...refused, state: "stopped" })
        }
        expect(mock.texts()).toEqual(["now"])
        expect(mock.refused()).toEqual([])
        expect(bot.metrics.snapshot()).toMatchObject({ sent: 1, sendFailed: { BotNotRunningError: 4 } })
        expect((yield* events.of("send-failed")).map(({ reason }) => reason)).toEqual(
          Array.from({ length: 4 }, () => "BotNotRunningError")
        )
      })
  )

  it.effect("R17 S1 a send after its turn fails with LeaseLostError and reaches nobody: one counter, one event", () =>
    Effect.gen(function* () {
      const { bot, events, gets, inbound, texts } = yield* run(
        Bot.make("shop", [
          Bot.onMessage((chat) =>
            Effect.forkDetach(Effect.andThen(Effect.sleep("10 seconds"), chat.reply("from the grave")))
          )
        ])
      )
      yield* gets(inbound.text({ chat: "ana", body: "x" }))
      yield* TestClock.adjust("10 seconds")
      yield* breathe
      expect(texts()).toEqual([])
      expect(yield* events.of("send-failed")).toMatchObject([{ reason: "LeaseLostError" }])
      expect(bot.metrics.snapshot()).toMatchObject({ sendFailed: { LeaseLostError: 1 }, sent: 0, errors: 0 })
    })
  )

  it.effect("S2 what the transport refuses fails the send with its reason, counted and told once", () =>
    Effect.gen(function* () {
      const mock = yield* MockProvider.make({ capabilities: { contents: new Set(["text"]) } })
      const { bot, events, gets, inbound } = yield* run(
        Bot.make(
          "shop",
          [Bot.when("poll", (chat) => chat.poll("?", ["a", "b"])), Bot.onMessage((chat) => chat.reply("x"))],
          { apology: false }
        ),
        { mock }
      )
      yield* mock.faults.fail(new RateLimited({ retryAfter: 3_000, detail: "slow" }))
      yield* gets(inbound.text({ chat: "ana", body: "x" }))
      yield* mock.faults.ambiguous()
      yield* gets(inbound.text({ chat: "ana", body: "x" }))
      yield* gets(inbound.text({ chat: "ana", body: "poll" }))
      expect((yield* events.of("send-failed")).map(({ reason }) => reason)).toEqual([
        "RateLimited",
        "Ambiguous",
        "Unsupported"
      ])
      expect((yield* events.of("error")).map(({ error }) => error)).toMatchObject([
        { _tag: "SendError", reason: { _tag: "RateLimited", retryAfter: 3_000 } },
        { _tag: "SendError", reason: { _tag: "Ambiguous" } },
        { _tag: "SendError", reason: { _tag: "Unsupported", content: "poll" } }
      ])
      expect(bot.metrics.snapshot().sendFailed).toMatchObject({ RateLimited: 1, Ambiguous: 1, Unsupported: 1 })
    })
  )

  it.effect(
    "R10 a send cut in the middle is Ambiguous; one that gets through although its turn was taken away is stale",
    () =>
      Effect.gen(function* () {
        const { bot, inbound, mock } = yield* run(
          Bot.make("shop", [
            Bot.when("cut", (chat) => chat.reply("x")),
            Bot.onMessage((chat) => Effect.uninterruptible(chat.reply("stubborn")))
          ])
        )
        yield* mock.faults.delay(Duration.seconds(90))
        yield* mock.deliver(inbound.text({ chat: "ana", body: "cut" }))
        yield* mock.deliver(inbound.text({ chat: "eva", body: "keep" }))
        yield* TestClock.adjust("2 minutes")
        yield* bot.settled
        yield* breathe
        expect(bot.metrics.snapshot()).toMatchObject({
          sendFailed: { Ambiguous: 1 },
          sent: 1,
          staleSends: 1,
          overruns: 1
        })
        yield* halt(bot)
      })
  )
})

describe("B12 presence", () => {
  it.effect(
    "B12 typing and read marks are best effort: skipped, counted and logged at debug when the bot is down",
    () =>
      Effect.gen(function* () {
        const logs: Array<string> = []
        const kept: Array<Chat> = []
        const logger = Logger.make(({ logLevel, message }) => void logs.push(`${logLevel} ${String(message)}`))
        yield* Effect.gen(function* () {
          const { bot, mock, says } = yield* run(
            Bot.make("shop", [
              Bot.onMessage((chat) =>
                Effect.andThen(
                  Effect.sync(() => kept.push(chat)),
                  Effect.andThen(chat.typing, chat.markRead)
                )
              )
            ])
          )
          yield* says("ana", "x", { id: "m1", topic: "t" })
          expect(mock.presences().map(({ signal }) => signal)).toEqual([
            { _tag: "typing", topic: "t" },
            { _tag: "read", ref: { id: "m1", chatId: "ana" } }
          ])
          yield* mock.connect({ state: "closed" })
          yield* kept[0]!.typing
          yield* bot.stop
          yield* kept[0]!.typing
          yield* kept[0]!.markRead
          expect(bot.metrics.snapshot().presenceSkipped).toBe(3)
          expect(mock.presences()).toHaveLength(2)
          expect(logs.filter((line) => line.startsWith("Debug presence skipped"))).toHaveLength(3)
        }).pipe(Effect.provide(Logger.layer([logger])), Effect.provideService(References.MinimumLogLevel, "Debug"))
      })
  )

  it.effect("B12 a transport without typing or read marks is not asked for them", () =>
    Effect.gen(function* () {
      const mock = yield* MockProvider.make({ capabilities: { typing: false, markRead: false } })
      const { bot, says } = yield* run(
        Bot.make("shop", [Bot.onMessage((chat) => Effect.andThen(chat.typing, chat.markRead))]),
        { mock }
      )
      yield* says("ana", "x")
      expect(bot.metrics.snapshot()).toMatchObject({ presenceSkipped: 2, handled: 1, errors: 0 })
    })
  )
})

describe("B23 typing indicator", () => {
  it.effect("B23 is off by default", () =>
    Effect.gen(function* () {
      const { mock, says } = yield* run(Bot.make("shop", [Bot.onMessage((chat) => chat.reply("x"))]))
      yield* says("ana", "x")
      expect(mock.presences()).toEqual([])
    })
  )

  it.effect(
    "B23 shows typing and waits between min and max before a text, best effort; other contents go at once",
    () =>
      Effect.gen(function* () {
        const { bot, inbound, mock } = yield* run(
          Bot.make("shop", [Bot.when("react", (chat) => chat.react("👍")), Bot.onMessage((chat) => chat.reply("x"))], {
            typing: { min: "800ms", max: "3s" }
          })
        )
        yield* mock.deliver(inbound.text({ chat: "ana", body: "x" }))
        yield* breathe
        expect(mock.presences()).toMatchObject([{ chatId: "ana", signal: { _tag: "typing" }, at: 0 }])
        yield* TestClock.adjust("799 millis")
        expect(mock.texts()).toEqual([])
        yield* TestClock.adjust("2201 millis")
        yield* bot.settled
        expect(mock.texts()).toEqual(["x"])
        expect(mock.sent()[0]!.at).toBeGreaterThanOrEqual(800)
        yield* mock.deliver(inbound.text({ chat: "ana", body: "react" }))
        yield* bot.settled
        expect(mock.sent()).toHaveLength(2)
        yield* mock.connect({ state: "closed" })
      })
  )
})

describe("B7 send hooks", () => {
  it.effect("B7 before may change or stop a send, after sees the receipt, onFailure(send) the error", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const { bot, mock, says } = yield* run(
        Bot.make(
          "shop",
          [
            Bot.before("send", (message) =>
              Effect.sync(() => {
                if (message.content._tag !== "text") return undefined
                if (message.content.text === "secret") return Bot.stopSend
                return { ...message, content: { ...message.content, text: `${message.content.text}!` } }
              })
            ),
            Bot.before("send", (message) => Effect.sync(() => void log.push(`before ${message.content._tag}`))),
            Bot.after("send", ({ receipt }) => Effect.sync(() => void log.push(`after ${receipt.ref.id}`))),
            Bot.onFailure("send", ({ error }) => Effect.sync(() => void log.push(`failed ${error._tag}`))),
            Bot.onMessage((chat) =>
              Effect.map(chat.reply(chat.body), ({ ref }) => void log.push(`receipt "${ref.id}"`))
            )
          ],
          { apology: false }
        )
      )
      expect(yield* says("ana", "hi")).toEqual(["hi!"])
      expect(log.splice(0)).toEqual(["before text", "after out-1", 'receipt "out-1"'])
      expect(yield* says("ana", "secret")).toEqual([])
      expect(log.splice(0)).toEqual(['receipt ""'])
      yield* mock.faults.block("ana")
      yield* says("ana", "hi")
      expect(log.splice(0)).toEqual(["before text", "failed SendError"])
      yield* bot.send("eva", "from outside")
      expect(log.splice(0)).toEqual(["before text", "after out-2"])
      yield* bot.stop
      yield* Effect.flip(bot.send("eva", "too late"))
      expect(log).toEqual(["failed BotNotRunningError"])
    })
  )

  it.effect("B7 a send hook that fails, dies or throws is reported and loses no reply", () =>
    Effect.gen(function* () {
      const { bot, events, says } = yield* run(
        Bot.make("shop", [
          Bot.before("send", () => Effect.fail("a")),
          Bot.before("send", () => {
            throw new Error("b")
          }),
          Bot.after("send", () => Effect.die("c")),
          Bot.onMessage((chat) => chat.reply("x"))
        ])
      )
      expect(yield* says("ana", "x")).toEqual(["x"])
      expect((yield* events.of("error")).map(({ where }) => where)).toEqual([
        "a send hook",
        "a send hook",
        "a send hook"
      ])
      expect(bot.metrics.snapshot()).toMatchObject({ errors: 3, handled: 1, sent: 1 })
    })
  )

  it.effect("R10 a hook that outlasts the turn sends nothing", () =>
    Effect.gen(function* () {
      const { bot, inbound, mock } = yield* run(
        Bot.make("shop", [
          Bot.before("send", () => Effect.uninterruptible(Effect.sleep("90 seconds"))),
          Bot.onMessage((chat) => chat.reply("x"))
        ])
      )
      yield* mock.deliver(inbound.text({ chat: "ana", body: "x" }))
      yield* TestClock.adjust("2 minutes")
      yield* bot.settled
      expect(mock.sent()).toEqual([])
      expect(bot.metrics.snapshot()).toMatchObject({ dropped: { "turn-lost": 1 }, overruns: 1, sent: 0 })
    })
  )
})
