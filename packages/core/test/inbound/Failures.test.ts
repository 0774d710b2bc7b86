import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Bot, type Chat, Flow, HandledError, HandlerDiedError } from "../../src/index.ts"
import { balance, halt, run } from "../kit/Engine.ts"

class PayError extends Schema.TaggedError<PayError>()("PayError", { code: Schema.String }) {}
const pay = (code: string) => Effect.fail(new PayError({ code }))
const sorry = "Lo siento, algo salió mal. Inténtalo otra vez dentro de un momento."

describe("A19 handler failure", () => {
  const failing: ReadonlyArray<readonly [string, (chat: Chat) => Effect.Effect<unknown, PayError>, object]> = [
    ["fails", () => pay("x"), { _tag: "PayError", code: "x" }],
    ["dies", () => Effect.die(new Error("bug")), { _tag: "HandlerDiedError" }],
    [
      "throws",
      () => {
        throw new Error("bug")
      },
      { _tag: "HandlerDiedError" }
    ],
    ["interrupts itself", () => Effect.interrupt, { _tag: "HandlerDiedError" }]
  ]
  for (const [how, handler, error] of failing) {
    it.effect(
      `A19 one that ${how}: onFailure hooks run, then one error event and counter; the message is consumed`,
      () =>
        Effect.gen(function* () {
          const hooked: Array<string> = []
          const { bot, events, says } = yield* run(
            Bot.make(
              "shop",
              [
                Bot.when("x", handler),
                Bot.when(/x/u, (chat) => chat.reply("never")),
                Bot.onFailure((failure) => Effect.sync(() => void hooked.push(failure.where))),
                Bot.onFailure("message", (failure) => Effect.sync(() => void hooked.push(failure.chat?.body ?? ""))),
                Bot.onFailure("call", () => Effect.sync(() => void hooked.push("call")))
              ],
              { i18n: { default: "es" } }
            )
          )
          expect(yield* says("ana", "x")).toEqual([sorry])
          expect(hooked).toEqual(['when "x"', "x"])
          const errors = yield* events.of("error")
          expect(errors).toHaveLength(1)
          expect(errors[0]?.error).toMatchObject(error)
          expect(errors[0]?.chat?.body).toBe("x")
          expect(bot.metrics.snapshot()).toMatchObject({ errors: 1, handled: 1 })
          expect(yield* events.of("message")).toHaveLength(1)
        })
    )
  }

  it.effect("A19 without any hook the event is emitted all the same: commands, catch-alls, conversations", () =>
    Effect.gen(function* () {
      const { events, says } = yield* run(
        Bot.make(
          "shop",
          [
            Bot.command("c", () => pay("command")),
            Bot.flow(Flow.make("f").pipe(Flow.run("r", () => pay("flow"))), { trigger: "f" }),
            Bot.conversation("free", () => pay("free")),
            Bot.onMessage(() => pay("caught"))
          ],
          { apology: false }
        )
      )
      for (const body of ["/c", "f", "free", "other"]) expect(yield* says("ana", body)).toEqual([])
      expect(
        (yield* events.of("error")).map(({ error, where }) => [where, error instanceof PayError && error.code])
      ).toEqual([
        ["command /c", "command"],
        ["flow f", "flow"],
        ["conversation free", "free"],
        ["onMessage", "caught"]
      ])
    })
  )

  it.effect("A19 the event names the trigger whose handler failed", () =>
    Effect.gen(function* () {
      const broken = () => pay("x")
      const { events, gets, inbound } = yield* run(
        Bot.make(
          "shop",
          [
            Bot.onWelcome(broken),
            Bot.action("buy", broken),
            Bot.when({ pattern: "a", match: "contains" }, broken),
            Bot.when(/b+/u, broken),
            Bot.when(({ body }) => body === "c", broken),
            Bot.onMedia(broken)
          ],
          { apology: false }
        )
      )
      const text = (body: string) => inbound.text({ chat: "ana", body })
      yield* gets(text("first"), inbound.button({ chat: "ana", payload: "buy" }), text("xax"), text("bb"), text("c"))
      yield* gets(inbound.media({ chat: "ana", kind: "gif" }))
      expect((yield* events.of("error")).map(({ where }) => where)).toEqual([
        "welcome",
        'action "buy"',
        'when contains "a"',
        "when /b+/u",
        "when a predicate",
        "on image, video, gif, audio, document, sticker"
      ])
    })
  )

  it.effect("A19 Bot.onError is typed, may answer in the chat's turn, and what it leaves is in the event", () =>
    Effect.gen(function* () {
      const shop = Bot.make("shop", [
        Bot.when("soft", () => pay("soft")),
        Bot.when("hard", () => pay("hard")),
        Bot.when("dead", () => Effect.die("bug"))
      ]).pipe(
        Bot.onError((error, chat) =>
          error._tag === "PayError" && error.code === "soft"
            ? chat.reply(`No se pudo cobrar (${error.code})`)
            : Effect.fail(error)
        )
      )
      const { bot, events, says } = yield* run(shop)
      expect(yield* says("ana", "soft")).toEqual(["No se pudo cobrar (soft)"])
      expect(yield* says("ana", "hard", { lang: "es" })).toEqual([sorry])
      expect(yield* says("ana", "dead", { lang: "es" })).toEqual([sorry])
      const [soft, hard, dead] = (yield* events.of("error")).map(({ error }) => error)
      expect(soft).toBeInstanceOf(HandledError)
      expect(soft).toMatchObject({ error: { _tag: "PayError", code: "soft" } })
      expect(hard).toMatchObject({ _tag: "PayError", code: "hard" })
      expect(dead).toBeInstanceOf(HandlerDiedError)
      expect(bot.metrics.snapshot()).toMatchObject({ errors: 3, handled: 3 })
    })
  )

  it.effect(
    "A19 recoveries run innermost first, each sees what the one before left; one that dies is itself reported",
    () =>
      Effect.gen(function* () {
        const seen: Array<string> = []
        const shop = Bot.make("shop", [Bot.onMessage(() => pay("1"))]).pipe(
          Bot.onError((error) => {
            seen.push(error.code)
            return Effect.fail(`${error.code}+`)
          }),
          Bot.onError((left) => {
            seen.push(left)
            return Effect.die(new Error("recovery"))
          })
        )
        const { events, says } = yield* run(shop)
        yield* says("ana", "x")
        expect(seen).toEqual(["1", "1+"])
        expect((yield* events.of("error")).map(({ error }) => error)).toMatchObject([
          { _tag: "HandlerDiedError", where: "Bot.onError" }
        ])
      })
  )

  it.effect("A19 a hook that fails or throws is reported and keeps nothing from being told", () =>
    Effect.gen(function* () {
      const { bot, events, says } = yield* run(
        Bot.make("shop", [
          Bot.onMessage(() => pay("x")),
          Bot.onFailure(() => Effect.fail("hook")),
          Bot.onFailure(() => {
            throw new Error("hook")
          })
        ])
      )
      yield* says("ana", "x")
      expect((yield* events.of("error")).map(({ where }) => where)).toEqual([
        "an onFailure hook",
        "an onFailure hook",
        "onMessage"
      ])
      expect(bot.metrics.snapshot()).toMatchObject({ errors: 3, handled: 1 })
    })
  )

  it.effect("A19 a recovery that never ends is cut with the turn, and the error is told all the same", () =>
    Effect.gen(function* () {
      const shop = Bot.make("shop", [Bot.onMessage(() => pay("x"))]).pipe(Bot.onError(() => Effect.never))
      const { bot, events, inbound, mock } = yield* run(shop)
      yield* mock.deliver(inbound.text({ chat: "ana", body: "x" }))
      yield* TestClock.adjust("1 minute")
      yield* bot.settled
      expect((yield* events.of("error")).map(({ error }) => error)).toMatchObject([{ _tag: "PayError" }])
      expect(balance(bot)).toEqual({ received: 1, accounted: 1 })
      expect(bot.metrics.snapshot().dropped["turn-lost"]).toBe(1)
      yield* halt(bot)
    })
  )

  it.effect("B25 the apology speaks the person's language, and is not tried when the transport is what failed", () =>
    Effect.gen(function* () {
      const { bot, mock, says } = yield* run(
        Bot.make("shop", [Bot.when("reply", (chat) => chat.reply("x")), Bot.onMessage(() => pay("x"))])
      )
      expect(yield* says("ana", "x", { lang: "pt-BR" })).toEqual([expect.stringContaining("algo deu errado")])
      yield* mock.faults.block("eva")
      yield* says("eva", "reply")
      expect(mock.refused()).toHaveLength(1)
      expect(bot.metrics.snapshot()).toMatchObject({ errors: 2, sendFailed: { Unreachable: 1 } })
    })
  )
})

