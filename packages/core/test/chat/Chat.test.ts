import { Bot } from "@botmesh/core"
import { TestBot } from "@botmesh/core/testing"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"

it.effect("B9 a handler can send to another chat of its bot", () =>
  Effect.gen(function* () {
    const { person } = yield* TestBot.make(
      Bot.make("desk", [
        Bot.when("alta", (chat) => Effect.andThen(chat.send("boss", `alta de ${chat.from}`), chat.reply("hecho")))
      ])
    )
    const boss = person("boss")
    expect(yield* person("ana").says("alta")).toEqual(["hecho"])
    expect(yield* boss.sees).toEqual(["alta de ana"])
  })
)
