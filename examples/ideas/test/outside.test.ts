import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { TestBot } from "@botmesh/core/testing"
import { arrived, daily, outside } from "../src/outside.ts"

it.effect("outside: a flow that the warehouse starts", () =>
  Effect.gen(function* () {
    const { bot, person } = yield* TestBot.make(outside)
    const ana = person("ana")
    const tell = (parcel: string) => Effect.provideService(arrived("ana", parcel), outside, bot)
    expect(yield* tell("P1")).toMatchObject({ _tag: "started" })
    expect(yield* tell("P2")).toEqual({ _tag: "queued" })
    expect(yield* ana.sees).toEqual(["Parcel P1 is here. When shall we bring it?"])
    expect(yield* ana.says("today")).toEqual(["P1 comes today", "Parcel P2 is here. When shall we bring it?"])
    yield* bot.access.block("ana")
    expect(yield* tell("P3")).toEqual({ _tag: "refused", reason: "blocked" })
  })
)

it.effect("outside: a job of every day", () =>
  Effect.gen(function* () {
    const { bot, person } = yield* TestBot.make(outside)
    const job = yield* Effect.provideService(daily("ana"), outside, bot)
    yield* TestClock.adjust("2 days")
    expect(yield* person("ana").sees).toEqual(["Good morning", "Good morning"])
    yield* job.cancel
    yield* TestClock.adjust("2 days")
    expect(yield* person("ana").sees).toEqual([])
  })
)
