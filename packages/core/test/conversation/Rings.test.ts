/** Flows that turn in a ring with pauses too short to be waits. */
import { Bot, Flow } from "@botmesh/core"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { breathe, run } from "../kit/Engine.ts"

for (const persistent of [true, false]) {
  it.effect(
    `DOC-01: a ring of gotos with a short delay ends with one error, over cuts (persistent ${persistent})`,
    () =>
      Effect.gen(function* () {
        const ring = Flow.make("ring").pipe(Flow.say("otra"), Flow.delay("1s"), Flow.goto("ring"))
        const bot = yield* run(
          Bot.make(
            "b",
            [
              Bot.flow(persistent ? Flow.persistent(ring) : ring, { trigger: "go" }),
              Bot.onMessage((chat) => chat.reply("eco"))
            ],
            { settle: "1m", apology: false }
          )
        )
        yield* bot.mock.deliver(bot.inbound.text({ chat: "ana", body: "go" }))
        yield* TestClock.adjust("1 hour")
        yield* breathe
        expect(bot.texts("ana").length).toBe(101)
        expect(bot.bot.conversations.list()).toEqual([])
        expect((yield* bot.events.of("conversation:ended")).map(({ outcome }) => outcome)).toEqual(["failed"])
        expect(yield* bot.events.of("error")).toHaveLength(1)
        expect((yield* bot.events.of("suspended")).length).toBeGreaterThan(0)
        expect(yield* bot.says("ana", "hola")).toEqual(["eco"])
      })
  )
}

it.effect("DOC-01: a question or a long sleep makes the count begin again", () =>
  Effect.gen(function* () {
    const asks = Flow.make("asks").pipe(Flow.ask("a", "¿a?"), Flow.goto("asks"))
    const naps = Flow.make("naps").pipe(Flow.say("hola"), Flow.delay("1m"), Flow.goto("naps"))
    const bot = yield* run(
      Bot.make("b", [Bot.flow(asks, { trigger: "asks" }), Bot.flow(naps, { trigger: "naps" })], {
        limits: { gotos: 3 }
      })
    )
    yield* bot.says("ana", "asks")
    for (let i = 0; i < 10; i++) expect(yield* bot.says("ana", "sí")).toEqual(["¿a?"])
    yield* bot.says("eva", "naps")
    for (let i = 0; i < 10; i++) yield* TestClock.adjust("1 minute")
    yield* breathe
    expect(bot.texts("eva")).toHaveLength(11)
    expect(yield* bot.events.of("error")).toEqual([])
  })
)
