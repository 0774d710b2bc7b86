import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Bot, type Chat } from "../../src/index.ts"
import { run } from "../kit/Engine.ts"

const replies = (text: string) => (chat: Chat) => chat.reply(text)

describe("A15 matchers", () => {
  /** Every rank, registered from the least to the most specific. */
  const ranked = [
    Bot.onMedia(replies("media")),
    Bot.onImage(replies("image")),
    Bot.when((chat) => chat.body.includes("b"), replies("predicate")),
    Bot.when({ pattern: "b", match: "contains" }, replies("contains")),
    Bot.when(/^a b/u, replies("regex")),
    Bot.when({ pattern: "c", match: "endsWith" }, replies("endsWith")),
    Bot.when({ pattern: "a", match: "startsWith" }, replies("startsWith")),
    Bot.when("a b c", replies("equals")),
    Bot.onWelcome(replies("welcome")),
    Bot.action("a b c", replies("action"))
  ]
  const order = [
    "action",
    "welcome",
    "equals",
    // startsWith is as specific, so the first registered of the two wins, and again once startsWith is gone.
    "endsWith",
    "endsWith",
    "regex",
    "contains",
    "predicate",
    "image",
    "media"
  ]

  it.effect(
    "A15 order: action, welcome, equals, startsWith = endsWith, regex, contains, predicate, one type, several",
    () =>
      Effect.gen(function* () {
        for (let left = ranked.length; left > 0; left--) {
          const { gets, inbound, mock } = yield* run(Bot.make("shop", ranked.slice(0, left)))
          const best = order[ranked.length - left]
          const of = (name: string | undefined) => name === "image" || name === "media"
          yield* gets(
            best === "action"
              ? inbound.button({ chat: "ana", payload: "a b c" })
              : of(best)
                ? inbound.media({ chat: "ana", kind: "image", caption: "x" })
                : inbound.text({ chat: "ana", body: "a b c" })
          )
          expect(mock.texts()).toEqual([best])
        }
      })
  )

  it.effect("A18 a message every rank matches is passed through all of them in that order, each tried once", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      let looks = 0
      const passes = (name: string) => (chat: Chat) =>
        Effect.andThen(
          Effect.sync(() => log.push(name)),
          chat.pass
        )
      const { gets, inbound, texts } = yield* run(
        Bot.make("shop", [
          Bot.onMedia(passes("media")),
          Bot.onImage(passes("image")),
          Bot.when(() => ++looks > 0, passes("predicate")),
          Bot.when({ pattern: "b", match: "contains" }, passes("contains")),
          Bot.when(/^a b/u, passes("regex")),
          Bot.when({ pattern: "c", match: "endsWith" }, passes("endsWith")),
          Bot.when({ pattern: "a", match: "startsWith" }, passes("startsWith")),
          Bot.when("a b c", passes("equals")),
          Bot.onWelcome(passes("welcome")),
          Bot.onMessage(replies("caught"))
        ])
      )
      yield* gets(inbound.media({ chat: "ana", kind: "image", caption: "a b c" }))
      expect(log).toEqual([
        "welcome",
        "equals",
        "endsWith",
        "startsWith",
        "regex",
        "contains",
        "predicate",
        "image",
        "media"
      ])
      expect(looks).toBe(1)
      expect(texts()).toEqual(["caught"])
    })
  )

  it.effect("A15 ties: the first registered wins, and the next gets it when that one passes", () =>
    Effect.gen(function* () {
      const { says } = yield* run(
        Bot.make("shop", [
          Bot.when(/x/u, (chat) => (chat.body === "xx" ? chat.pass : chat.reply("first"))),
          Bot.when(/./u, replies("second"))
        ])
      )
      expect(yield* says("ana", "x")).toEqual(["first"])
      expect(yield* says("ana", "xx")).toEqual(["second"])
    })
  )

  it.effect("A15 WELCOME is for the first contact of a chat only", () =>
    Effect.gen(function* () {
      const { says } = yield* run(
        Bot.make("shop", [Bot.onWelcome(replies("welcome")), Bot.when("hola", replies("hola"))])
      )
      expect(yield* says("ana", "hola")).toEqual(["welcome"])
      expect(yield* says("ana", "hola")).toEqual(["hola"])
      expect(yield* says("eva", "hola")).toEqual(["welcome"])
    })
  )

  it.effect("A15 a predicate that throws is reported and counts as no match", () =>
    Effect.gen(function* () {
      const { bot, events, says } = yield* run(
        Bot.make("shop", [
          Bot.when(() => {
            throw new Error("broken")
          }, replies("never")),
          Bot.when(() => true, replies("next"))
        ])
      )
      expect(yield* says("ana", "x")).toEqual(["next"])
      expect(yield* events.of("error")).toMatchObject([{ where: "a predicate" }])
      expect(bot.metrics.snapshot()).toMatchObject({ errors: 1, handled: 1 })
    })
  )

  it.effect("A18 a handler plugged or unplugged while one runs disturbs no search", () =>
    Effect.gen(function* () {
      const bots: Array<Bot.BotShape<unknown>> = []
      const definition = Bot.make("shop", [
        Bot.when("x", (chat) =>
          Effect.gen(function* () {
            const { Plugin } = yield* Effect.promise(() => import("../../src/index.ts"))
            yield* Effect.orDie(
              bots[0]!.plug(
                Plugin.make("late", Effect.succeed([Bot.when({ pattern: "x", match: "startsWith" }, replies("late"))]))
              )
            )
            return yield* chat.pass
          })
        ),
        Bot.when({ pattern: "x", match: "endsWith" }, (chat) => chat.pass),
        Bot.when(/x/u, replies("regex"))
      ])
      const { bot, says } = yield* run(definition)
      bots.push(bot)
      expect(yield* says("ana", "x")).toEqual(["late"])
    })
  )
})

