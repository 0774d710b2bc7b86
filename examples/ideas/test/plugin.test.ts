import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestBot } from "@botmesh/core/testing"
import { Bot } from "@botmesh/core"
import { Dictionary, layer, plugins, translator } from "../src/plugin.ts"

it.effect("plugin: brings its handlers", () =>
  Effect.gen(function* () {
    const { person } = yield* TestBot.make(plugins)
    const ana = person("ana")
    expect(yield* ana.says("/translate casa")).toEqual(["house"])
    expect(yield* ana.says("what is perro")).toEqual(["dog"])
    expect(yield* ana.says("hm")).toEqual(["Try /translate casa"])
  }).pipe(Effect.provide(layer))
)

it.effect("plugin: unplugging takes the handlers out and closes what it opened", () => {
  let open = 0
  const counted = {
    open: Effect.sync(() => {
      open++
      return (word: string) => word
    }),
    close: Effect.sync(() => {
      open--
    })
  }
  return Effect.gen(function* () {
    const { bot, person } = yield* TestBot.make(Bot.make("bare", [Bot.onMessage((chat) => chat.reply("nothing"))]))
    const ana = person("ana")
    const { unplug } = yield* bot.plug(translator)
    expect(yield* ana.says("/translate a")).toEqual(["a"])
    expect(open).toBe(1)
    yield* unplug
    expect(yield* ana.says("/translate a")).toEqual(["nothing"])
    expect(open).toBe(0)
  }).pipe(Effect.provideService(Dictionary, counted))
})
