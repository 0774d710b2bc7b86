/** Answers and keys that are also names of what every object has. */
import { Bot, Flow } from "@botmesh/core"
import { TestBot } from "@botmesh/core/testing"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { live, sharedStore } from "./lives.ts"

for (const word of ["constructor", "__proto__", "toString", "hasOwnProperty", "nada"]) {
  it.effect(`B3: "${word}" as an answer takes no branch, and the flow goes on`, () =>
    Effect.gen(function* () {
      const flow = Flow.make("f").pipe(
        Flow.ask("word", "¿Palabra?"),
        Flow.match("word", { uno: Flow.say("rama uno") }),
        Flow.say("después")
      )
      const { person } = yield* TestBot.make(Bot.make("b", [Bot.flow(flow, { trigger: "go" })]))
      yield* person("ana").says("go")
      expect(yield* person("ana").says(word)).toEqual(["después"])
      yield* person("ana").says("go")
      expect(yield* person("ana").says("uno")).toEqual(["rama uno", "después"])
    })
  )
}

it.effect("B3: a branch may have such a name", () =>
  Effect.gen(function* () {
    const flow = Flow.make("f").pipe(
      Flow.ask("word", "¿Palabra?"),
      Flow.match("word", { ["__proto__"]: Flow.say("proto"), constructor: Flow.say("constructor") }),
      Flow.say("después")
    )
    const { person } = yield* TestBot.make(Bot.make("b", [Bot.flow(flow, { trigger: "go" })]))
    for (const [word, said] of [
      ["__proto__", "proto"],
      ["constructor", "constructor"]
    ] as const) {
      yield* person("ana").says("go")
      expect(yield* person("ana").says(word)).toEqual([said, "después"])
    }
  })
)

it.effect("B5, R22: a state key may have such a name, and survives a restart", () =>
  Effect.gen(function* () {
    const flow = Flow.make("f").pipe(
      Flow.ask("__proto__", "¿p?"),
      Flow.ask("constructor", "¿c?"),
      Flow.ask("z", "¿z?"),
      Flow.do("seen", (c) => Effect.succeed(Object.entries(c.state).join(" "))),
      Flow.say(({ seen }) => seen),
      Flow.persistent
    )
    const bot = Bot.make("b", [Bot.flow(flow, { trigger: "go" })])
    const store = sharedStore()
    const one = yield* live(bot, { store })
    for (const word of ["go", "pp", "cc"]) yield* one.person("ana").says(word)
    yield* one.stop
    const two = yield* live(bot, { store })
    expect(yield* two.person("ana").says("zz")).toEqual(["__proto__,pp constructor,cc z,zz"])
    yield* two.stop
  })
)
