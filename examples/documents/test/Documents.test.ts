import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Bot } from "@botmesh/core"
import { TestBot } from "@botmesh/core/testing"
import { Ai, check, Documents, Http } from "@botmesh/flows"
import { Effect, Layer, Redacted, Schema, Stream } from "effect"
import { LanguageModel, type Response as AiResponse, Tool, Toolkit } from "effect/ai"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"

const folder = new URL("../flows/", import.meta.url)
const names = readdirSync(folder).sort()
const documents: ReadonlyArray<unknown> = names.map((name) => JSON.parse(readFileSync(new URL(name, folder), "utf8")))

/** A bot of the whole gallery, as somebody's control plane would start it. */
const gallery = Effect.fnUntraced(function* () {
  const compiled = yield* Documents.compileAll(documents)
  const handlers = compiled.map(({ flow, trigger }) => Bot.flow(flow, { trigger }))
  return yield* TestBot.make(Bot.make("gallery", handlers))
})

it("nothing is to be said against any of them", () => {
  expect(names).toHaveLength(9)
  for (const [index, document] of documents.entries()) {
    const { issues } = check(document, { flows: documents, transports: ["telegram", "whatsapp-cloud"] })
    expect([names[index], issues]).toEqual([names[index], []])
  }
})

it.effect("order: a menu, a subflow with a form, a correction", () =>
  Effect.gen(function* () {
    const { person } = yield* gallery()
    const ana = person("ana", { lang: "es" })
    expect(yield* ana.says("Hola, quiero pedir")).toEqual([
      "¡Vamos con tu pedido! Escribe cancelar cuando quieras dejarlo.",
      "¿Qué pizza?"
    ])
    expect(yield* ana.says("hawaiana")).toEqual(["¡Con piña!", "¿Cuántas?"])
    expect(yield* ana.says("20")).toEqual(["De 1 a 10, por favor"])
    expect(yield* ana.says("2")).toEqual(["¿A domicilio o para recoger?"])
    expect(yield* ana.says("1")).toEqual(["¿A qué calle y número llevamos la hawaiana?"])
    expect(yield* ana.says("Mayor 1")).toEqual(["¿Y el código postal?"])
    expect(yield* ana.says("8001")).toEqual(["Son cinco cifras"])
    expect(yield* ana.says("08001")).toEqual(["Mayor 1, 08001. ¿Está bien?"])
    expect(yield* ana.says("corregir")).toEqual(["¿Qué corregimos?"])
    expect(yield* ana.says("calle")).toEqual(["¿A qué calle y número llevamos la hawaiana?"])
    expect(yield* ana.says("Mayor 2")).toEqual(["Mayor 2, 08001. ¿Está bien?"])
    expect(yield* ana.says("sí")).toEqual(["2 × hawaiana a Mayor 2, 08001. ¡En 40 minutos!"])
    yield* ana.says("pedido")
    expect(yield* ana.says("cancelar")).toHaveLength(1)
  })
)

it.effect("appointment: dates, a validation, a guard", () =>
  Effect.gen(function* () {
    const { bot, person } = yield* gallery()
    const ana = person("ana", { lang: "es" })
    yield* bot.trigger("appointment", { chatId: "ana", data: { today: "2026-11-30" }, lang: "es" })
    expect(yield* ana.sees).toEqual(["¿A nombre de quién?"])
    expect(yield* ana.says("A")).toEqual(["Escribe nombre y apellido"])
    yield* ana.says("Ana Ruiz")
    expect(yield* ana.says("1/2/2026")).toEqual(["Ese día ya pasó"])
    expect(yield* ana.says("31/12/2026")).toEqual(["¿A qué hora?"])
    yield* ana.says("5 de la tarde")
    expect(yield* ana.says("sí")).toEqual([
      "Las primeras visitas son por la mañana. Escribe cita para elegir otra hora."
    ])
    yield* ana.says("cita")
    yield* ana.says("Ana Ruiz")
    yield* ana.says("2026-12-31")
    yield* ana.says("2")
    expect(yield* ana.says("sí")).toEqual(["Hecho: Ana Ruiz, el 2026-12-31 a las 12:00."])
  })
)

