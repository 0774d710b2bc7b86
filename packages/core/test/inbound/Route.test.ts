import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Bot, type Chat, Flow, MemoryStore } from "../../src/index.ts"
import { Context, Layer } from "effect"
import { Store } from "../../src/spi/Store.ts"
import { balance, run, storeWith } from "../kit/Engine.ts"

const lang = (options: Parameters<typeof Bot.make>[2], ...handlers: ReadonlyArray<Bot.Handler<unknown, never>>) =>
  Bot.make("shop", [...handlers, Bot.onMessage((chat) => chat.reply(`${chat.lang} ${chat.langSource}`))], options)

describe("A9 language", () => {
  const detect = (body: string) => (body.includes("bonjour") ? "fr" : undefined)

  it.effect("A9 stored, then reported by the provider, then detected, then the default; langSource says which", () =>
    Effect.gen(function* () {
      const { says } = yield* run(
        lang(
          { i18n: { default: "es", detect } },
          Bot.when("remember", (chat) => Effect.andThen(chat.user.set("lang", "pt"), chat.reply("ok")))
        )
      )
      expect(yield* says("ana", "hola")).toEqual(["es default"])
      expect(yield* says("ana", "bonjour")).toEqual(["fr detect"])
      expect(yield* says("ana", "bonjour", { lang: "de" })).toEqual(["de provider"])
      expect(yield* says("ana", "bonjour", { lang: "" })).toEqual(["fr detect"])
      yield* says("ana", "remember")
      expect(yield* says("ana", "bonjour", { lang: "de" })).toEqual(["pt stored"])
      expect(yield* says("eva", "bonjour")).toEqual(["fr detect"])
    })
  )

  it.effect(
    "A9 is resolved before the hooks, and again after one that rewrote the text of a detected or default language",
    () =>
      Effect.gen(function* () {
        const seen: Array<string> = []
        const { says } = yield* run(
          lang(
            { i18n: { default: "es", detect } },
            Bot.before("message", (chat) =>
              Effect.sync(() => {
                seen.push(`${chat.lang} ${chat.langSource}`)
                return chat.body === "voice" ? chat.with({ body: "bonjour" }) : undefined
              })
            ),
            Bot.before("message", (chat) => Effect.sync(() => void seen.push(`${chat.lang} ${chat.langSource}`)))
          )
        )
        expect(yield* says("ana", "voice")).toEqual(["fr detect"])
        expect(seen).toEqual(["es default", "fr detect"])
        expect(yield* says("ana", "voice", { lang: "de" })).toEqual(["de provider"])
      })
  )

  it.effect("A9 a language a hook set by hand is never resolved again, also when another hook rewrites the text", () =>
    Effect.gen(function* () {
      const { says } = yield* run(
        lang(
          { i18n: { default: "es", detect } },
          Bot.before("message", (chat) => Effect.succeed(chat.with({ lang: "it", body: "bonjour" }))),
          Bot.before("message", (chat) => Effect.succeed(chat.with({ body: `${chat.body}!` })))
        )
      )
      expect(yield* says("ana", "x")).toEqual(["it hook"])
    })
  )

  it.effect("A9 a detector that throws is reported and the default stands", () =>
    Effect.gen(function* () {
      const { events, says } = yield* run(
        lang({
          i18n: {
            default: "es",
            detect: () => {
              throw new Error("no model")
            }
          }
        })
      )
      expect(yield* says("ana", "x")).toEqual(["es default"])
      expect(yield* events.of("error")).toMatchObject([{ where: "i18n.detect" }])
    })
  )
})

