import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Bot, Flow } from "../../src/index.ts"
import { halt, run } from "../kit/Engine.ts"

describe("B18 triggers queued behind a conversation", () => {
  for (const persistent of [true, false]) {
    it.effect(
      `B18 I24 a stop tells each that will not start any more${persistent ? ", its conversation stored" : ""}`,
      () =>
        Effect.gen(function* () {
          const asks = Flow.make("asks").pipe(Flow.ask("a", "A?"))
          const { bot, events, says, texts } = yield* run(
            Bot.make("shop", [
              Bot.flow(persistent ? Flow.persistent(asks) : asks, { trigger: "go" }),
              Bot.flow(Flow.make("later").pipe(Flow.say("later")))
            ])
          )
          yield* says("ana", "go")
          for (const _ of [1, 2]) {
            expect(yield* bot.trigger("later", { chatId: "ana", ifActive: "queue" })).toEqual({ _tag: "queued" })
          }
          yield* halt(bot)
          const told = yield* events.of("error")
          expect(told.map(({ error, where }) => [where, error])).toMatchObject([
            ["queued trigger later", { _tag: "LeaseLostError", key: "ana" }],
            ["queued trigger later", { _tag: "LeaseLostError", key: "ana" }]
          ])
          expect(texts("ana")).toEqual(["A?"])
        })
    )
  }
})
