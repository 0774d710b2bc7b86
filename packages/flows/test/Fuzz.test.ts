import { describe, expect, it } from "@effect/vitest"
import { Bot } from "@botmesh/core"
import { TestBot } from "@botmesh/core/testing"
import { compile } from "@botmesh/flows"
import { Effect } from "effect"
import { Dice } from "./kit/Dice.ts"
import { fuzz, problemWith } from "./kit/Fuzz.ts"
import { around, someDocument } from "./kit/Generate.ts"

describe("E7: documents by chance (pnpm --filter @botmesh/flows fuzz runs ten times as many)", () => {
  it("10,000 valid ones compile, and nothing about them differs", () => {
    expect(fuzz("valid", 1, 10_000, 8)).toEqual([])
  }, 120_000)
  it("10,000 changed ones crash nothing, and every issue names its place", () => {
    expect(fuzz("mutated", 1_000_000, 10_000, 8)).toEqual([])
  }, 120_000)
  it("the checker sees what it is there for", () => {
    expect(problemWith({ version: 2, id: "a", steps: [] }, true)).toContain("a valid document is refused")
  })
  it.effect("what compiles is taken by a bot", () =>
    Effect.gen(function* () {
      const { bot } = yield* TestBot.make(Bot.make("fuzz", []))
      const others = yield* Effect.forEach(around, (document) => compile(document))
      for (const { flow } of others) yield* bot.flows.register(flow)
      for (let seed = 1; seed <= 300; seed++) {
        const { flow, id, trigger } = yield* compile(someDocument(new Dice(seed)), { flows: around })
        yield* bot.flows.register(flow, trigger)
        expect(yield* bot.flows.unregister(id)).toBe(true)
      }
    })
  )
})