describe("A10 before hooks", () => {
  it.effect(
    "A10 may stop the message: no handler, no after hook, no `message` event; it is counted and stays stored",
    () =>
      Effect.gen(function* () {
        const log: Array<string> = []
        const { bot, dropped, events, says } = yield* run(
          Bot.make("shop", [
            Bot.before("message", (chat) => (chat.body === "spam" ? chat.stop : Effect.void)),
            Bot.before("message", () => Effect.sync(() => void log.push("second"))),
            Bot.after("message", () => Effect.sync(() => void log.push("after"))),
            Bot.command("reset", (chat) => chat.reply("reset")),
            Bot.onMessage((chat) => chat.reply("ok"))
          ])
        )
        expect(yield* says("ana", "spam")).toEqual([])
        expect(log).toEqual([])
        expect(dropped("stopped-by-hook")).toBe(1)
        expect(yield* events.tags).toEqual(["dropped"])
        expect(yield* says("ana", "fine")).toEqual(["ok"])
        expect(log).toEqual(["second", "after"])
        expect(balance(bot)).toEqual({ received: 2, accounted: 2 })
      })
  )

  it.effect("A10 hooks run in order, each with what the one before returned; a rewritten text is routed", () =>
    Effect.gen(function* () {
      const { says } = yield* run(
        Bot.make("shop", [
          Bot.before("message", (chat) => Effect.succeed(chat.with({ body: `${chat.body}a` }))),
          Bot.before("message", (chat) => Effect.succeed(chat.with({ body: `${chat.body}b` }))),
          Bot.when("xab", (chat) => chat.reply("routed")),
          Bot.command("ab", (chat) => chat.reply("command"))
        ])
      )
      expect(yield* says("ana", "x")).toEqual(["routed"])
      expect(yield* says("ana", "/")).toEqual(["command"])
    })
  )

  const failing: ReadonlyArray<readonly [string, (chat: Chat) => Effect.Effect<void, string>]> = [
    ["fails", () => Effect.fail("no")],
    ["dies", () => Effect.die("no")],
    [
      "throws",
      () => {
        throw new Error("no")
      }
    ],
    ["interrupts itself", () => Effect.interrupt]
  ]
  for (const [how, hook] of failing) {
    it.effect(
      `A10 a hook that ${how} stops the message, for what it guards must not run unguarded; it is reported once`,
      () =>
        Effect.gen(function* () {
          const { bot, dropped, events, says } = yield* run(
            Bot.make("shop", [Bot.before("message", hook), Bot.onMessage((chat) => chat.reply("ok"))], {
              apology: false
            })
          )
          expect(yield* says("ana", "x")).toEqual([])
          expect(dropped("stopped-by-hook")).toBe(1)
          expect(yield* events.of("error")).toMatchObject([{ where: "a before hook" }])
          expect(balance(bot)).toEqual({ received: 1, accounted: 1 })
        })
    )
  }
})

const ask = Flow.make("ask").pipe(
  Flow.ask("a", "a?"),
  Flow.say(({ a }) => `answer ${a}`)
)

describe("A11 handoff gate", () => {
  it.effect(
    "A11 a chat held by a person: all routing is skipped but allowed commands; stored, hooks, `message` event",
    () =>
      Effect.gen(function* () {
        const log: Array<string> = []
        const stored: Array<string> = []
        const { bot, events, says } = yield* run(
          Bot.make(
            "shop",
            [
              Bot.before("message", (chat) => Effect.sync(() => void log.push(`before ${chat.body}`))),
              Bot.after("message", (chat) => Effect.sync(() => void log.push(`after ${chat.body}`))),
              Bot.command("bot", (chat) => chat.reply("allowed")),
              Bot.command("reset", (chat) => chat.reply("reset")),
              Bot.flow(ask, { trigger: "ask" }),
              Bot.onMessage((chat) => chat.reply("caught"))
            ],
            { handoff: { allowCommands: ["/bot"] } }
          ),
          {
            store: storeWith((store) => ({
              admit: (scope, chat, contact, message) => {
                stored.push(message.body)
                return store.admit(scope, chat, contact, message)
              }
            }))
          }
        )
        expect(yield* says("ana", "ask")).toEqual(["a?"])
        yield* bot.handoff.start("ana", { by: "lu" })
        log.length = 0
        for (const body of ["an answer", "/reset", "/unknown", "anything"]) expect(yield* says("ana", body)).toEqual([])
        expect(yield* says("ana", "/bot now")).toEqual(["allowed"])
        expect(log).toHaveLength(10)
        expect(stored).toHaveLength(6)
        expect(yield* events.of("message")).toHaveLength(6)
        expect(yield* says("eva", "x")).toEqual(["caught"])
        yield* bot.handoff.end("ana")
        expect(yield* says("ana", "b")).toEqual(["answer b"])
        expect(balance(bot)).toEqual({ received: 8, accounted: 8 })
      })
  )

  it.effect("A11 I19 a chat handed over while a message of it is being opened: the next one is silent", () =>
    Effect.gen(function* () {
      let opened = 0
      const handOver: { run: Effect.Effect<unknown, unknown> } = { run: Effect.void }
      const { bot, says } = yield* run(Bot.make("shop", [Bot.onMessage((chat) => chat.reply("ok"))]), {
        store: storeWith((store) => ({
          open: (...args) =>
            Effect.tap(store.open(...args), () => (opened++ === 0 ? Effect.orDie(handOver.run) : Effect.void))
        }))
      })
      handOver.run = bot.handoff.start("ana")
      yield* says("ana", "1")
      expect(yield* says("ana", "2")).toEqual([])
    })
  )
})

