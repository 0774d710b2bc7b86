/** A flow that only waits holds no fiber; what ends its wait goes on as if it had held one. */
import { Bot, Flow } from "@botmesh/core"
import { TestBot } from "@botmesh/core/testing"
import { expect, it } from "@effect/vitest"
import { Effect, Metric, Schema } from "effect"
import { TestClock } from "effect/testing"

const fibers = Effect.map(Metric.snapshot, (all) => {
  const found = all.find(({ id }) => id === "child_fibers_active")
  return found?.type === "Gauge" ? Number(found.state.value) : Number.NaN
})

const chats = Array.from({ length: 20 }, (_, n) => `chat${n}`)

it.effect("a parked flow holds no fiber, whatever it waits for; a free-form conversation holds one", () =>
  Effect.gen(function* () {
    const { bot, person } = yield* TestBot.make(
      Bot.make("b", [
        Bot.flow(Flow.make("pregunta").pipe(Flow.ask("a", "¿a?")), { trigger: "pregunta" }),
        Bot.flow(Flow.make("otra").pipe(Flow.ask("a", "¿a?")), { trigger: "otra" }),
        Bot.flow(Flow.make("menu").pipe(Flow.choose("a", "¿a?", { x: "X", y: "Y" })), { trigger: "menu" }),
        Bot.flow(Flow.make("pausa").pipe(Flow.delay("1h")), { trigger: "pausa" }),
        Bot.flow(Flow.make("libre").pipe(Flow.do("d", (c) => c.ask("a", "¿a?"))), { trigger: "libre" })
      ])
    )
    const started = (word: string) =>
      Effect.gen(function* () {
        const before = yield* fibers
        for (const chat of chats) yield* person(`${chat}-${word}`).says(word)
        yield* bot.settled
        return (yield* fibers) - before
      })
    // The first deadline of all sets the wheel going, which is a fiber of its own.
    yield* person("eva").says("pausa")
    yield* started("pregunta")
    expect(yield* started("pausa")).toBe(0)
    expect(yield* started("otra")).toBe(0)
    expect(yield* started("menu")).toBe(0)
    expect(yield* started("libre")).toBe(chats.length)
    expect(bot.conversations.list()).toHaveLength(5 * chats.length + 1)
  }).pipe(Effect.provide(Metric.enableRuntimeMetricsLayer))
)

it.effect("a step that rests is made once: its texts and its computed menu are not made again for an answer", () =>
  Effect.gen(function* () {
    const made: Array<string> = []
    const note = (what: string) => {
      made.push(what)
      return what
    }
    const flow = Flow.make("f").pipe(
      Flow.ask("edad", () => note("¿Edad?"), { answer: Schema.Int, invalid: "Un número" }),
      Flow.choose(
        "plan",
        () => note("¿Plan?"),
        () => Effect.sync(() => [{ key: note("pro"), label: "Pro", value: "pro" }])
      ),
      Flow.say(({ edad, plan }) => `${edad} ${plan}`)
    )
    const { person } = yield* TestBot.make(Bot.make("b", [Bot.flow(flow, { trigger: "go" })]))
    const ana = person("ana")
    expect(yield* ana.says("go")).toEqual(["¿Edad?"])
    expect(yield* ana.says("mucha")).toEqual(["Un número"])
    expect(yield* ana.says("31")).toEqual(["¿Plan?"])
    yield* ana.says("no sé")
    expect(yield* ana.says("pro")).toEqual(["31 pro"])
    expect(made).toEqual(["¿Edad?", "pro", "¿Plan?"])
  })
)

it.effect("answers count no step twice, and reminder, deadline and going back find the flow where it rests", () =>
  Effect.gen(function* () {
    const flow = Flow.make("f").pipe(
      Flow.ask("a", "¿a?", { answer: Schema.Int, invalid: "no", idle: { after: "1m", say: "¿sigues?" } }),
      Flow.ask("b", "¿b?", { timeout: "5m", onTimeout: { say: "tarde" } }),
      Flow.say("fin")
    )
    const { bot, person } = yield* TestBot.make(
      Bot.make("b", [Bot.flow(flow, { trigger: "go" })], { limits: { steps: 2 } })
    )
    const ana = person("ana")
    yield* ana.says("go")
    for (let n = 0; n < 5; n++) expect(yield* ana.says("x")).toEqual(["no"])
    yield* TestClock.adjust("1 minute")
    yield* bot.settled
    expect(yield* ana.sees).toEqual(["¿sigues?"])
    yield* TestClock.adjust("1 minute")
    yield* bot.settled
    expect(yield* ana.sees).toEqual([])
    expect(yield* ana.says("1")).toEqual(["¿b?"])
    expect(yield* ana.says("back")).toEqual(["¿a?"])
    expect(yield* ana.says("2")).toEqual(["¿b?"])
    yield* TestClock.adjust("5 minutes")
    yield* bot.settled
    expect(yield* ana.sees).toEqual(["tarde"])
    expect(bot.conversations.timers()).toBe(0)
  })
)

it.effect("R17 a question asked where nothing can interrupt it does not outlive its conversation", () =>
  Effect.gen(function* () {
    const ends: Array<string> = []
    const { bot, person } = yield* TestBot.make(
      Bot.make("b", [
        Bot.conversation("terca", (c) =>
          Effect.uninterruptible(c.ask("a", "¿a?")).pipe(Effect.ensuring(Effect.sync(() => ends.push("end"))))
        )
      ])
    )
    yield* person("ana").says("terca")
    expect(yield* bot.conversations.abort("ana")).toBe(true)
    yield* bot.settled
    expect(ends).toEqual(["end"])
    expect(yield* person("ana").says("terca")).toEqual(["¿a?"])
  })
)
