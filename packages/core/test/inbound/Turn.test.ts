import { describe, expect, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Bot, Flow } from "../../src/index.ts"
import type { Chat } from "../../src/index.ts"
import { Coordinator } from "../../src/spi/Coordinator.ts"
import { CoordinationUnavailableError } from "../../src/spi/Errors.ts"
import { balance, breathe, halt, run, storeWith } from "../kit/Engine.ts"

const numbers = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, n) => n)

/** Notes when each message of a chat was handled, and takes so long for those that say so. */
const clocked = (log: Array<string>, slow: (chat: Chat) => number) =>
  Bot.make("shop", [
    Bot.onMessage((chat) =>
      Effect.gen(function* () {
        log.push(`${chat.body}@${yield* Clock.currentTimeMillis}`)
        const millis = slow(chat)
        if (millis > 0) yield* Effect.sleep(millis)
        yield* chat.reply(`done ${chat.body}`)
      })
    )
  ])

describe("A8 turn", () => {
  it.effect("COORD-04 A8 30 messages during one 5 s handler: all are handled, in order, one at a time", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const { bot, inbound, mock, texts } = yield* run(clocked(log, (chat) => (chat.body === "0" ? 5_000 : 0)))
      yield* mock.deliver(inbound.text({ chat: "ana", body: "0" }))
      yield* TestClock.adjust("1 second")
      yield* mock.deliver(numbers(30).map((n) => inbound.text({ chat: "ana", body: `${n + 1}` })))
      expect(texts()).toEqual([])
      expect(bot.metrics.snapshot().waiting).toBe(31)
      yield* TestClock.adjust("4 seconds")
      yield* bot.settled
      expect(texts()).toEqual(numbers(31).map((n) => `done ${n}`))
      expect(log).toEqual(["0@0", ...numbers(30).map((n) => `${n + 1}@5000`)])
      expect(bot.metrics.snapshot().waiting).toBe(0)
    })
  )

  it.effect("COORD-05 A8 500 chats with one 10 s handler: nobody else waits, also not in the same group", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const { bot, inbound, mock, texts } = yield* run(clocked(log, (chat) => (chat.sender === "s0" ? 10_000 : 0)))
      yield* mock.deliver(inbound.text({ chat: "chat-0", sender: "s0", body: "slow" }))
      yield* mock.deliver(
        numbers(500).map((n) =>
          inbound.text({ chat: n === 0 ? "chat-0" : `chat-${n}`, sender: `s${n + 1}`, body: `${n}` })
        )
      )
      yield* breathe
      expect(texts()).toHaveLength(500)
      expect(log.filter((entry) => !entry.endsWith("@0"))).toEqual([])
      yield* TestClock.adjust("10 seconds")
      yield* bot.settled
      expect(texts("chat-0")).toEqual(["done 0", "done slow"])
    })
  )

  it.effect(
    "TG-11 a handler that never resolves: 499 other chats are answered, the turn ends at settle and is reported",
    () =>
      Effect.gen(function* () {
        const log: Array<string> = []
        const { bot, dropped, events, inbound, mock, texts } = yield* run(
          clocked(log, (chat) => (chat.body === "1" ? Number.POSITIVE_INFINITY : 0))
        )
        yield* mock.deliver(numbers(500).map((n) => inbound.text({ chat: `chat-${n + 1}`, body: `${n + 1}` })))
        yield* mock.deliver(inbound.text({ chat: "chat-1", body: "again" }))
        yield* breathe
        expect(texts()).toHaveLength(499)
        expect(log.filter((entry) => !entry.endsWith("@0"))).toEqual([])
        yield* TestClock.adjust("59 seconds")
        expect(yield* events.of("suspended")).toEqual([])
        yield* TestClock.adjust("1 second")
        yield* bot.settled
        expect(yield* events.of("suspended")).toEqual([{ _tag: "suspended", key: "chat-1", reason: "settle" }])
        expect(texts("chat-1")).toEqual(["done again"])
        expect(dropped("turn-lost")).toBe(1)
        expect(bot.metrics.snapshot()).toMatchObject({ suspended: { settle: 1 }, overruns: 0, waiting: 0 })
        expect(balance(bot)).toEqual({ received: 501, accounted: 501 })
      })
  )

  it.effect("A8 tickets are taken in arrival order even if a later message is stored first", () =>
    Effect.gen(function* () {
      const gates = new Map<string, Deferred.Deferred<void>>()
      for (const body of ["1", "2", "3"]) gates.set(body, yield* Deferred.make<void>())
      const { bot, dropped, inbound, mock, texts } = yield* run(
        Bot.make("shop", [Bot.onMessage((chat) => chat.reply(chat.body))]),
        {
          store: storeWith((store) => ({
            admit: (scope, chat, contact, message) =>
              Effect.andThen(Deferred.await(gates.get(message.body)!), store.admit(scope, chat, contact, message))
          }))
        }
      )
      const fibers: Array<Fiber.Fiber<unknown, unknown>> = []
      for (const body of ["1", "2", "3"]) {
        fibers.push(
          yield* Effect.forkChild(mock.deliver(inbound.text({ chat: "ana", body })), { startImmediately: true })
        )
      }
      yield* Deferred.succeed(gates.get("3")!, undefined)
      yield* breathe
      expect(texts()).toEqual([])
      yield* Deferred.succeed(gates.get("2")!, undefined)
      yield* breathe
      expect(texts()).toEqual([])
      yield* Deferred.succeed(gates.get("1")!, undefined)
      yield* Fiber.joinAll(fibers)
      yield* bot.settled
      expect(texts()).toEqual(["1", "2", "3"])
      expect(dropped("duplicate")).toBe(0)
    })
  )

  it.effect("A8 a message whose storing failed does not hold up those behind it", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const { bot, inbound, mock, texts } = yield* run(
        Bot.make("shop", [Bot.onMessage((chat) => chat.reply(chat.body))]),
        {
          store: storeWith((store) => ({
            admit: (scope, chat, contact, message) =>
              message.body === "1"
                ? Effect.andThen(Deferred.await(gate), Effect.die("broken"))
                : store.admit(scope, chat, contact, message)
          }))
        }
      )
      const first = yield* Effect.forkChild(Effect.flip(mock.deliver(inbound.text({ chat: "ana", body: "1" }))), {
        startImmediately: true
      })
      yield* mock.deliver(inbound.text({ chat: "ana", body: "2" }))
      expect(texts()).toEqual([])
      yield* Deferred.succeed(gate, undefined)
      expect(yield* Fiber.join(first)).toMatchObject({ reason: "store" })
      yield* bot.settled
      expect(texts()).toEqual(["2"])
      expect(balance(bot)).toEqual({ received: 2, accounted: 2 })
    })
  )

  it.effect(
    "A8 B6 a group's participants run in parallel by default, one after the other with one conversation a chat",
    () =>
      Effect.gen(function* () {
        const make = (conversationScope: "participant" | "chat") =>
          Bot.make("shop", [Bot.onMessage((chat) => Effect.andThen(Effect.sleep(1_000), chat.reply(chat.body)))], {
            conversationScope
          })
        for (const [scope, after] of [
          ["participant", ["a", "b"]],
          ["chat", ["a"]]
        ] as const) {
          const { bot, inbound, mock, texts } = yield* run(make(scope))
          yield* mock.deliver([
            inbound.text({ chat: "room", sender: "ana", body: "a" }),
            inbound.text({ chat: "room", sender: "eva", body: "b" })
          ])
          yield* TestClock.adjust("1 second")
          yield* breathe
          expect(texts()).toEqual(after)
          yield* TestClock.adjust("1 second")
          yield* bot.settled
          expect(texts()).toEqual(["a", "b"])
        }
      })
  )

  it.effect("A8 a signal keeps its place among the messages of its chat", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const log: Array<string> = []
      const { bot, inbound, mock } = yield* run(
        Bot.make("shop", [
          Bot.onReaction((_, event) => Effect.sync(() => void log.push(event.emoji))),
          Bot.onMessage((chat) => Effect.sync(() => void log.push(chat.body)))
        ]),
        {
          store: storeWith((store) => ({
            admit: (...args) => Effect.andThen(Deferred.await(gate), store.admit(...args))
          }))
        }
      )
      const message = inbound.text({ chat: "ana", body: "first" })
      const fiber = yield* Effect.forkChild(mock.deliver(message), { startImmediately: true })
      yield* mock.deliver(inbound.reaction({ chat: "ana", emoji: "👍", target: message.ref }))
      expect(log).toEqual([])
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(fiber)
      yield* bot.settled
      expect(log).toEqual(["first", "👍"])
    })
  )

  it.effect("A8 the turn is held through goto and let go when the conversation waits", () =>
    Effect.gen(function* () {
      const second = Flow.make("second").pipe(Flow.ask("b", "b?"), Flow.say("end"))
      const first = Flow.make("first").pipe(
        Flow.run("work", () => Effect.as(Effect.sleep(1_000), "ok")),
        Flow.goto("second")
      )
      const { bot, inbound, mock, says, texts } = yield* run(
        Bot.make("shop", [
          Bot.flow(first, { trigger: "go" }),
          Bot.flow(second),
          Bot.onMessage((chat) => chat.reply(`? ${chat.body}`))
        ])
      )
      yield* mock.deliver([inbound.text({ chat: "ana", body: "go" }), inbound.text({ chat: "ana", body: "answer" })])
      yield* breathe
      expect(texts()).toEqual([])
      yield* TestClock.adjust("1 second")
      yield* bot.settled
      expect(texts()).toEqual(["b?", "end"])
      expect(yield* says("ana", "more")).toEqual(["? more"])
    })
  )

  it.effect("A8 a message that wins no turn is reported, counted turn-timeout, and its key is free again", () =>
    Effect.gen(function* () {
      let reachable = false
      const coordinator = Layer.effect(
        Coordinator,
        Effect.map(Effect.service(Coordinator), (local) => ({
          ...local,
          enqueue: (key: string) =>
            reachable
              ? local.enqueue(key)
              : Effect.fail(new CoordinationUnavailableError({ key, detail: "no grant for 2m" }))
        }))
      ).pipe(Layer.provide((yield* Effect.promise(() => import("../../src/memory/LocalCoordinator.ts"))).layer()))
      const { bot, dropped, events, gets, inbound, texts } = yield* run(
        Bot.make("shop", [Bot.onCall((chat) => chat.reply("call")), Bot.onMessage((chat) => chat.reply("ok"))]),
        { coordinator }
      )
      const message = inbound.text({ chat: "ana", body: "x" })
      yield* gets(message, inbound.call({ chat: "ana" }))
      expect(dropped("turn-timeout")).toBe(2)
      expect((yield* events.of("error")).map((event) => event.error)).toMatchObject([
        { _tag: "CoordinationUnavailableError" },
        { _tag: "CoordinationUnavailableError" }
      ])
      reachable = true
      yield* gets(message)
      expect(texts()).toEqual(["ok"])
      expect(balance(bot)).toEqual({ received: 3, accounted: 3 })
      expect(Stream.isStream(bot.events)).toBe(true)
    })
  )
})

