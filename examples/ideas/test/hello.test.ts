/** A test of a bot is what people say and what it answers. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestBot } from "@botmesh/core/testing"
import { hello } from "../src/hello.ts"

it.effect("hello: texts, patterns, commands and the rest", () =>
  Effect.gen(function* () {
    const { person } = yield* TestBot.make(hello)
    const ana = person("ana")
    expect(yield* ana.says("  Hóla ")).toEqual(["👋 ¡Hola!"])
    expect(yield* ana.says("hola amigo")).toEqual(["I did not understand"])
    expect(yield* ana.says("Order 12")).toEqual(["Order 12 is on its way"])
    expect(yield* ana.says("/echo one two")).toEqual(["one two"])
    expect(yield* ana.says("/echo")).toEqual(["Say something"])
  })
)
