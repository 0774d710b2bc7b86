import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestBot } from "@botmesh/core/testing"
import { languages } from "../src/languages.ts"

it.effect("languages: stored, reported, guessed, default", () =>
  Effect.gen(function* () {
    const { person } = yield* TestBot.make(languages)
    expect(yield* person("ana").says("hello")).toEqual(["🤖 Hello ana"])
    expect(yield* person("ana").says("¡hola!")).toEqual([])
    expect(yield* person("luis", { lang: "es-CO" }).says(" hello ")).toEqual(["🤖 Hola luis"])
    const eva = person("eva", { lang: "en" })
    expect(yield* eva.says("/lang es")).toEqual(["🤖 Desde ahora en español"])
    expect(yield* eva.says("hello")).toEqual(["🤖 Hola eva"])
  })
)

it.effect("languages: a before hook ends what it does not let through", () =>
  Effect.gen(function* () {
    const { bot, person } = yield* TestBot.make(languages)
    expect(yield* person("ana").says("win at the casino")).toEqual([])
    expect(bot.metrics.snapshot().dropped["stopped-by-hook"]).toBe(1)
  })
)