describe("A20 calls", () => {
  it.effect(
    "A20 before and after call hooks, the event, the language, then only CALL triggers; no message hooks or event",
    () =>
      Effect.gen(function* () {
        const log: Array<string> = []
        const note = (entry: string) => Effect.sync(() => void log.push(entry))
        const { bot, events, gets, inbound, texts } = yield* run(
          Bot.make(
            "shop",
            [
              Bot.before("call", () => note("before")),
              Bot.after("call", () => note("after")),
              Bot.before("message", () => note("message hook")),
              Bot.onCall((chat) => Effect.andThen(note(`1 ${chat.lang}`), chat.pass)),
              Bot.onCall((chat, call) => Effect.andThen(note("2"), chat.reply(`called ${call.callId} ${call.video}`))),
              Bot.onCall(() => note("3")),
              Bot.onMessage(() => note("message"))
            ],
            { i18n: { default: "es" } }
          )
        )
        yield* gets(inbound.call({ chat: "ana", id: "c1", video: true }))
        expect(log).toEqual(["before", "after", "1 es", "2"])
        expect(texts()).toEqual(["called c1 true"])
        expect(yield* events.tags).toEqual(["call"])
        expect(bot.metrics.snapshot()).toMatchObject({ received: 1, handled: 1 })
      })
  )

  it.effect("A20 access lists and handoff come first: no hooks, no event, no trigger; counted", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const { bot, dropped, events, gets, inbound } = yield* run(
        Bot.make(
          "shop",
          [
            Bot.before("call", () => Effect.sync(() => void log.push("before"))),
            Bot.onCall(() => Effect.sync(() => void log.push("call")))
          ],
          { access: { blacklist: ["bad"] } }
        )
      )
      yield* bot.handoff.start("ana")
      yield* gets(inbound.call({ chat: "bad" }), inbound.call({ chat: "ana" }))
      expect(log).toEqual([])
      expect(yield* events.of("call")).toEqual([])
      expect([dropped("blocked"), dropped("handoff")]).toEqual([1, 1])
      expect(balance(bot)).toEqual({ received: 2, accounted: 2 })
    })
  )

  it.effect("A20 B7 a call hook may stop the call, change its chat, or fail: then onFailure(call) hears it", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const { bot, dropped, events, gets, inbound } = yield* run(
        Bot.make("shop", [
          Bot.before("call", (chat) =>
            chat.from === "stop"
              ? chat.stop
              : chat.from === "fail"
                ? Effect.fail("hook")
                : Effect.succeed(chat.with({ lang: "it" }))
          ),
          Bot.onCall((chat) =>
            chat.from === "bug" ? Effect.fail("handler") : Effect.sync(() => void log.push(chat.lang))
          ),
          Bot.onFailure("call", ({ where }) => Effect.sync(() => void log.push(`call: ${where}`))),
          Bot.onFailure("message", ({ where }) => Effect.sync(() => void log.push(`message: ${where}`)))
        ])
      )
      yield* gets(...["stop", "fail", "bug", "fine"].map((chat) => inbound.call({ chat })))
      expect(log.toSorted()).toEqual(["call: a call hook", "call: call", "it"])
      expect(dropped("stopped-by-hook")).toBe(2)
      expect((yield* events.of("call")).map(({ chat }) => chat.from).toSorted()).toEqual(["bug", "fine"])
      expect(balance(bot)).toEqual({ received: 4, accounted: 4 })
    })
  )

  it.effect("A20 B2 reactions, votes and deletions reach their typed triggers and events, and no matcher", () =>
    Effect.gen(function* () {
      const { bot, events, gets, inbound, texts } = yield* run(
        Bot.make("shop", [
          Bot.onReaction((chat, { emoji }) => chat.reply(`reacted ${emoji}`)),
          Bot.onPollVote((chat, { options }) => chat.reply(`voted ${options.join(",")}`)),
          Bot.onDelete((chat, { target }) => chat.reply(`deleted ${target.id}`)),
          Bot.onMessage((chat) => chat.reply("never"))
        ])
      )
      const target = { id: "m1", chatId: "ana" }
      yield* gets(
        inbound.reaction({ chat: "ana", emoji: "👍", target }),
        inbound.pollVote({ chat: "ana", pollId: "p", options: [0, 2] }),
        inbound.deletion({ chat: "ana", target })
      )
      expect(texts()).toEqual(["reacted 👍", "voted 0,2", "deleted m1"])
      expect(yield* events.tags).toEqual(["reaction", "pollVote", "delete"])
      expect(bot.metrics.snapshot()).toMatchObject({ received: 3, handled: 3 })
    })
  )

  it.effect("A20 a signal's handler that never ends is cut like a message's, and counted once", () =>
    Effect.gen(function* () {
      const { bot, dropped, inbound, mock } = yield* run(Bot.make("shop", [Bot.onCall(() => Effect.never)]))
      yield* mock.deliver(inbound.call({ chat: "ana" }))
      yield* TestClock.adjust("1 minute")
      yield* bot.settled
      expect(dropped("turn-lost")).toBe(1)
      expect(balance(bot)).toEqual({ received: 1, accounted: 1 })
    })
  )
})