describe("A12 commands", () => {
  it.effect("A12 win even over an active conversation, which goes on waiting; an unknown one is its answer", () =>
    Effect.gen(function* () {
      const { says } = yield* run(
        Bot.make("shop", [
          Bot.command("help", (chat) => chat.reply(`help ${chat.args.join("|")}`)),
          Bot.flow(ask, { trigger: "ask" }),
          Bot.when("/help", (chat) => chat.reply("never"))
        ])
      )
      yield* says("ana", "ask")
      expect(yield* says("ana", "/help me  now")).toEqual(["help me|now"])
      expect(yield* says("ana", "/HELP@shop_bot")).toEqual(["help "])
      expect(yield* says("ana", "/nope")).toEqual(["answer /nope"])
    })
  )
})

describe("A13 active conversation", () => {
  it.effect("A13 this participant's waiting conversation takes the message, before any matcher; others' do not", () =>
    Effect.gen(function* () {
      const { says } = yield* run(
        Bot.make("shop", [
          Bot.flow(ask, { trigger: "ask" }),
          Bot.when("hola", (chat) => chat.reply("matched")),
          Bot.onMessage((chat) => chat.reply("caught"))
        ])
      )
      yield* says("room", "ask", { sender: "ana" })
      expect(yield* says("room", "hola", { sender: "eva" })).toEqual(["matched"])
      expect(yield* says("room", "hola", { sender: "ana" })).toEqual(["answer hola"])
      expect(yield* says("room", "hola", { sender: "ana" })).toEqual(["matched"])
    })
  )
})

describe("A14 dormant resume", () => {
  it.effect("A14 a persistent flow with a checkpoint in the store resumes at its step, before any matcher", () =>
    Effect.gen(function* () {
      const shared = Layer.succeed(Store, Context.get(yield* Layer.build(MemoryStore.layer()), Store))
      const two = Flow.make("two").pipe(
        Flow.ask("a", "a?"),
        Flow.ask("n", "n?", { answer: Schema.Int }),
        Flow.say(({ a, n }) => `${a} ${n}`),
        Flow.persistent
      )
      const make = () =>
        Bot.make("shop", [Bot.flow(two, { trigger: "two" }), Bot.when("7", (chat) => chat.reply("no"))])
      const first = yield* run(make(), { store: shared })
      yield* first.says("ana", "two")
      expect(yield* first.says("ana", "x")).toEqual(["n?"])
      yield* first.bot.stop
      const second = yield* run(make(), { store: shared })
      expect(yield* second.says("ana", "7")).toEqual(["x 7"])
      expect(yield* second.says("ana", "7")).toEqual(["no"])
    })
  )
})

describe("A16 catch-all", () => {
  it.effect("A16 runs only if nothing consumed the message; several pass to one another in order", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const { bot, events, says } = yield* run(
        Bot.make("shop", [
          Bot.onMessage((chat) =>
            Effect.andThen(
              Effect.sync(() => log.push("first")),
              chat.pass
            )
          ),
          Bot.onMessage(() => Effect.sync(() => void log.push("second"))),
          Bot.onMessage(() => Effect.sync(() => void log.push("third"))),
          Bot.when("hola", () => Effect.sync(() => void log.push("hola")))
        ])
      )
      yield* says("ana", "hola")
      yield* says("ana", "x")
      expect(log).toEqual(["hola", "first", "second"])
      expect(yield* events.of("message")).toHaveLength(2)
      expect(balance(bot)).toEqual({ received: 2, accounted: 2 })
    })
  )

  it.effect("A16 a message nobody takes is handled all the same", () =>
    Effect.gen(function* () {
      const { bot, events, says } = yield* run(Bot.make("shop", []))
      yield* says("ana", "x")
      expect(yield* events.tags).toEqual(["message"])
      expect(bot.metrics.snapshot()).toMatchObject({ received: 1, handled: 1 })
    })
  )
})

