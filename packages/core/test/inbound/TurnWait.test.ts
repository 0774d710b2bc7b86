import { expect, it } from "@effect/vitest"
import { Bot } from "@botmesh/core"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { balance, breathe } from "../kit/Engine.ts"
import { world } from "../kit/Replicas.ts"

/** Every message takes a minute. */
const slow = Bot.make(
  "b",
  [Bot.onMessage((chat) => Effect.andThen(Effect.sleep("50 seconds"), chat.reply(`oí ${chat.body}`)))],
  { settle: "1m", turnWait: "30s" }
)

it.effect("C8 R23: a message whose queue stands still for turnWait is told, counted and can be delivered again", () =>
  Effect.gen(function* () {
    const { replica } = world()
    const one = yield* replica(slow, "one")
    const two = yield* replica(slow, "two")
    const text = (body: string) => one.inbound.text({ chat: "ana", body })
    yield* one.mock.deliver(text("a"))
    yield* breathe
    const late = text("b")
    yield* two.mock.deliver(late)
    yield* TestClock.adjust("33 seconds")
    yield* two.bot.settled
    expect(two.dropped("turn-timeout")).toBe(1)
    const errors = yield* two.events.of("error")
    expect(errors.map(({ error }) => error)).toMatchObject([{ _tag: "CoordinationUnavailableError" }])
    yield* TestClock.adjust("20 seconds")
    yield* one.bot.settled
    // Neither replica takes it for a duplicate.
    yield* one.mock.deliver(late)
    yield* TestClock.adjust("1 minute")
    yield* one.bot.settled
    expect(one.texts("ana")).toEqual(["oí a", "oí b"])
    for (const { bot } of [one, two]) {
      const { accounted, received } = balance(bot)
      expect(accounted).toBe(received)
    }
  })
)

it.effect("R23: a queue that moves does not time out, however long a message has waited in it", () =>
  Effect.gen(function* () {
    const { replica } = world()
    const steady = Bot.make(
      "b",
      [Bot.onMessage((chat) => Effect.andThen(Effect.sleep("20 seconds"), chat.reply(chat.body)))],
      { turnWait: "30s" }
    )
    const one = yield* replica(steady, "one")
    const two = yield* replica(steady, "two")
    for (const body of ["1", "2", "3"]) yield* one.mock.deliver(one.inbound.text({ chat: "ana", body }))
    yield* breathe
    for (const body of ["4", "5", "6"]) yield* two.mock.deliver(two.inbound.text({ chat: "ana", body }))
    yield* TestClock.adjust("150 seconds")
    yield* one.bot.settled
    yield* two.bot.settled
    expect(one.texts("ana")).toEqual(["1", "2", "3"])
    expect(two.texts("ana")).toEqual(["4", "5", "6"])
    expect(two.dropped("turn-timeout")).toBe(0)
  })
)

it.effect(
  "C8 C22: a coordinator that cannot be reached is told as CoordinationUnavailableError, and recovers by itself",
  () =>
    Effect.gen(function* () {
      const { replica } = world()
      const quick = Bot.make("b", [Bot.onMessage((chat) => chat.reply(`oí ${chat.body}`))])
      const one = yield* replica(quick, "one")
      const event = one.inbound.text({ chat: "ana", body: "a" })
      one.wire.cut = true
      yield* one.mock.deliver(event)
      yield* TestClock.adjust("5 seconds")
      yield* one.bot.settled
      expect(one.dropped("turn-timeout")).toBe(1)
      const errors = yield* one.events.of("error")
      expect(errors.map(({ error }) => error)).toMatchObject([{ _tag: "CoordinationUnavailableError" }])
      one.wire.cut = false
      yield* one.mock.deliver(event)
      yield* TestClock.adjust("5 seconds")
      yield* one.bot.settled
      expect(one.texts("ana")).toEqual(["oí a"])
      expect(one.dropped("duplicate")).toBe(0)
    })
)
