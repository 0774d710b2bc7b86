import { expect, it } from "@effect/vitest"
import { Bot, Flow } from "@botmesh/core"
import { makeInbound, TestBot } from "@botmesh/core/testing"
import { Effect, Schema } from "effect"
import { live, recorded, sharedStore } from "./lives.ts"

const anything = Bot.onMessage((chat) => chat.reply(`nuevo: ${chat.body}`))

/** What the second version of a bot says to `answers`, after the first was left at its first question. */
const upgraded = Effect.fnUntraced(function* (
  before: Bot.Handler<unknown, never>,
  after: Bot.Handler<unknown, never>,
  first: ReadonlyArray<string>,
  answers: ReadonlyArray<string>
) {
  const store = sharedStore()
  const inbound = makeInbound()
  const text = (body: string) => inbound.text({ chat: "ana", body, lang: "es" })
  const one = yield* live(Bot.make("b", [before, anything]), { store })
  for (const body of first) yield* one.person("ana").does(text(body))
  yield* one.stop
  const two = yield* live(Bot.make("b", [after, anything]), { store })
  const events = yield* recorded(two.bot)
  const said: Array<ReadonlyArray<string>> = []
  for (const body of answers) said.push(yield* two.person("ana").does(text(body)))
  yield* two.stop
  const ended = (yield* events).flatMap((event) => (event._tag === "conversation:ended" ? [event.outcome] : []))
  return { said, ended }
})

const flow = <S, E>(self: Flow.Flow<S, E, never>) => Bot.flow(self.pipe(Flow.persistent), { trigger: "go" })
const v1 = flow(
  Flow.make("f").pipe(
    Flow.ask("a", "¿a?"),
    Flow.ask("b", "¿b?"),
    Flow.say(({ a, b }) => `${a}${b}`)
  )
)

it.effect("a step that was put in shifts no conversation", () =>
  Effect.gen(function* () {
    const v2 = flow(
      Flow.make("f").pipe(
        Flow.say("bienvenida"),
        Flow.ask("zero", "¿zero?"),
        Flow.ask("a", "¿a?"),
        Flow.ask("mid", "¿mid?"),
        Flow.ask("b", "¿b?"),
        Flow.say(({ a, mid, b }) => `${a}${mid}${b}`)
      )
    )
    const { said } = yield* upgraded(v1, v2, ["go", "1"], ["2"])
    expect(said).toEqual([["1undefined2"]])
    const at = yield* upgraded(v1, v2, ["go"], ["1", "m", "2"])
    expect(at.said).toEqual([["¿mid?"], ["¿b?"], ["1m2"]])
  })
)

it.effect(
  "a step that is gone, a log that does not match, an answer no longer accepted: dropped, the message is new",
  () =>
    Effect.gen(function* () {
      const gone = flow(Flow.make("f").pipe(Flow.ask("other", "¿otra?")))
      expect(yield* upgraded(v1, gone, ["go"], ["x", "y"])).toEqual({
        said: [["nuevo: x"], ["nuevo: y"]],
        ended: ["changed"]
      })
      const unregistered = Bot.when("nada", (chat) => chat.reply("nada"))
      expect((yield* upgraded(v1, unregistered, ["go"], ["x"])).said).toEqual([["nuevo: x"]])
      const free = (first: string, type: Schema.Decoder<unknown>) =>
        Bot.conversation(
          "go",
          (c) =>
            Effect.gen(function* () {
              yield* c.ask(first, "¿1?", { answer: type })
              yield* c.ask("second", "¿2?")
              yield* c.say("fin")
            }),
          { persistent: true }
        )
      expect(yield* upgraded(free("first", Schema.String), free("renamed", Schema.String), ["go", "x"], ["y"])).toEqual(
        { said: [["nuevo: y"]], ended: ["changed"] }
      )
      expect(yield* upgraded(free("first", Schema.String), free("first", Schema.Int), ["go", "x"], ["y"])).toEqual({
        said: [["nuevo: y"]],
        ended: ["changed"]
      })
      const typed = flow(Flow.make("f").pipe(Flow.ask("a", "¿a?", { answer: Schema.Int }), Flow.ask("b", "¿b?")))
      expect(yield* upgraded(v1, typed, ["go", "x"], ["y"])).toEqual({ said: [["nuevo: y"]], ended: ["changed"] })
    })
)

it.effect("migrate maps the state of an older version", () =>
  Effect.gen(function* () {
    const seen: Array<unknown> = []
    const v2 = flow(
      Flow.make("f").pipe(
        Flow.ask("name", "¿a?"),
        Flow.ask("b", "¿b?"),
        Flow.say(({ name, b }) => `${name}${b}`),
        Flow.migrate((old) => {
          seen.push(old)
          const { a, ...rest } = old.state
          return { ...rest, name: `don ${String(a)}` }
        })
      )
    )
    const { said } = yield* upgraded(v1, v2, ["go", "1"], ["2"])
    expect(said).toEqual([["don 12"]])
    expect(seen).toMatchObject([{ stepId: "b", state: { a: "1" } }])
    expect((yield* upgraded(v2, v2, ["go", "1"], ["2"])).said).toEqual([["12"]])
  })
)

