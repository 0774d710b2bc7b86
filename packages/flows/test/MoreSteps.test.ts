import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { type AnyStep, ask, botOf, documentNamed, documentOf, say, sharedStore } from "./kit/Documents.ts"

describe("E3: media", () => {
  const media = (more: AnyStep): AnyStep => ({
    kind: "media",
    type: "image",
    url: "https://cdn.example.com/a.jpg",
    ...more
  })
  it.effect("shows a file, address and caption filled in; a value is one part of the path", () =>
    Effect.gen(function* () {
      const { mock, person } = yield* botOf([
        documentOf([
          media({ caption: "Hola" }),
          ask("name"),
          media({
            type: "document",
            url: "https://cdn.example.com/{{ name }}.pdf?x={{ name }}",
            caption: "De {{ name }}",
            filename: "{{ name }}.pdf"
          })
        ])
      ])
      const ana = person("ana")
      yield* ana.says("go")
      yield* ana.says("a/b?c&d=é")
      const [first, , last] = mock.sent().map(({ message }) => message.content)
      expect(first).toEqual({
        _tag: "media",
        kind: "image",
        source: { _tag: "url", url: "https://cdn.example.com/a.jpg" },
        caption: "Hola"
      })
      expect(last).toEqual({
        _tag: "media",
        kind: "document",
        source: { _tag: "url", url: "https://cdn.example.com/a%2Fb%3Fc%26d%3D%C3%A9.pdf?x=a%2Fb%3Fc%26d%3D%C3%A9" },
        caption: "De a/b?c&d=é",
        filename: "a/b?c&d=é.pdf"
      })
    })
  )
  it.effect("an address somebody gives is vetted before the transport gets it", () =>
    Effect.gen(function* () {
      const { bot, mock, person } = yield* botOf([documentOf([ask("url"), media({ url: "{{ url }}" })])])
      const ana = person("ana")
      for (const url of [
        "http://cdn.example.com/a.jpg",
        "https://127.0.0.1/a.jpg",
        "https://[::1]/",
        "file:///etc/passwd"
      ]) {
        yield* ana.says("go")
        yield* ana.says(url)
      }
      expect(bot.metrics.snapshot().errors).toBe(4)
      yield* ana.says("go")
      yield* ana.says("https://cdn.example.com/b.jpg")
      const files = mock.sent().filter(({ message }) => message.content._tag === "media")
      expect(files).toHaveLength(1)
    })
  )
  it.effect("a value that would climb in the path is refused", () =>
    Effect.gen(function* () {
      const { bot, person } = yield* botOf([
        documentOf([ask("name"), media({ url: "https://cdn.example.com/files/{{ name }}/x.jpg" })])
      ])
      yield* person("ana").says("go")
      yield* person("ana").says("..")
      expect(bot.metrics.snapshot().errors).toBe(1)
    })
  )
})

describe("E3: form", () => {
  const form = documentOf([
    {
      kind: "form",
      id: "order",
      fields: [
        { stateKey: "name", label: "Nombre", text: "¿Nombre?" },
        {
          stateKey: "count",
          label: "Cantidad",
          text: "¿Cuántos, {{ name }}?",
          answer: "integer",
          maxAttempts: 2,
          validate: { expr: "count > 0 && count < 10", message: "De 1 a 9" }
        }
      ],
      summary: "{{ count }} para {{ name }}. ¿Bien?",
      labels: { which: "¿Qué cambio?" }
    },
    say("Anotado: {{ count }} para {{ name }}")
  ])
  it.effect("asks each field, shows a summary, corrects what is wrong", () =>
    Effect.gen(function* () {
      const { person } = yield* botOf([form])
      const ana = person("ana", { lang: "es" })
      expect(yield* ana.says("go")).toEqual(["¿Nombre?"])
      expect(yield* ana.says("Ana")).toEqual(["¿Cuántos, Ana?"])
      expect(yield* ana.says("20")).toEqual(["De 1 a 9"])
      expect(yield* ana.says("2")).toEqual(["2 para Ana. ¿Bien?"])
      expect(yield* ana.says("corregir")).toEqual(["¿Qué cambio?"])
      expect(yield* ana.says("nombre")).toEqual(["¿Nombre?"])
      expect(yield* ana.says("Eva")).toEqual(["2 para Eva. ¿Bien?"])
      expect(yield* ana.says("2")).toEqual(["¿Qué cambio?"])
      expect(yield* ana.says("Cantidad")).toEqual(["¿Cuántos, Eva?"])
      expect(yield* ana.says("3")).toEqual(["3 para Eva. ¿Bien?"])
      expect(yield* ana.says("confirmar")).toEqual(["Anotado: 3 para Eva"])
    })
  )
  it.effect("goes back to the question before", () =>
    Effect.gen(function* () {
      const { person } = yield* botOf([form])
      const ana = person("ana", { lang: "es" })
      yield* ana.says("go")
      yield* ana.says("Ana")
      expect(yield* ana.says("atrás")).toEqual(["¿Nombre?"])
      expect(yield* ana.says("Eva")).toEqual(["¿Cuántos, Eva?"])
    })
  )
  it.effect("gives up like any question, and goes on after a restart in its middle", () =>
    Effect.gen(function* () {
      const store = sharedStore()
      const persistent = { ...form, persistent: true }
      const scope = yield* Scope.make()
      const first = yield* Scope.provide(botOf([persistent], { store }), scope)
      const ana = first.person("ana", { lang: "es" })
      yield* ana.says("go")
      yield* ana.says("Ana")
      yield* Scope.close(scope, Exit.void)
      const second = yield* botOf([persistent], { store })
      const again = second.person("ana", { lang: "es" })
      expect(yield* again.says("4")).toEqual(["4 para Ana. ¿Bien?"])
      expect(yield* again.says("1")).toEqual(["Anotado: 4 para Ana"])
      yield* again.says("go")
      yield* again.says("Ana")
      yield* again.says("0")
      yield* again.says("0")
      expect(second.bot.metrics.snapshot().conversationsEnded).toMatchObject({ "gave-up": 1, done: 1 })
    })
  )
  it.effect("one field is corrected without being asked which, words follow the language", () =>
    Effect.gen(function* () {
      const { person } = yield* botOf([
        documentOf([{ kind: "form", fields: [{ stateKey: "a", text: "a?" }], summary: "{{ a }}?" }, say("{{ a }}!")])
      ])
      const ana = person("ana", { lang: "en" })
      yield* ana.says("go")
      yield* ana.says("x")
      expect(yield* ana.says("correct")).toEqual(["a?"])
      expect(yield* ana.says("y")).toEqual(["y?"])
      expect(yield* ana.says("confirm")).toEqual(["y!"])
    })
  )
})

