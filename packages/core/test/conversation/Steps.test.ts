import { expect, it } from "@effect/vitest"
import { Bot, Flow } from "@botmesh/core"
import { TestBot } from "@botmesh/core/testing"
import { Effect } from "effect"

it.effect("B3: a set step keeps what it makes of the state, and steps see the message that is handled", () =>
  Effect.gen(function* () {
    const flow = Flow.make("sum").pipe(
      Flow.ask("name", "¿Nombre?"),
      Flow.set("hello", ({ name }, { chat }) => `${name} de ${chat.from}`),
      Flow.say(({ hello }, { chat }) => `${hello}: ${chat.body}`)
    )
    const { person } = yield* TestBot.make(Bot.make("b", [Bot.flow(flow, { trigger: "suma" })]))
    const ana = person("ana")
    yield* ana.says("suma")
    expect(yield* ana.says(" Ana ")).toEqual(["Ana de ana:  Ana "])
  })
)

it.effect("B16: a flow of data runs like one of the DSL, under the ids its steps name", () =>
  Effect.gen(function* () {
    const steps: ReadonlyArray<Flow.Step> = [
      { _tag: "say", id: "hi", content: "Hola" },
      { _tag: "set", id: "in:x", key: "x", value: () => 1 },
      {
        _tag: "branch",
        id: "fork",
        name: "if",
        pick: (state: Flow.State) => (state["x"] === 1 ? "one" : "other"),
        branches: { one: [{ _tag: "say", content: "uno" }], other: [] }
      },
      { _tag: "end", id: "bye", text: "Adiós" }
    ]
    const flow = Flow.fromSteps("data", steps)
    expect(Flow.outline(flow).steps).toEqual([
      { id: "hi", kind: "say", key: undefined },
      { id: "in:x", kind: "set", key: "x" },
      { id: "fork", kind: "branch", key: undefined },
      { id: "bye", kind: "end", key: undefined },
      { id: "fork/one/>say", kind: "say", key: undefined }
    ])
    const trigger = ["datos", { pattern: "dato", match: "startsWith" as const }]
    const { bot, person } = yield* TestBot.make(Bot.make("b", []))
    yield* bot.flows.register(flow, trigger)
    const ana = person("ana")
    expect(yield* ana.says("datos")).toEqual(["Hola", "uno", "Adiós"])
    expect(yield* ana.says("dato suelto")).toEqual(["Hola", "uno", "Adiós"])
    expect(Flow.outline(Flow.fromSteps("data", steps.slice(1))).version).not.toBe(Flow.outline(flow).version)
  })
)