it.effect("dates, numbers and files keep their type over a restart", () =>
  Effect.gen(function* () {
    const typed = Bot.flow(
      Flow.make("f", { input: Schema.Struct({ since: Schema.Date }) }).pipe(
        Flow.ask("n", "¿n?", { answer: Schema.Int }),
        Flow.run("at", () => Effect.succeed(new Date(86_400_000)), { result: Schema.Date }),
        Flow.ask("b", "¿b?"),
        Flow.say(({ n, at, since }) => `${n + 1} ${at.toISOString()} ${since instanceof Date}`),
        Flow.persistent
      )
    )
    const store = sharedStore()
    const inbound = makeInbound()
    const definition = Bot.make("b", [typed])
    const one = yield* live(definition, { store })
    expect(yield* one.bot.trigger("f", { chatId: "ana", data: { since: new Date(0) } })).toMatchObject({
      _tag: "started"
    })
    yield* one.person("ana").does(inbound.text({ chat: "ana", body: "41" }))
    yield* one.stop
    const two = yield* live(definition, { store })
    expect(yield* two.person("ana").does(inbound.text({ chat: "ana", body: "x" }))).toEqual([
      "42 1970-01-02T00:00:00.000Z true"
    ])
    yield* two.stop
  })
)

it.effect(
  "B16: flows are registered, replaced and taken out; live conversations keep the version they began with",
  () =>
    Effect.gen(function* () {
      const plain = (words: string) => Flow.make("f").pipe(Flow.ask("a", "¿a?"), Flow.say(words))
      const { bot, person } = yield* TestBot.make(Bot.make("b", [Bot.flow(plain("v1"), { trigger: "go" }), anything]))
      const ana = person("ana")
      yield* ana.says("go")
      yield* bot.flows.replace(plain("v2"))
      expect(yield* ana.says("x")).toEqual(["v1"])
      yield* ana.says("go")
      expect(yield* ana.says("x")).toEqual(["v2"])
      expect(bot.flows.list()).toEqual([{ id: "f", kind: "flow", steps: 2, persistent: false }])
      const exists = yield* Effect.flip(bot.flows.register(plain("v3")))
      expect(exists.problems).toHaveLength(1)

      // All or nothing: what is not right leaves the old one, its trigger too.
      for (const bad of [Flow.make("f"), Flow.make("f").pipe(Flow.goto("nowhere"))]) {
        expect((yield* Effect.flip(bot.flows.replace(bad))).problems).toHaveLength(1)
        yield* ana.says("go")
        expect(yield* ana.says("x")).toEqual(["v2"])
      }
      yield* bot.flows.register(Flow.make("g").pipe(Flow.say("g")), "otra")
      expect((yield* Effect.flip(bot.flows.replace(plain("v4"), "otra"))).problems).toHaveLength(1)
      yield* ana.says("go")
      expect(yield* ana.says("x")).toEqual(["v2"])
      yield* bot.flows.replace(plain("v5"), "va")
      expect(yield* ana.says("go")).toEqual(["nuevo: go"])
      yield* ana.says("va")
      expect(yield* ana.says("x")).toEqual(["v5"])
      const bad = yield* Effect.flip(bot.flows.register(Flow.make("h").pipe(Flow.goto("nowhere")), "hache"))
      expect(bad.problems).toHaveLength(1)
      expect(bot.flows.has("h")).toBe(false)
      expect(yield* ana.says("hache")).toEqual(["nuevo: hache"])

      yield* ana.says("va")
      expect(yield* bot.flows.unregister("f")).toBe(true)
      expect(yield* bot.flows.unregister("f")).toBe(false)
      expect(yield* ana.says("x")).toEqual(["v5"])
      expect(yield* ana.says("va")).toEqual(["nuevo: va"])
      yield* bot.flows.register(plain("v6"), "va")
      yield* ana.says("va")
      expect(yield* ana.says("x")).toEqual(["v6"])
    })
)

it.effect("B16: a checkpoint of a replaced flow resumes on the new steps by step id", () =>
  Effect.gen(function* () {
    const store = sharedStore()
    const inbound = makeInbound()
    const text = (body: string) => inbound.text({ chat: "ana", body })
    const definition = Bot.make("b", [v1, anything])
    const one = yield* live(definition, { store })
    yield* one.person("ana").does(text("go"))
    yield* one.stop
    const two = yield* live(definition, { store })
    yield* two.bot.flows.replace(
      Flow.make("f").pipe(
        Flow.ask("a", "¿a?"),
        Flow.say(({ a }) => `nueva ${a}`),
        Flow.persistent
      )
    )
    expect(yield* two.person("ana").does(text("1"))).toEqual(["nueva 1"])
    yield* two.stop
  })
)