it.effect("survey: what is asked next depends on the answer", () =>
  Effect.gen(function* () {
    const { person } = yield* gallery()
    const ana = person("ana", { lang: "es" })
    yield* ana.says("encuesta")
    expect(yield* ana.says("once")).toHaveLength(1)
    expect(yield* ana.says("7")).toEqual(["¿Qué nos faltó para el 10?"])
    expect(yield* ana.says("Más queso {{ score }}")).toEqual(["Apuntado: «Más queso {{ score }}». Gracias."])
    yield* ana.says("sondeo")
    expect(yield* ana.says("10")).toEqual(["¡Gracias! 🎉"])
  })
)

it.effect("lead: a form, and a person for the big ones", () =>
  Effect.gen(function* () {
    const { bot, person } = yield* gallery()
    const ana = person("ana", { lang: "es" })
    yield* ana.says("¿me dais precio?")
    yield* ana.says("ACME")
    expect(yield* ana.says("ana en acme")).toEqual(["Eso no parece un correo"])
    yield* ana.says("ana@acme.example")
    expect(yield* ana.says("80")).toEqual(["ACME, ana@acme.example, 80 personas. ¿Correcto?"])
    expect(yield* ana.says("confirmar")).toEqual(["Un compañero te escribe hoy mismo."])
    expect(yield* bot.handoff.get("ana")).toMatchObject({ note: "ventas: ACME (80)" })
  })
)

it.effect("support: a person takes over and gives the chat back", () =>
  Effect.gen(function* () {
    const { bot, person, settled } = yield* gallery()
    const ana = person("ana", { lang: "es" })
    yield* ana.says("ayuda")
    yield* ana.says("no puedo entrar")
    expect(yield* ana.says("no")).toEqual(["Cuéntalo en una frase, para quien te atienda."])
    expect(yield* ana.says("No llega el correo")).toEqual(["Te paso con una persona."])
    expect(yield* bot.handoff.get("ana")).toMatchObject({ note: "login: No llega el correo" })
    expect(yield* ana.says("¿hola?")).toEqual([])
    yield* bot.handoff.end("ana")
    yield* TestClock.adjust("10 seconds")
    yield* settled
    expect(yield* ana.sees).toEqual(["¿Cómo te han atendido?"])
    expect(yield* ana.says("bien")).toEqual(["Gracias por decirlo."])
  })
)

const Hours = Tool.make("opening-hours", {
  description: "When the shop is open",
  parameters: Schema.Struct({ day: Schema.String }),
  success: Schema.String
})
const Kit = Toolkit.make(Hours)
const usage = {
  inputTokens: { uncached: 1, total: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 }
}
const part = (one: object): AiResponse.PartEncoded => one as AiResponse.PartEncoded
const finish = (reason: string) => part({ type: "finish", reason, usage, response: undefined })
/** A model that looks up the hours and says them; asked for anything else it knows nothing. */
const model = Layer.effect(
  LanguageModel.LanguageModel,
  LanguageModel.make({
    generateText: ({ prompt }) => {
      const said = JSON.stringify(prompt.content)
      if (said.includes("cuántos años")) return Effect.never
      return Effect.succeed(
        prompt.content.some(({ role }) => role === "tool")
          ? [
              part({ type: "text", text: `Abrimos ${said.includes("de 13 a 23") ? "de 13 a 23" : "nunca"}.` }),
              finish("stop")
            ]
          : [part({ type: "tool-call", id: "t1", name: "opening-hours", params: { day: "hoy" } }), finish("tool-calls")]
      )
    },
    streamText: () => Stream.empty
  })
)
const ai = Layer.unwrap(Effect.map(Kit, (kit) => Ai.layer({ models: { small: model }, toolkits: [kit] }))).pipe(
  Layer.provide(Kit.toLayer(Kit.of({ "opening-hours": () => Effect.succeed("de 13 a 23") })))
)

