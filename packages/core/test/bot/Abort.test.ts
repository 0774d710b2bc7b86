import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Bot, Flow } from "../../src/index.ts"
import { breathe, run } from "../kit/Engine.ts"

describe("R18 abort inside a turn of another key", () => {
  it.effect("R18 two handlers that end each other's conversation do not wait for one another", () =>
    Effect.gen(function* () {
      let abort: (key: string) => Effect.Effect<boolean> = () => Effect.succeed(false)
      const both = yield* Deferred.make<void>()
      let inside = 0
      const { bot, events, inbound, mock, texts } = yield* run(
        Bot.make("shop", [
          Bot.when(/abort (\w+)/u, (chat) =>
            Effect.gen(function* () {
              if (++inside === 2) yield* Deferred.succeed(both, undefined)
              yield* Deferred.await(both)
              yield* chat.reply(`asked ${yield* abort(chat.match?.[1] ?? "")}`)
            })
          )
        ])
      )
      abort = (key) => Effect.orDie(bot.conversations.abort(key))
      yield* mock.deliver(inbound.text({ chat: "ana", body: "abort bea" }))
      yield* mock.deliver(inbound.text({ chat: "bea", body: "abort ana" }))
      yield* bot.settled
      expect([texts("ana"), texts("bea")]).toEqual([["asked true"], ["asked true"]])
      expect(yield* events.of("suspended")).toEqual([])
    })
  )

  it.effect("R18 what was asked for is done once the other key is free", () =>
    Effect.gen(function* () {
      let abort: (key: string) => Effect.Effect<boolean> = () => Effect.succeed(false)
      const { bot, inbound, mock, says, texts } = yield* run(
        Bot.make("shop", [
          Bot.flow(Flow.make("f").pipe(Flow.ask("a", "A?")), { trigger: "go" }),
          Bot.command("slow", (chat) => Effect.andThen(Effect.sleep("5 seconds"), chat.reply("slow"))),
          Bot.when("end", (chat) => Effect.flatMap(abort("bea"), (asked) => chat.reply(`asked ${asked}`)))
        ])
      )
      abort = (key) => Effect.orDie(bot.conversations.abort(key))
      yield* says("bea", "go")
      yield* mock.deliver(inbound.text({ chat: "bea", body: "/slow" }))
      yield* mock.deliver(inbound.text({ chat: "ana", body: "end" }))
      yield* breathe
      expect(texts("ana")).toEqual(["asked true"])
      expect(bot.conversations.list()).toHaveLength(1)
      yield* TestClock.adjust("5 seconds")
      yield* bot.settled
      expect(bot.conversations.list()).toEqual([])
    })
  )
})