describe("E3: guard", () => {
  it.effect("goes on when it holds, else its own steps and the end", () =>
    Effect.gen(function* () {
      const { bot, person } = yield* botOf([
        documentOf([
          ask("age", { answer: "integer" }),
          { kind: "guard", if: "age >= 18", else: [say("Aún no")] },
          say("Adelante")
        ])
      ])
      const ana = person("ana")
      yield* ana.says("go")
      expect(yield* ana.says("17")).toEqual(["Aún no"])
      yield* ana.says("go")
      expect(yield* ana.says("18")).toEqual(["Adelante"])
      expect(bot.metrics.snapshot().conversationsEnded).toMatchObject({ done: 2 })
    })
  )
})

describe("E3, E8: subflow", () => {
  it.effect("runs with keys of its own; values go in and come out", () =>
    Effect.gen(function* () {
      const parent = documentOf([
        ask("code"),
        { kind: "subflow", id: "one", flow: "direccion", inputs: { who: "upper(code)" }, outputs: { zip: "code" } },
        { kind: "subflow", id: "two", flow: "direccion", inputs: { who: "zip" } },
        say("{{ code }} {{ zip }} {{ who }}")
      ])
      const { person } = yield* botOf([parent, documentNamed("direccion")])
      const ana = person("ana")
      yield* ana.says("go")
      expect(yield* ana.says("mine")).toEqual(["¿Código postal, MINE?"])
      expect(yield* ana.says("08001")).toEqual(["Anotado: 08001", "¿Código postal, 08001?"])
      expect(yield* ana.says("08002")).toEqual(["Anotado: 08002", "mine 08001 "])
    })
  )
  it.effect("its own timeout counts for its questions, and a restart finds it", () =>
    Effect.gen(function* () {
      const store = sharedStore()
      const parent = documentOf([{ kind: "subflow", flow: "direccion" }, ask("b")], { persistent: true })
      const scope = yield* Scope.make()
      const first = yield* Scope.provide(botOf([parent, documentNamed("direccion")], { store }), scope)
      yield* first.person("ana").says("go")
      yield* Scope.close(scope, Exit.void)
      const next = yield* botOf([parent, documentNamed("direccion")], { store })
      expect(yield* next.person("ana").says("1")).toEqual(["Anotado: 1", "¿b?"])
      yield* next.person("eva").says("go")
      yield* TestClock.adjust("6 minutes")
      yield* next.settled
      expect(next.bot.metrics.snapshot().conversationsEnded).toMatchObject({ timeout: 1 })
    })
  )
})

describe("E3: handoff", () => {
  it.effect("gives the chat to a person and ends", () =>
    Effect.gen(function* () {
      const { bot, person } = yield* botOf([
        documentOf([ask("why"), { kind: "handoff", to: "ventas: {{ why }}", message: "Te paso, {{ why }}" }])
      ])
      const ana = person("ana")
      yield* ana.says("go")
      expect(yield* ana.says("precio")).toEqual(["Te paso, precio"])
      expect(yield* bot.handoff.get("ana")).toMatchObject({ note: "ventas: precio" })
      expect(bot.conversations.list()).toEqual([])
      expect(yield* ana.says("go")).toEqual([])
    })
  )
  it.effect("allowReturn goes on a moment after the chat is given back, the bot is silent until then", () =>
    Effect.gen(function* () {
      const { bot, person, settled } = yield* botOf([
        documentOf([{ kind: "handoff", allowReturn: true }, say("Ya estoy aquí"), ask("a")])
      ])
      const ana = person("ana")
      expect(yield* ana.says("go")).toEqual([])
      yield* TestClock.adjust("1 hour")
      expect(yield* ana.says("hola")).toEqual([])
      yield* bot.handoff.end("ana")
      yield* TestClock.adjust("6 seconds")
      yield* settled
      expect(yield* ana.sees).toEqual(["Ya estoy aquí", "¿a?"])
    })
  )
})

it.effect("delays keep their place among other steps", () =>
  Effect.gen(function* () {
    const { person } = yield* botOf([documentOf([say("a"), { kind: "delay", duration: 1500 }, say("b")])])
    const ana = person("ana")
    const said = yield* Effect.forkChild(ana.says("go"))
    yield* TestClock.adjust("2 seconds")
    expect(yield* Fiber.join(said)).toEqual(["a", "b"])
  })
)
