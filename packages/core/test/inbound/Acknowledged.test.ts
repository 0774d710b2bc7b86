import { expect, it } from "@effect/vitest"
import { Bot, Flow } from "@botmesh/core"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { balance, breathe } from "../kit/Engine.ts"
import { world } from "../kit/Replicas.ts"

const slow = Bot.make(
  "b",
  [Bot.onMessage((chat) => Effect.andThen(Effect.sleep("2 seconds"), chat.reply(`oí ${chat.body}`)))],
  { stopGrace: "10s" }
)

it.effect(
  "B12 A4: with replicas, messages taken before a stop get their turn within its grace; the rest is given back",
  () =>
    Effect.gen(function* () {
      const { replica } = world()
      const one = yield* replica(slow, "one")
      const bodies = ["1", "2", "3", "4", "5", "6", "7"]
      const events = bodies.map((body) => one.inbound.text({ chat: "ana", body }))
      yield* one.mock.deliver(events)
      yield* breathe
      const stopping = yield* Effect.forkChild(one.bot.stop, { startImmediately: true })
      yield* TestClock.adjust("20 seconds")
      yield* Fiber.join(stopping)
      expect(one.texts("ana")).toEqual(["oí 1", "oí 2", "oí 3", "oí 4"])
      const { accounted, received } = balance(one.bot)
      expect(accounted).toBe(received)
      expect(one.dropped("not-running") + one.dropped("turn-lost")).toBe(3)
      // What was given back is no duplicate anywhere.
      const two = yield* replica(slow, "two")
      yield* two.mock.deliver(events.slice(5))
      yield* TestClock.adjust("10 seconds")
      yield* two.bot.settled
      expect(two.texts("ana")).toEqual(["oí 6", "oí 7"])
    })
)

it.effect("R23 R18: a message whose triggered flow is lost with the turn is turn-lost, not handled", () =>
  Effect.gen(function* () {
    const { replica } = world()
    const flow = Flow.make("f").pipe(
      Flow.run("work", () => Effect.as(Effect.sleep("10 seconds"), 1)),
      Flow.say("hecho")
    )
    const one = yield* replica(
      Bot.make("b", [Bot.when("go", (chat) => Effect.asVoid(chat.trigger("f"))), Bot.flow(flow)], { apology: false }),
      "one"
    )
    yield* one.mock.deliver(one.inbound.text({ chat: "ana", body: "go" }))
    yield* breathe
    expect(one.bot.metrics.snapshot().handled).toBe(0)
    one.wire.cut = true
    yield* TestClock.adjust("4 seconds")
    yield* one.bot.settled
    expect(one.dropped("turn-lost")).toBe(1)
    expect(one.bot.metrics.snapshot().handled).toBe(0)
    one.wire.cut = false
    yield* TestClock.adjust("5 seconds")
    yield* one.mock.deliver(one.inbound.text({ chat: "ana", body: "go" }))
    yield* TestClock.adjust("11 seconds")
    yield* one.bot.settled
    expect(one.texts("ana")).toEqual(["hecho"])
    expect(one.bot.metrics.snapshot().handled).toBe(1)
  })
)
