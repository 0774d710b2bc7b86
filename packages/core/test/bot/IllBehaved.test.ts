/** Handlers that misbehave: each is settled in time, told and counted once, and costs nobody else anything (R17, I18, I24). */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Bot, type Chat, Flow } from "../../src/index.ts"
import type { MetricsSnapshot } from "../../src/events/Metrics.ts"
import { type AnyEvent, balance, breathe, halt, run } from "../kit/Engine.ts"

interface Case {
  readonly name: string
  readonly handlers: ReadonlyArray<Bot.Handler<unknown, never>>
  /** ms from the message until the chat is free again. */
  readonly free: number
  /** The events that tell of it, besides `message`. */
  readonly told: ReadonlyArray<AnyEvent["_tag"]>
  readonly counted: Partial<MetricsSnapshot>
  readonly dropped: number
  /** A cut step is tried again by itself (R16). */
  readonly retries?: boolean
}

const bad = (name: string, run: (chat: Chat) => Effect.Effect<unknown, unknown>): Bot.Handler<unknown, never> =>
  Bot.when(name, run)

const settle = 60_000
const grace = 5_000
const cases: ReadonlyArray<Case> = [
  {
    name: "one that never ends",
    handlers: [bad("bad", () => Effect.never)],
    free: settle,
    told: ["suspended", "dropped"],
    counted: { overruns: 0, errors: 0 },
    dropped: 1
  },
  {
    name: "one that spins for ever, yielding",
    handlers: [bad("bad", () => Effect.forever(Effect.sleep(10)))],
    free: settle,
    told: ["suspended", "dropped"],
    counted: { overruns: 0, errors: 0 },
    dropped: 1
  },
  {
    name: "one that swallows its own interruption and goes on",
    handlers: [bad("bad", () => Effect.forever(Effect.ignoreCause(Effect.sleep(1_000))))],
    free: settle,
    told: ["suspended", "dropped"],
    counted: { overruns: 0, errors: 0 },
    dropped: 1
  },
  {
    name: "one that cannot be interrupted for an hour",
    handlers: [
      bad("bad", (chat) => Effect.uninterruptible(Effect.andThen(Effect.sleep("1 hour"), chat.reply("late"))))
    ],
    free: settle + grace,
    told: ["suspended", "overrun", "dropped"],
    counted: { overruns: 1, errors: 0 },
    dropped: 1
  },
  {
    name: "one whose finalizer never ends",
    handlers: [bad("bad", () => Effect.ensuring(Effect.never, Effect.never))],
    free: settle + grace,
    told: ["suspended", "overrun", "dropped"],
    counted: { overruns: 1, errors: 0 },
    dropped: 1
  },
  {
    name: "one that throws synchronously",
    handlers: [
      bad("bad", () => {
        throw new Error("bug")
      })
    ],
    free: 0,
    told: ["error"],
    counted: { errors: 1, overruns: 0 },
    dropped: 0
  },
  {
    name: "one that dies",
    handlers: [bad("bad", () => Effect.die("bug"))],
    free: 0,
    told: ["error"],
    counted: { errors: 1 },
    dropped: 0
  },
  {
    name: "one that fails",
    handlers: [bad("bad", () => Effect.fail("no"))],
    free: 0,
    told: ["error"],
    counted: { errors: 1 },
    dropped: 0
  },
  {
    name: "one that loops by goto",
    handlers: [
      Bot.flow(Flow.make("a").pipe(Flow.goto("b")), { trigger: "bad" }),
      Bot.flow(Flow.make("b").pipe(Flow.goto("a")))
    ],
    free: 0,
    told: ["conversation:started", "error", "conversation:ended"],
    counted: { errors: 1, conversationsStarted: 1 },
    dropped: 0
  },
  {
    name: "a conversation that never ends",
    handlers: [Bot.conversation("bad", () => Effect.never)],
    free: settle,
    told: ["conversation:started", "suspended"],
    counted: { overruns: 0, errors: 0, conversationsStarted: 1 },
    dropped: 0,
    retries: true
  },
  {
    name: "a step that cannot be interrupted for an hour",
    handlers: [
      Bot.flow(
        Flow.make("f").pipe(Flow.run("r", () => Effect.as(Effect.uninterruptible(Effect.sleep("1 hour")), "x"))),
        {
          trigger: "bad"
        }
      )
    ],
    free: settle + grace,
    told: ["conversation:started", "suspended", "overrun", "dropped"],
    counted: { overruns: 1, errors: 0, conversationsStarted: 1 },
    dropped: 1,
    retries: true
  }
]

