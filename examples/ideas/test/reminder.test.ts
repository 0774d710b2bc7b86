import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { TestBot } from "@botmesh/core/testing"
import { reminder } from "../src/reminder.ts"

it.effect("reminder: of a silent chat, and of a question", () =>
  Effect.gen(function* () {
    const { person, settled } = yield* TestBot.make(reminder)
    const ana = person("ana")
    const after = (time: "5 minutes" | "30 minutes") => Effect.andThen(TestClock.adjust(time), settled)
    yield* ana.says("hola")
    yield* after("30 minutes")
    expect(yield* ana.says("order")).toEqual(["What would you like?"])
    yield* after("5 minutes")
    expect(yield* ana.sees).toEqual(["Take your time: pizza or pasta?"])
    // The message has started the hour of silence again.
    yield* after("30 minutes")
    expect(yield* ana.sees).toEqual([])
    yield* after("30 minutes")
    expect(yield* ana.sees).toEqual(["I am still here if you need me"])
    expect(yield* ana.says("pizza")).toEqual(["One pizza"])
  })
)
