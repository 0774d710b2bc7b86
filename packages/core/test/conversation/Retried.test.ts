import { Bot, Flow } from "@botmesh/core"
import { TestBot } from "@botmesh/core/testing"
import { Transient, Unreachable } from "@botmesh/core/spi"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"

const signUp = Flow.make("registrar").pipe(Flow.ask("name", "¿Nombre?"), Flow.ask("age", "¿Edad?"), Flow.say("Listo"))
const definition = (persistent: boolean) =>
  Bot.make("shop", [
    Bot.flow(persistent ? Flow.persistent(signUp) : signUp, { trigger: "registrar" }),
    Bot.onMessage((chat) => chat.reply("¿Cómo?"))
  ])

for (const persistent of [true, false]) {
  const kind = persistent ? "persistent" : "plain"
  it.effect(`R16 a send the transport could not take is tried again by the step, not the end of it (${kind})`, () =>
    Effect.gen(function* () {
      const { bot, mock, person, settled } = yield* TestBot.make(definition(persistent))
      const errors = yield* Effect.forkChild(
        bot.events.pipe(
          Stream.filter((event) => event._tag === "error"),
          Stream.take(2),
          Stream.runCollect
        ),
        { startImmediately: true }
      )
      const ana = person("ana")
      yield* ana.says("registrar")
      yield* mock.faults.fail(new Transient({ detail: "down" }), 2)
      expect(yield* ana.says("Ana")).toEqual([])
      yield* TestClock.adjust("1 second")
      yield* settled
      expect(yield* ana.sees).toEqual([])
      yield* TestClock.adjust("2 seconds")
      yield* settled
      expect(yield* ana.sees).toEqual(["¿Edad?"])
      expect(yield* ana.says("31")).toEqual(["Listo"])
      expect(yield* Fiber.join(errors)).toHaveLength(2)
      expect(bot.metrics.snapshot().conversationsEnded).toMatchObject({ done: 1, failed: 0 })
    })
  )
}

it.effect("R16 what trying again cannot mend ends the conversation at once", () =>
  Effect.gen(function* () {
    const { bot, mock, person } = yield* TestBot.make(definition(true))
    const ana = person("ana")
    yield* ana.says("registrar")
    yield* mock.faults.fail(new Unreachable({ detail: "blocked" }), 1)
    yield* ana.says("Ana")
    expect(bot.metrics.snapshot().conversationsEnded).toMatchObject({ failed: 1 })
  })
)

it.effect("R16 a transport that stays down ends the conversation after the tries, with its error", () =>
  Effect.gen(function* () {
    const { bot, mock, person, settled } = yield* TestBot.make(definition(true))
    const ana = person("ana")
    yield* ana.says("registrar")
    yield* mock.faults.fail(new Transient({ detail: "down" }), 1000)
    yield* ana.says("Ana")
    for (let minute = 0; minute < 10; minute++) {
      yield* TestClock.adjust("1 minute")
      yield* settled
    }
    expect(bot.metrics.snapshot().conversationsEnded).toMatchObject({ failed: 1 })
    expect(bot.metrics.snapshot().errors).toBeGreaterThanOrEqual(8)
  })
)
