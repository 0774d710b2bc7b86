import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Bot, Flow } from "../../src/index.ts"
import { LastFence } from "../../src/memory/LocalCoordinator.ts"
import { sharedStore } from "../conversation/lives.ts"
import { run } from "../kit/Engine.ts"

const flow = Flow.make("f").pipe(
  Flow.ask("a", "A?", { timeout: "2h" }),
  Flow.ask("b", "B?"),
  Flow.say(({ a, b }) => `done ${a} ${b}`),
  Flow.persistent
)
const definition = Bot.make("shop", [
  Bot.flow(flow, { trigger: "go" }),
  Bot.onMessage((chat) => chat.reply(`eco ${chat.body}`))
])
/** A process of its own: its counter of fences starts anew. */
const process = <A, E, R>(life: Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.suspend(() => Effect.provideService(life, LastFence, { value: 0 })))

describe("R19 a wall clock set back between two lives", () => {
  it.effect("R19 stored conversations go on, cleared ones begin anew: nobody is mute", () =>
    Effect.gen(function* () {
      const store = sharedStore()
      yield* process(
        Effect.gen(function* () {
          yield* TestClock.adjust("1 hour")
          const { says } = yield* run(definition, { store })
          for (const chat of ["ana", "bea"]) expect(yield* says(chat, "go")).toEqual(["A?"])
          expect(yield* says("bea", "1")).toEqual(["B?"])
          expect(yield* says("bea", "2")).toEqual(["done 1 2"])
        })
      )
      yield* TestClock.setTime(0)
      yield* process(
        Effect.gen(function* () {
          const { bot, events, says } = yield* run(definition, { store })
          expect(yield* says("ana", "1")).toEqual(["B?"])
          expect(yield* says("ana", "2")).toEqual(["done 1 2"])
          expect(yield* says("bea", "go")).toEqual(["A?"])
          expect(yield* says("bea", "1")).toEqual(["B?"])
          expect(yield* events.of("error")).toEqual([])
          expect(bot.metrics.snapshot().checkpointsRefused).toBe(0)
        })
      )
    })
  )

  it.effect("R19 C23 a dormant one wakes at its deadline and is cleared", () =>
    Effect.gen(function* () {
      const store = sharedStore()
      yield* process(
        Effect.gen(function* () {
          yield* TestClock.adjust("1 hour")
          const { says } = yield* run(definition, { store })
          expect(yield* says("ana", "go")).toEqual(["A?"])
        })
      )
      yield* TestClock.setTime(0)
      yield* process(
        Effect.gen(function* () {
          const { bot, events } = yield* run(definition, { store })
          yield* TestClock.adjust("4 hours")
          yield* bot.settled
          expect(yield* events.of("conversation:ended")).toMatchObject([{ key: "ana", outcome: "timeout" }])
          expect(bot.metrics.snapshot().checkpointsRefused).toBe(0)
        })
      )
    })
  )
})