describe("overload", () => {
  const held = (limits: NonNullable<Parameters<typeof Bot.make>[2]>["limits"] = {}) =>
    Bot.make("shop", [Bot.onMessage((chat) => Effect.andThen(Effect.sleep("30 seconds"), chat.reply("ok")))], {
      limits,
      stopGrace: 1
    })

  it.effect("I23 a key holds 1,000 and refuses the next before anything of it is remembered; others are heard", () =>
    Effect.gen(function* () {
      const { bot, dropped, events, inbound, mock } = yield* run(held())
      yield* mock.deliver(numbers(1000).map((n) => inbound.text({ chat: "ana", body: `${n}` })))
      const late = inbound.text({ chat: "ana", body: "late" })
      expect(yield* Effect.flip(mock.deliver(late))).toMatchObject({ _tag: "NotAcceptingError", reason: "overloaded" })
      const signal = inbound.reaction({ chat: "ana", emoji: "👍", target: late.ref })
      expect(yield* Effect.flip(mock.deliver(signal))).toMatchObject({ reason: "overloaded" })
      yield* mock.deliver(inbound.text({ chat: "eva", body: "hi" }))
      expect(yield* events.of("overloaded")).toEqual([
        { _tag: "overloaded", key: "ana", waiting: 1000 },
        { _tag: "overloaded", key: "ana", waiting: 1000 }
      ])
      expect(dropped("overloaded")).toBe(2)
      yield* TestClock.adjust("30 seconds")
      yield* mock.deliver(late)
      expect(dropped("duplicate")).toBe(0)
      expect(bot.metrics.snapshot().waiting).toBe(1000)
      yield* halt(bot)
      expect(balance(bot)).toEqual({ received: 1004, accounted: 1004 })
    })
  )

  it.effect("I23 the process holds 20,000", () =>
    Effect.gen(function* () {
      const { bot, dropped, events, inbound, mock } = yield* run(held())
      yield* mock.deliver(numbers(20_000).map((n) => inbound.text({ chat: `c${n % 100}`, body: "x" })))
      expect(yield* Effect.flip(mock.deliver(inbound.text({ chat: "new", body: "x" })))).toMatchObject({
        reason: "overloaded"
      })
      expect(yield* events.of("overloaded")).toEqual([{ _tag: "overloaded", key: "new", waiting: 20_000 }])
      expect(dropped("overloaded")).toBe(1)
      const stopping = yield* Effect.forkChild(bot.stop, { startImmediately: true })
      yield* TestClock.adjust(1)
      yield* bot.settled
      yield* Fiber.join(stopping)
      expect(dropped("not-running")).toBe(19_900)
      expect(balance(bot)).toEqual({ received: 20_001, accounted: 20_001 })
    })
  )

  it.effect("I23 both bounds are options, and a batch is taken up to the bound", () =>
    Effect.gen(function* () {
      const { bot, inbound, mock } = yield* run(held({ perKey: 2, total: 3 }))
      const batch = ["ana", "ana", "ana"].map((chat) => inbound.text({ chat, body: "x" }))
      expect(yield* Effect.flip(mock.deliver(batch))).toMatchObject({ reason: "overloaded" })
      expect(bot.metrics.snapshot()).toMatchObject({ received: 3, waiting: 2 })
      yield* mock.deliver(inbound.text({ chat: "eva", body: "x" }))
      expect(yield* Effect.flip(mock.deliver(inbound.text({ chat: "leo", body: "x" })))).toMatchObject({
        reason: "overloaded"
      })
      yield* halt(bot)
    })
  )
})