describe("B1 when", () => {
  const matches = (pattern: Parameters<typeof Bot.when>[0], bodies: ReadonlyArray<string>, about: object = {}) =>
    Effect.gen(function* () {
      const hits: Array<string> = []
      const { says } = yield* run(
        Bot.make("shop", [Bot.when(pattern, (chat) => Effect.sync(() => void hits.push(chat.body)))])
      )
      for (const body of bodies) yield* says("room", body, about)
      return hits
    })

  it.effect("B1 a text is the whole message in normal form", () =>
    Effect.gen(function* () {
      expect(yield* matches("hola", ["hola", "Hóla ", " HOLA", "/hola", "hola amigo", "ho la", ""])).toEqual([
        "hola",
        "Hóla ",
        " HOLA"
      ])
      expect(yield* matches("buenos  días", ["Buenos dias", "buenosdias"])).toEqual(["Buenos dias"])
    })
  )

  it.effect("B1 a list, a regex (also a global one), a predicate and the explicit object", () =>
    Effect.gen(function* () {
      expect(yield* matches(["bye", "adiós"], ["ADIOS", "bye", "by"])).toEqual(["ADIOS", "bye"])
      expect(yield* matches(/\d{4,}/gu, ["1234", "1234", "123"])).toEqual(["1234", "1234"])
      expect(yield* matches((chat) => chat.body.length > 3, ["abcd", "abc"])).toEqual(["abcd"])
      expect(yield* matches({ pattern: "Factúra", match: "contains" }, ["mi factura 3", "fact"])).toEqual([
        "mi factura 3"
      ])
      expect(yield* matches({ pattern: "ver", match: "startsWith" }, ["Ver más", "a ver"])).toEqual(["Ver más"])
      expect(yield* matches({ pattern: "más", match: "endsWith" }, ["ver mas", "mas o menos"])).toEqual(["ver mas"])
      expect(yield* matches({ pattern: /^v/u }, ["ver", "a ver"])).toEqual(["ver"])
    })
  )

  it.effect("B1 scope: private chats, groups, or all", () =>
    Effect.gen(function* () {
      for (const match of ["equals", "contains"] as const) {
        const hits = (scope: "dm" | "group" | "all") =>
          Effect.all([
            matches({ pattern: "x", match, scope }, ["x"]),
            matches({ pattern: "x", match, scope }, ["x"], { sender: "ana" })
          ])
        expect(yield* hits("dm")).toEqual([["x"], []])
        expect(yield* hits("group")).toEqual([[], ["x"]])
        expect(yield* hits("all")).toEqual([["x"], ["x"]])
      }
      expect(yield* matches({ pattern: /x/u, scope: "dm" }, ["x"], { sender: "ana" })).toEqual([])
    })
  )

  it.effect("B25 what a regex captured and the words behind a command are on the chat", () =>
    Effect.gen(function* () {
      const { says } = yield* run(
        Bot.make("shop", [
          Bot.when(/pedido (?<id>\d+)/u, (chat) => chat.reply(`${chat.match?.groups?.["id"]}`)),
          Bot.command("buy", (chat) => chat.reply(chat.args.join("+")))
        ])
      )
      expect(yield* says("ana", "mi pedido 12")).toEqual(["12"])
      expect(yield* says("ana", "/buy two  big apples")).toEqual(["two+big+apples"])
    })
  )
})

