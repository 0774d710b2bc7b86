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
        Flow.match("word", { uno: (f) => f.pipe(Flow.say("rama uno")) }),
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

for (const word of ["__proto__", "constructor"] as const) {
  it.effect(`B3: a branch may be called "${word}"`, () =>
    Effect.gen(function* () {
      const branches = Object.fromEntries([
        [word, (f: Flow.Flow<{ word: string }, never, never>) => f.pipe(Flow.say("rama"))]
      ])
      const flow = Flow.make("f").pipe(Flow.ask("word", "¿Palabra?"), Flow.match("word", branches), Flow.say("después"))
      const { person } = yield* TestBot.make(Bot.make("b", [Bot.flow(flow, { trigger: "go" })]))
      yield* person("ana").says("go")
      expect(yield* person("ana").says(word)).toEqual(["rama", "después"])
    })
  )
}

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
