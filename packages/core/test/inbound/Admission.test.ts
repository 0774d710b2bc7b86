import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Bot, Flow } from "../../src/index.ts"
import { balance, breathe, halt, journal, run, storeWith } from "../kit/Engine.ts"

const eco = Bot.make("shop", [Bot.onMessage((chat) => chat.reply(`eco ${chat.body}`))])

describe("I8 I24 I25 admission to a store that does not answer", () => {
  it.effect("I25 it is refused after 30 s, its chat goes on, the delivery after it and its repeat are handled", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      let hang = true
      const store = storeWith(({ admit }) => ({
        admit: (...row) =>
          hang ? Effect.andThen(Effect.uninterruptible(Deferred.await(gate)), admit(...row)) : admit(...row)
      }))
      const { bot, dropped, events, inbound, mock, texts } = yield* run(eco, { store })
      const first = inbound.text({ chat: "ana", body: "one", id: "1" })
      const waits = yield* Effect.forkChild(Effect.flip(mock.deliver(first)), { startImmediately: true })
      yield* TestClock.adjust("10 seconds")
      hang = false
      yield* mock.deliver(inbound.text({ chat: "ana", body: "two", id: "2" }))
      yield* breathe
      expect(texts("ana")).toEqual([])
      yield* TestClock.adjust("20 seconds")
      expect(yield* Fiber.join(waits)).toMatchObject({ _tag: "NotAcceptingError", reason: "store" })
      yield* bot.settled
      expect(texts("ana")).toEqual(["eco two"])
      expect(dropped("store-failed")).toBe(1)
      expect((yield* events.of("error")).map(({ error }) => error)).toMatchObject([
        { _tag: "StoreError", operation: "admit", reason: "unavailable" }
      ])
      // A late answer of the store runs nothing.
      yield* Deferred.succeed(gate, undefined)
      yield* breathe
      yield* bot.settled
      expect(texts("ana")).toEqual(["eco two"])
      yield* mock.deliver(first)
      yield* bot.settled
      expect(texts("ana")).toEqual(["eco two", "eco one"])
      expect(balance(bot)).toEqual({ received: 3, accounted: 3 })
      expect(bot.conversations.timers()).toBe(0)
    })
  )

  it.effect("I8 I24 a stop gives back what is still being admitted; the next life of the bot hears the chat", () =>
    Effect.gen(function* () {
      let hang = true
      const store = storeWith(({ admit }) => ({
        admit: (...row) => (hang ? Effect.uninterruptible(Effect.never) : admit(...row))
      }))
      const short = Bot.make("shop", [Bot.onMessage((chat) => chat.reply(`eco ${chat.body}`))], { stopGrace: "5s" })
      const { bot, dropped, inbound, mock, says } = yield* run(short, { store })
      const waits = yield* Effect.forkChild(Effect.flip(mock.deliver(inbound.text({ chat: "ana", body: "one" }))), {
        startImmediately: true
      })
      hang = false
      yield* mock.deliver(inbound.text({ chat: "ana", body: "two" }))
      const stopping = yield* Effect.forkChild(bot.stop, { startImmediately: true })
      yield* TestClock.adjust("6 seconds")
      yield* Fiber.join(stopping)
      expect(yield* Fiber.join(waits)).toMatchObject({ reason: "not-running" })
      expect(dropped("not-running")).toBe(2)
      expect(bot.metrics.snapshot().waiting).toBe(0)
      yield* bot.start
      expect(yield* says("ana", "three")).toEqual(["eco three"])
      expect(balance(bot)).toEqual({ received: 3, accounted: 3 })
      yield* halt(bot)
    })
  )

  it.effect("I25 with a journal a record written too late goes back to the inbox", () =>
    Effect.gen(function* () {
      const notes: Array<string> = []
      const gate = yield* Deferred.make<void>()
      const durability = journal(notes, {
        record: () => Effect.as(Effect.uninterruptible(Deferred.await(gate)), { _tag: "recorded", id: "late" } as const)
      })
      const { inbound, mock, texts } = yield* run(eco, { durability })
      const waits = yield* Effect.forkChild(Effect.flip(mock.deliver(inbound.text({ chat: "ana", body: "one" }))), {
        startImmediately: true
      })
      yield* TestClock.adjust("30 seconds")
      expect(yield* Fiber.join(waits)).toMatchObject({ reason: "store" })
      yield* Deferred.succeed(gate, undefined)
      yield* breathe
      expect(notes).toEqual(["release ana late"])
      expect(texts("ana")).toEqual([])
    })
  )
})

describe("I24 a checkpoint write that never answers", () => {
  it.effect("I24 R17 the message it belongs to is told as lost before the conversation is given up", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const store = storeWith(({ setCheckpointIf }) => ({
        setCheckpointIf: (...row) =>
          Effect.andThen(Effect.uninterruptible(Deferred.await(gate)), setCheckpointIf(...row))
      }))
      const flow = Flow.make("f").pipe(
        Flow.run("x", () => Effect.succeed(1)),
        Flow.ask("a", "A?"),
        Flow.persistent
      )
      const { bot, dropped, events, inbound, mock } = yield* run(
        Bot.make("shop", [Bot.flow(flow, { trigger: "go" })], { settle: "1m" }),
        { store }
      )
      yield* Effect.forkChild(mock.deliver(inbound.text({ chat: "ana", body: "go" })), { startImmediately: true })
      yield* TestClock.adjust("70 seconds")
      yield* breathe
      expect(dropped("turn-lost")).toBe(1)
      expect(balance(bot)).toEqual({ received: 1, accounted: 1 })
      expect(yield* events.of("overrun")).toHaveLength(1)
      yield* Deferred.succeed(gate, undefined)
      yield* halt(bot)
    })
  )
})