describe("B2 typed triggers", () => {
  it.effect("B2 B25 each kind of message finds its handler, with the content its trigger promises", () =>
    Effect.gen(function* () {
      const { gets, inbound, texts } = yield* run(
        Bot.make("shop", [
          Bot.onMedia((chat) => chat.reply(`media ${chat.media.kind}`)),
          Bot.onImage((chat) => chat.reply(`image ${chat.media.kind}`)),
          Bot.onVideo((chat) => chat.reply(`video ${chat.media.kind}`)),
          Bot.onAudio((chat) => chat.reply(`audio ${chat.media.seconds}`)),
          Bot.onDocument((chat) => chat.reply(`document ${chat.media.filename}`)),
          Bot.onSticker((chat) => chat.reply(`sticker ${chat.media.kind}`)),
          Bot.onLocation((chat) => chat.reply(`at ${chat.location.latitude}`)),
          Bot.onContact((chat) => chat.reply(`contact ${chat.contact.name}`)),
          Bot.action("buy", (chat) => chat.reply(`pressed ${chat.payload}`)),
          Bot.onType("unknown", replies("unknown")),
          Bot.onType(["interaction", "poll"], replies("several")),
          Bot.onType("text", replies("text"))
        ])
      )
      const chat = "ana"
      yield* gets(
        inbound.media({ chat, kind: "image" }),
        inbound.media({ chat, kind: "video" }),
        inbound.media({ chat, kind: "audio", seconds: 3 }),
        inbound.media({ chat, kind: "document", filename: "a.pdf" }),
        inbound.media({ chat, kind: "sticker" }),
        inbound.media({ chat, kind: "gif" }),
        inbound.location({ chat, location: { latitude: 4, longitude: -74 } }),
        inbound.contact({ chat, contact: { name: "Eva", phones: [] } }),
        inbound.button({ chat, payload: "buy" }),
        inbound.button({ chat, payload: "other" }),
        inbound.unknown({ chat }),
        inbound.text({ chat, body: "x" })
      )
      expect(texts()).toEqual([
        "image image",
        "video video",
        "audio 3",
        "document a.pdf",
        "sticker sticker",
        "media gif",
        "at 4",
        "contact Eva",
        "pressed buy",
        "several",
        "unknown",
        "text"
      ])
    })
  )

  it.effect("B2 a message that lacks what its type promises passes its handler by", () =>
    Effect.gen(function* () {
      const { gets, inbound, texts } = yield* run(
        Bot.make("shop", [Bot.onImage((chat) => chat.reply(chat.media.kind)), Bot.onMessage(replies("caught"))])
      )
      yield* gets({ ...inbound.text({ chat: "ana", body: "" }), type: "image" })
      expect(texts()).toEqual(["caught"])
    })
  )
})
