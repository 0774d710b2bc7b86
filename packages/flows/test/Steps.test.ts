import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { ask, botOf, documentNamed, documentOf, say, sharedStore } from "./kit/Documents.ts"

describe("E2: the seven basic steps", () => {
  it.effect("the survey of version 1, from end to end", () =>
    Effect.gen(function* () {
      const bye = { version: 2, id: "despedida", steps: [say("Hasta luego")] }
      const { person } = yield* botOf([documentNamed("version-1"), bye])
      const ana = person("ana", { lang: "es" })
      expect(yield* ana.says("Encuesta, por favor")).toEqual(["Hola ana", "¿Tu nombre?"])
      expect(yield* ana.says("A")).toEqual(["Muy corto, intenta de nuevo"])
      expect(yield* ana.says("Ana")).toEqual(["¿Tu edad?"])
      expect(yield* ana.says("17")).toEqual(["Esa respuesta no es válida. Inténtalo otra vez, por favor."])
      expect(yield* ana.says("31")).toEqual(["¿Plan para Ana?"])
      // A short delay keeps the turn.
      const chosen = yield* Effect.forkChild(ana.says("1"))
      yield* TestClock.adjust("2 seconds")
      expect(yield* Fiber.join(chosen)).toEqual(["Pro, pues", "Buena elección, Ana (31)"])
    })
  )
  it.effect("a branch of an option goes to another flow", () =>
    Effect.gen(function* () {
      const bye = { version: 2, id: "despedida", steps: [say("Hasta luego")] }
      const { person } = yield* botOf([documentNamed("version-1"), bye])
      const ana = person("ana")
      yield* ana.says("sondeo")
      yield* ana.says("Ana")
      yield* ana.says("31")
      expect(yield* ana.says("ninguno")).toEqual(["Hasta luego"])
    })
  )
  it.effect("maxAttempts counts all answers, retries those after the first", () =>
    Effect.gen(function* () {
      const never = { expr: "false", message: "no" }
      const three = documentOf([ask("a", { maxAttempts: 3, validate: never })], { id: "three", trigger: "three" })
      const two = documentOf([ask("a", { retries: 1, validate: never })], { id: "two", trigger: "two" })
      const { bot, person } = yield* botOf([three, two])
      const ana = person("ana")
      yield* ana.says("three")
      expect(yield* ana.says("x")).toEqual(["no"])
      expect(yield* ana.says("x")).toEqual(["no"])
      expect(yield* ana.says("x")).not.toEqual(["no"])
      yield* ana.says("two")
      expect(yield* ana.says("x")).toEqual(["no"])
      expect(yield* ana.says("x")).not.toEqual(["no"])
      expect(bot.metrics.snapshot().conversationsEnded).toMatchObject({ "gave-up": 2 })
    })
  )
  it.effect("answers are read by their type, and a validation sees them under their key", () =>
    Effect.gen(function* () {
      const { person } = yield* botOf([
        documentOf([
          ask("age", { answer: "integer", validate: { expr: "age >= 18 && $answer != '99'", message: "18+" } }),
          ask("yes", { answer: "boolean" }),
          ask("day", { answer: "date" }),
          ask("price", { answer: "number" }),
          {
            kind: "condition",
            if: "yes && day > '2026-01-01'",
            then: [say("{{ age }} {{ yes }} {{ day }} {{ price }}")]
          }
        ])
      ])
      const ana = person("ana", { lang: "en" })
      yield* ana.says("go")
      expect(yield* ana.says("17")).toEqual(["18+"])
      expect(yield* ana.says("99")).toEqual(["18+"])
      yield* ana.says("٣١")
      yield* ana.says("yes")
      yield* ana.says("31/12/2026")
      expect(yield* ana.says("3,5")).toEqual(["31 true 2026-12-31 3.5"])
    })
  )
  it.effect("goto brings values along, end says a last word", () =>
    Effect.gen(function* () {
      const one = documentOf([ask("name"), { kind: "goto", target: "two", inputs: { who: "upper(name)", n: "1 + 1" } }])
      const two = {
        version: 2,
        id: "two",
        inputs: ["who", "n"],
        steps: [say("{{ who }} {{ n }} {{ name }}"), { kind: "end", text: "Adiós, {{ who }}" }, say("nunca")]
      }
      const { person } = yield* botOf([one, two])
      const ana = person("ana")
      yield* ana.says("go")
      expect(yield* ana.says("Ana")).toEqual(["ANA 2 ", "Adiós, ANA"])
    })
  )
  it.effect("a question waits as long as its own timeout, or the flow's", () =>
    Effect.gen(function* () {
      const { bot, person, settled } = yield* botOf([
        documentOf([ask("a", { timeout: "1m" }), ask("b")], { timeout: "1h" })
      ])
      const ana = person("ana")
      yield* ana.says("go")
      yield* TestClock.adjust("61 seconds")
      yield* settled
      expect(bot.metrics.snapshot().conversationsEnded).toMatchObject({ timeout: 1 })
      yield* ana.says("go")
      yield* ana.says("x")
      yield* TestClock.adjust("59 minutes")
      yield* settled
      expect(bot.conversations.list()).toHaveLength(1)
      yield* TestClock.adjust("61 seconds")
      yield* settled
      expect(bot.metrics.snapshot().conversationsEnded).toMatchObject({ timeout: 2 })
    })
  )
  it.effect("a trigger keeps its scope", () =>
    Effect.gen(function* () {
      const dm = documentOf([say("dm {{ $isGroup }}")], { id: "dm", trigger: { keywords: "hola", scope: "dm" } })
      const group = documentOf([say("group {{ $sender }} {{ $from }}")], {
        id: "group",
        trigger: { keywords: ["hola"], match: "contains", scope: "group" }
      })
      const { person } = yield* botOf([dm, group])
      expect(yield* person("ana").says("hola")).toEqual(["dm false"])
      expect(yield* person("ana", { chat: "g" }).says("hola a todos")).toEqual(["group ana g"])
      expect(yield* person("eva").says("hola a todos")).toEqual([])
    })
  )
})