describe("A17 close", () => {
  it.effect("A17 after hooks in order, then the `message` event, whatever consumed the message", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const { bot, events, says } = yield* run(
        Bot.make("shop", [
          Bot.after("message", (chat) => Effect.sync(() => void log.push(`1 ${chat.body}`))),
          Bot.after("message", (chat) => Effect.sync(() => void log.push(`2 ${chat.body}`))),
          Bot.command("c", () => Effect.sync(() => void log.push("handler"))),
          Bot.flow(ask, { trigger: "ask" }),
          Bot.when("hola", () => Effect.fail("broken")),
          Bot.onMessage(() => Effect.void)
        ])
      )
      yield* says("ana", "/c")
      for (const body of ["ask", "answer", "hola", "other"]) yield* says("ana", body)
      expect(log).toEqual([
        "handler",
        ...["/c", "ask", "answer", "hola", "other"].flatMap((body) => [`1 ${body}`, `2 ${body}`])
      ])
      expect((yield* events.of("message")).map((event) => event.chat.body)).toEqual([
        "/c",
        "ask",
        "answer",
        "hola",
        "other"
      ])
      expect(bot.metrics.snapshot().handled).toBe(5)
    })
  )

  it.effect("A17 an after hook that fails or throws is reported, apologises to nobody, and the others run", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const { events, says } = yield* run(
        Bot.make("shop", [
          Bot.after("message", () => Effect.fail("one")),
          Bot.after("message", () => {
            throw new Error("two")
          }),
          Bot.after("message", (chat) => chat.stop),
          Bot.after("message", () => Effect.sync(() => void log.push("ran"))),
          Bot.onMessage((chat) => chat.reply("ok"))
        ])
      )
      expect(yield* says("ana", "x")).toEqual(["ok"])
      expect(log).toEqual(["ran"])
      expect(yield* events.of("error")).toMatchObject([{ where: "an after hook" }, { where: "an after hook" }])
      expect(yield* events.of("message")).toHaveLength(1)
    })
  )

  it.effect("A17 B15 each message re-arms the idle timers of its key; one runs after that much silence", () =>
    Effect.gen(function* () {
      const { bot, says, texts } = yield* run(
        Bot.make("shop", [
          Bot.onIdle("5m", (chat) => chat.reply(`still there, ${chat.sender}?`)),
          Bot.onIdle("1h", (chat) => chat.reply("bye")),
          Bot.onMessage(() => Effect.void)
        ])
      )
      yield* says("ana", "1")
      yield* TestClock.adjust("4 minutes")
      yield* says("ana", "2")
      yield* TestClock.adjust("4 minutes")
      yield* bot.settled
      expect(texts()).toEqual([])
      yield* TestClock.adjust("1 minute")
      yield* bot.settled
      expect(texts()).toEqual(["still there, ana?"])
      yield* TestClock.adjust("55 minutes")
      yield* bot.settled
      expect(texts()).toEqual(["still there, ana?", "bye"])
      yield* TestClock.adjust("1 day")
      yield* bot.settled
      expect(texts()).toHaveLength(2)
    })
  )

  it.effect(
    "B15 an idle timer is silent while a person holds the chat and gone when the bot stops; a failing one is reported",
    () =>
      Effect.gen(function* () {
        const { bot, events, says, texts } = yield* run(
          Bot.make("shop", [
            Bot.onIdle(
              "5m",
              (chat): Effect.Effect<unknown, unknown> =>
                chat.from === "bad" ? Effect.fail("broken") : chat.reply("idle")
            ),
            Bot.onMessage(() => Effect.void)
          ])
        )
        yield* says("ana", "1")
        yield* says("bad", "1")
        yield* bot.handoff.start("ana")
        yield* TestClock.adjust("5 minutes")
        yield* bot.settled
        expect(texts()).toEqual([])
        expect(yield* events.of("error")).toMatchObject([{ where: "onIdle", error: "broken" }])
        yield* says("eva", "1")
        yield* bot.stop
        yield* TestClock.adjust("5 minutes")
        expect(texts()).toEqual([])
      })
  )
})
