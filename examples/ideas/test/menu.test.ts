import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestBot } from "@botmesh/core/testing"
import { menu } from "../src/menu.ts"

it.effect("menu: a choice by button, label or number", () =>
  Effect.gen(function* () {
    const { person } = yield* TestBot.make(menu)
    const ana = person("ana")
    yield* ana.says("book")
    expect(yield* ana.says("TOMORROW")).toEqual(["What time?"])
    expect(yield* ana.says("2")).toEqual(["Booked: tomorrow at 10"])
    yield* ana.says("book")
    yield* ana.seesContents
    yield* ana.presses("today")
    expect(yield* ana.presses("18")).toEqual(["Booked: today at 18"])
  })
)

it.effect("menu: a text that is no option is asked again, with the menu", () =>
  Effect.gen(function* () {
    const { mock, person } = yield* TestBot.make(menu)
    const ana = person("ana")
    yield* ana.says("book")
    expect(yield* ana.says("next year")).toEqual(["Please choose one of the options."])
    expect(mock.sent().at(-1)?.message.content).toMatchObject({ _tag: "choices", options: [{ key: "today" }, {}] })
  })
)

it.effect("menu: buttons outside of a conversation", () =>
  Effect.gen(function* () {
    const { person } = yield* TestBot.make(menu)
    const ana = person("ana")
    yield* ana.says("help")
    expect(yield* ana.presses("hours")).toEqual(["We open at nine"])
    expect(yield* ana.presses("human")).toEqual(["Somebody will write to you"])
  })
)
