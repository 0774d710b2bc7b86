import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { TestBot } from "@botmesh/core/testing"
import { giveBack, handoff } from "../src/handoff.ts"

it.effect("handoff: silent while a person holds the chat, and on where it was afterwards", () =>
  Effect.gen(function* () {
    const { bot, person, settled } = yield* TestBot.make(handoff)
    const ana = person("ana")
    yield* ana.says("claim")
    expect(yield* ana.says("A-7")).toEqual(["What is wrong with it?"])
    expect(yield* ana.says("/human")).toEqual(["A person will write to you"])
    expect(yield* ana.says("hola")).toEqual([])
    expect(yield* ana.says("/status")).toEqual(["A person has your chat"])
    // An hour passes with the person; the question had ten minutes and still has them.
    yield* TestClock.adjust("1 hour")
    yield* settled
    expect(yield* ana.sees).toEqual([])
    expect(yield* Effect.provideService(giveBack("ana"), handoff, bot)).toBe(true)
    expect(yield* ana.says("broken")).toEqual(["Thank you, we look into A-7"])
    expect(yield* ana.says("hola")).toEqual(["👋"])
  })
)