it.effect("faq: a model answers with a tool, and a person when it cannot", () =>
  Effect.gen(function* () {
    const { bot, person, settled } = yield* gallery()
    const ana = person("ana", { lang: "es" })
    yield* ana.says("duda")
    expect(yield* ana.says("¿A qué hora abrís?")).toEqual(["Abrimos de 13 a 23.", "¿Otra pregunta?"])
    expect(yield* ana.says("sí")).toEqual(["Dime, ¿qué quieres saber?"])
    const asked = yield* Effect.forkChild(ana.says("¿cuántos años tienes?"))
    yield* TestClock.adjust("25 seconds")
    yield* settled
    expect(asked.pollUnsafe()).not.toBe(undefined)
    expect(yield* bot.handoff.get("ana")).toMatchObject({ note: "duda: ¿cuántos años tienes?" })
  }).pipe(Effect.provide(ai))
)

describe("payment", () => {
  const answers = new Map<string, () => Response>([
    ["P-1", () => Response.json({ payment: { status: "paid", amount: 12.5, date: "2026-11-30" } })],
    ["p-2", () => Response.json({ payment: { status: "open", amount: 3, date: null } })],
    ["P-3", () => Response.json({})],
    ["P-4", () => new Response("no", { status: 403 })]
  ])
  const asked: Array<string> = []
  const http = Http.layer({
    hosts: ["api.pagos.example.com"],
    secrets: { payments: Redacted.make("Bearer t0ken") },
    resolve: () => Effect.succeed(["93.184.216.34"]),
    client: () =>
      HttpClient.make((request, url) => {
        asked.push(`${request.headers["authorization"]} ${url.href}`)
        const answer = answers.get(url.pathname.split("/").at(-1) ?? "") ?? (() => new Response("", { status: 404 }))
        return Effect.succeed(HttpClientResponse.fromWeb(request, answer()))
      })
  })
  it.effect.each<[string, string]>([
    ["P-1", "Pagado: 12.5 €, el 2026-11-30."],
    ["p-2", "Pendiente: 3 €."],
    ["P-3", "No encuentro el pedido P-3."],
    ["P-4", "Ahora no puedo consultarlo. Prueba en unos minutos."],
    ["P-../admin", "Ahora no puedo consultarlo. Prueba en unos minutos."]
  ])("%s: %s", ([order, says]) =>
    Effect.gen(function* () {
      const { person } = yield* gallery()
      const ana = person("ana", { lang: "es" })
      yield* ana.says("pago")
      expect(yield* ana.says("1042")).toEqual(["Empieza por P-, por ejemplo P-1042"])
      expect(yield* ana.says(order)).toEqual([says])
      expect(asked.at(-1)).toBe(`Bearer t0ken https://api.pagos.example.com/v1/payments/${encodeURIComponent(order)}`)
    }).pipe(Effect.provide(http))
  )
})

it.effect("onboarding: files, a pause, another flow at the end", () =>
  Effect.gen(function* () {
    const { mock, person, settled } = yield* gallery()
    const ana = person("ana", { lang: "es" })
    yield* ana.says("empezar")
    expect(yield* ana.says("Ana")).toEqual(["Así es tu panel, Ana"])
    yield* TestClock.adjust("11 seconds")
    yield* settled
    expect(yield* ana.sees).toEqual(["¿Qué vas a hacer primero?"])
    expect(yield* ana.says("vender")).toEqual([
      "Te preparamos una propuesta en un minuto.",
      "¿De qué empresa escribes?"
    ])
    const files = mock
      .sent()
      .flatMap(({ message }) => (message.content._tag === "media" ? [message.content.source] : []))
    expect(files).toEqual([
      { _tag: "url", url: "https://cdn.example.com/welcome.jpg" },
      { _tag: "url", url: "https://cdn.example.com/guides/sell.pdf" }
    ])
  })
)
