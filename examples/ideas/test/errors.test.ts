import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { TestBot } from "@botmesh/core/testing"
import { errors } from "../src/errors.ts"

it.effect("errors: answered, told as events, and never the end of the bot", () =>
  Effect.gen(function* () {
    const { bot, person } = yield* TestBot.make(errors)
    const told = yield* bot.events.pipe(
      Stream.filter((event) => event._tag === "error"),
      Stream.take(3),
      Stream.map(({ error }) => error._tag),
      Stream.runCollect,
      Effect.forkChild({ startImmediately: true })
    )
    const ana = person("ana")
    const apology = "Sorry, something went wrong. Please try again in a moment."
    expect(yield* ana.says("pizza")).toEqual(["We are out of pizza"])
    expect(yield* ana.says("pasta")).toEqual([apology])
    expect(yield* ana.says("soup")).toEqual([apology])
    expect(yield* Fiber.join(told)).toEqual(["HandledError", "Closed", "HandlerDiedError"])
    expect(bot.metrics.snapshot().errors).toBe(3)
  })
)