describe("ill-behaved handlers", () => {
  for (const { counted, dropped, free, handlers, name, retries = false, told } of cases) {
    it.effect(`R17 I18 ${name}: settled in time, told and counted once; 500 other chats are answered at +0 ms`, () =>
      Effect.gen(function* () {
        const { bot, events, inbound, mock, texts } = yield* run(
          Bot.make("shop", [...handlers, Bot.onMessage((chat) => chat.reply(`ok ${chat.body}`))], { apology: false })
        )
        yield* mock.deliver([inbound.text({ chat: "bad", body: "bad" }), inbound.text({ chat: "bad", body: "next" })])
        yield* mock.deliver(Array.from({ length: 500 }, (_, n) => inbound.text({ chat: `c${n}`, body: "hi" })))
        yield* breathe
        const others = mock.sent().filter(({ message }) => message.chatId !== "bad")
        expect(others).toHaveLength(500)
        expect(others.every(({ at }) => at === 0)).toBe(true)
        if (free > 0) {
          yield* TestClock.adjust(settle - 1)
          yield* breathe
          expect(texts("bad")).toEqual([])
          yield* TestClock.adjust(free - settle + 1)
        }
        yield* breathe
        // In time means now: nothing more has to pass.
        expect(bot.metrics.snapshot().waiting).toBe(0)
        if (!retries) yield* bot.settled
        const all = (yield* events.all).filter((event) => event._tag !== "message")
        expect(all.map((event) => event._tag)).toEqual(told)
        expect(bot.metrics.snapshot()).toMatchObject({ ...counted, waiting: 0 })
        expect(balance(bot)).toEqual({ received: 502, accounted: 502 })
        expect(Object.values(bot.metrics.snapshot().dropped).reduce((sum, n) => sum + n, 0)).toBe(dropped)
        const before = bot.metrics.snapshot()
        yield* TestClock.adjust("2 hours")
        yield* bot.settled
        // What ran on has had no effect: nothing sent, nothing counted twice.
        expect(texts("bad").includes("late")).toBe(false)
        expect(bot.metrics.snapshot()).toMatchObject({
          received: before.received,
          handled: before.handled,
          dropped: before.dropped
        })
        if (!retries) expect(bot.metrics.snapshot().overruns).toBe(before.overruns)
        yield* halt(bot)
      })
    )
  }

  it.effect("R17 one that sends after its turn from a daemon: refused, told and counted", () =>
    Effect.gen(function* () {
      const daemons: Array<Fiber.Fiber<unknown, unknown>> = []
      const { bot, events, gets, inbound, texts } = yield* run(
        Bot.make("shop", [
          Bot.onMessage((chat) =>
            Effect.map(
              Effect.forkDetach(
                Effect.forever(Effect.andThen(Effect.sleep("1 second"), Effect.ignore(chat.reply("spam"))))
              ),
              (daemon) => void daemons.push(daemon)
            )
          )
        ])
      )
      yield* gets(inbound.text({ chat: "ana", body: "x" }))
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.interruptAll(daemons)
      expect(texts()).toEqual([])
      expect(yield* events.of("send-failed")).toHaveLength(5)
      expect(bot.metrics.snapshot()).toMatchObject({ sendFailed: { LeaseLostError: 5 }, handled: 1 })
    })
  )

  it.effect("I23 one that floods events: a slow listener loses the oldest, counted; the bot and others go on", () =>
    Effect.gen(function* () {
      const { bot, gets, inbound, texts } = yield* run(
        Bot.make("shop", [
          Bot.when("flood", (chat) => Effect.repeat(Effect.ignore(chat.reply("")), { times: 49_999 })),
          Bot.onMessage((chat) => chat.reply("ok"))
        ])
      )
      const stuck = yield* Effect.forkChild(
        (yield* Effect.promise(() => import("effect"))).Stream.runForEach(bot.events, () => Effect.never),
        { startImmediately: true }
      )
      yield* gets(inbound.text({ chat: "ana", body: "flood" }), inbound.text({ chat: "eva", body: "x" }))
      expect(texts()).toEqual(["ok"])
      expect(bot.metrics.snapshot().sendFailed.InvalidContent).toBe(50_000)
      // 1,024 wait for the stuck listener, and a few are in its hands.
      expect(bot.metrics.snapshot().eventsLost).toBeGreaterThanOrEqual(50_000 - 1_200)
      yield* Fiber.interrupt(stuck)
    })
  )

  it.effect("I18 a turn's whole hold is bounded: two slow halves of one message do not add up", () =>
    Effect.gen(function* () {
      const { bot, inbound, mock, texts } = yield* run(
        Bot.make("shop", [
          Bot.before("message", () => Effect.sleep("40 seconds")),
          Bot.onMessage((chat) => Effect.andThen(Effect.sleep("40 seconds"), chat.reply("x")))
        ])
      )
      yield* mock.deliver(inbound.text({ chat: "ana", body: "x" }))
      yield* TestClock.adjust("1 minute")
      yield* bot.settled
      expect(texts()).toEqual([])
      expect(bot.metrics.snapshot()).toMatchObject({ suspended: { settle: 1 }, dropped: { "turn-lost": 1 } })
    })
  )

  it.effect("I18 a store that hangs while the chat is opened is cut like a handler", () =>
    Effect.gen(function* () {
      const { storeWith } = yield* Effect.promise(() => import("../kit/Engine.ts"))
      let hangs = true
      const { bot, dropped, inbound, mock, texts } = yield* run(
        Bot.make("shop", [Bot.onMessage((chat) => chat.reply("x"))]),
        { store: storeWith((store) => ({ open: (...args) => (hangs ? Effect.never : store.open(...args)) })) }
      )
      yield* mock.deliver(inbound.text({ chat: "ana", body: "x" }))
      yield* TestClock.adjust("1 minute")
      yield* bot.settled
      expect(dropped("turn-lost")).toBe(1)
      hangs = false
      yield* mock.deliver(inbound.text({ chat: "ana", body: "y" }))
      yield* bot.settled
      expect(texts()).toEqual(["x"])
      expect(balance(bot)).toEqual({ received: 2, accounted: 2 })
    })
  )
})