it.effect("DOC-09: what a person writes is never expanded, through subflows and gotos too", () =>
  Effect.gen(function* () {
    const evil = "{{ $from }} {{ secreto }}"
    const child = {
      version: 2,
      id: "child",
      inputs: ["who"],
      steps: [say("child {{ who }}"), ask("x"), say("{{ x }}")]
    }
    const last = { version: 2, id: "last", inputs: ["who"], steps: [say("last {{ who }}")] }
    const parent = documentOf(
      [
        ask("name"),
        say("Hola {{ name }}"),
        { kind: "subflow", flow: "child", inputs: { who: "name" } },
        { kind: "goto", target: "last", inputs: { who: "'<' + name + '>'" } }
      ],
      { inputs: ["secreto"] }
    )
    const { person } = yield* botOf([parent, child, last])
    const ana = person("ana")
    yield* ana.says("go")
    expect(yield* ana.says(evil)).toEqual([`Hola ${evil}`, `child ${evil}`, "¿x?"])
    expect(yield* ana.says(evil)).toEqual([evil, `last <${evil}>`])
  })
)

it.effect("DOC-01: a ring of documents is stopped with one error, other chats go on", () =>
  Effect.gen(function* () {
    const f1 = documentOf([say("otra"), { kind: "goto", target: "f2" }], { id: "f1" })
    const f2 = { version: 2, id: "f2", steps: [{ kind: "goto", target: "f1" }] }
    const hello = documentOf([say("hola")], { id: "hello", trigger: "hola" })
    const { bot, person } = yield* botOf([f1, f2, hello])
    expect((yield* person("ana").says("go")).length).toBeLessThanOrEqual(100)
    expect(bot.metrics.snapshot().errors).toBe(1)
    expect(yield* person("eva").says("hola")).toEqual(["hola"])
  })
)

it.effect("E1: a persistent document goes on in another life of the bot", () =>
  Effect.gen(function* () {
    const store = sharedStore()
    const document = documentOf([ask("name"), ask("age", { answer: "integer" }), say("{{ name }} {{ age }}")], {
      persistent: true
    })
    const scope = yield* Scope.make()
    const first = yield* Scope.provide(botOf([document], { store }), scope)
    yield* first.person("ana").says("go")
    yield* first.person("ana").says("Ana")
    yield* Scope.close(scope, Exit.void)
    const second = yield* botOf([document], { store })
    expect(yield* second.person("ana").says("31")).toEqual(["Ana 31"])
  })
)

it.effect("E4: a last word or a handoff's message that comes out empty is not said, and fails nothing", () =>
  Effect.gen(function* () {
    for (const last of [
      { kind: "end", text: "{{ nothing }}" },
      { kind: "handoff", message: " {{ nothing }} " }
    ]) {
      const { bot, person } = yield* botOf([documentOf([say("x"), last])])
      expect(yield* person("ana").says("go")).toEqual(["x"])
      expect([last.kind, bot.metrics.snapshot().errors]).toEqual([last.kind, 0])
    }
  })
)
