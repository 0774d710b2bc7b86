import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestBot } from "@botmesh/core/testing"
import { shop, support } from "../src/two-bots.ts"

it.effect("two-bots: each is found by its definition", () =>
  Effect.gen(function* () {
    const one = yield* TestBot.make(shop)
    const two = yield* Effect.provideService(TestBot.make(support), shop, one.bot)
    expect(yield* one.person("ana").says("hola")).toEqual(["Shop: hola"])
    expect(yield* two.person("ana").says("hola")).toEqual(["Support: hola"])
    yield* two.person("agent").says("/tell ana your parcel is here")
    expect(yield* one.person("ana").sees).toEqual(["your parcel is here"])
  })
)