describe("A21 trigger", () => {
  it.effect("A21 starts a flow without a message: no dedupe, storing, hooks, matchers or `message` event", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const flow = Flow.make("promo").pipe(
        Flow.ask("a", "a?"),
        Flow.say(({ a }) => `got ${a}`)
      )
      const { bot, events, says, texts } = yield* run(
        Bot.make(
          "shop",
          [
            Bot.before("message", () => Effect.sync(() => void log.push("hook"))),
            Bot.flow(flow),
            Bot.onMessage(() => Effect.void)
          ],
          { access: { blacklist: ["bad"] } }
        )
      )
      expect(yield* bot.trigger("promo", { chatId: "bad" })).toEqual({ _tag: "refused", reason: "blocked" })
      yield* bot.handoff.start("held")
      expect(yield* bot.trigger("promo", { chatId: "held" })).toEqual({ _tag: "refused", reason: "handoff" })
      expect(yield* bot.trigger("promo", { chatId: "ana" })).toMatchObject({ _tag: "started" })
      expect(texts()).toEqual(["a?"])
      expect(log).toEqual([])
      expect(yield* events.of("message")).toEqual([])
      expect(bot.metrics.snapshot().received).toBe(0)
      expect(yield* says("ana", "x")).toEqual(["got x"])
      yield* bot.stop
      expect(yield* bot.trigger("promo", { chatId: "ana" })).toEqual({ _tag: "refused", reason: "not-running" })
    })
  )
})
