import { describe, expect, it } from "@effect/vitest"
import { Ai, Http } from "@botmesh/flows"
import { Effect, Fiber, Layer, Redacted, Schema, Stream } from "effect"
import { LanguageModel, type Response as AiResponse, Tool, Toolkit } from "effect/ai"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { type AnyStep, ask, botOf, documentOf, say, sharedStore } from "./kit/Documents.ts"

type Answer = (() => Response) | "broken" | "silent"
const json =
  (value: unknown, status = 200) =>
  () =>
    new Response(JSON.stringify(value), { status, headers: { "content-type": "application/json" } })

/** A server that answers in turn, and what it was asked. */
const serverOf = (answers: ReadonlyArray<Answer>) => {
  const asked: Array<HttpClientRequest.HttpClientRequest> = []
  const client = () =>
    HttpClient.make((request) => {
      const answer = answers[Math.min(asked.length, answers.length - 1)] ?? "broken"
      asked.push(request)
      if (answer === "silent") return Effect.never
      return answer === "broken"
        ? Effect.fail(new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request }) }))
        : Effect.succeed(HttpClientResponse.fromWeb(request, answer()))
    })
  const layer = Http.layer({
    hosts: ["api.example.com"],
    secrets: { pay: Redacted.make("Bearer t0ken"), bad: Redacted.make("a\r\nb: c") },
    resolve: () => Effect.succeed(["93.184.216.34"]),
    client
  })
  return { asked, layer }
}
const http = (more: AnyStep = {}): AnyStep => ({
  kind: "http",
  method: "GET",
  url: "https://api.example.com/orders/{{ id }}",
  stateKey: "order",
  ...more
})

describe("E3: http", () => {
  it.effect("closes what it does not read to its end: a refused answer, a redirect, too much", () =>
    Effect.gen(function* () {
      const signals: Array<AbortSignal> = []
      const answers = [
        () => new Response("no", { status: 404 }),
        () => new Response("x", { status: 302, headers: { location: "/y" } }),
        () => new Response("x".repeat(2_000))
      ]
      const layer = Http.layer({
        hosts: ["api.example.com"],
        resolve: () => Effect.succeed(["93.184.216.34"]),
        client: () =>
          HttpClient.make((request, _, signal) => {
            const answer = answers[signals.length] ?? (() => new Response(""))
            signals.push(signal)
            return Effect.succeed(HttpClientResponse.fromWeb(request, answer()))
          })
      })
      const step = http({ url: "https://api.example.com/x", maxBytes: 1_000, else: [] })
      const { person } = yield* botOf([documentOf([step, step, say("fin")])]).pipe(Effect.provide(layer))
      expect(yield* person("ana").says("go")).toEqual(["fin"])
      expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true])
    })
  )
  it.effect("sends what the state says, keeps the part that is named", () =>
    Effect.gen(function* () {
      const { asked, layer } = serverOf([json({ data: { items: [{ status: "paid" }] } })])
      const step = http({
        method: "POST",
        headers: { Authorization: { secret: "pay" } },
        body: { id: "id", n: "number(id) + 1", who: "$sender" },
        result: "data.items[0].status"
      })
      const { person } = yield* botOf([documentOf([ask("id"), step, say("Estado: {{ order }}")])]).pipe(
        Effect.provide(layer)
      )
      yield* person("ana").says("go")
      expect(yield* person("ana").says("4/2")).toEqual(["Estado: paid"])
      const [request] = asked
      expect(request?.url).toBe("https://api.example.com/orders/4%2F2")
      expect(request?.headers["authorization"]).toBe("Bearer t0ken")
      expect(request?.headers["idempotency-key"]).toMatch(/^[0-9a-f]{32}$/u)
      expect(
        request?.body._tag === "Uint8Array" ? JSON.parse(new TextDecoder().decode(request.body.body)) : undefined
      ).toEqual({
        id: "4/2",
        n: null,
        who: "ana"
      })
    })
  )
  it.effect("is recorded once: a restart behind it does not ask again", () =>
    Effect.gen(function* () {
      const { asked, layer } = serverOf([json({ n: 1 }), json({ n: 2 })])
      const store = sharedStore()
      const document = documentOf(
        [http({ url: "https://api.example.com/", result: "n" }), ask("x"), say("{{ order }}")],
        { persistent: true }
      )
      const first = yield* botOf([document], { store }).pipe(Effect.provide(layer))
      expect(yield* first.person("ana").says("go")).toEqual(["¿x?"])
      const second = yield* botOf([document], { store }).pipe(Effect.provide(layer))
      expect(yield* second.person("ana").says("y")).toEqual(["1"])
      expect(asked).toHaveLength(1)
    })
  )
  it.effect("tries again where that may help, under the same key", () =>
    Effect.gen(function* () {
      const { asked, layer } = serverOf(["broken", json({}, 503), json({}, 429), json("ok")])
      const { person } = yield* botOf([
        documentOf([http({ method: "PUT", retries: 3, url: "https://api.example.com/" }), say("{{ order }}")])
      ]).pipe(Effect.provide(layer))
      const said = yield* Effect.forkChild(person("ana").says("go"))
      yield* TestClock.adjust("10 seconds")
      expect(yield* Fiber.join(said)).toEqual(["ok"])
      expect(asked).toHaveLength(4)
      expect(new Set(asked.map(({ headers }) => headers["idempotency-key"])).size).toBe(1)
    })
  )
  it.effect.each<[string, Answer, AnyStep, number]>([
    ["a refusal", json({}, 404), { retries: 3 }, 1],
    ["a server that fails", json({}, 500), { retries: 1 }, 2],
    ["a server that is silent", "silent", { timeout: "2s" }, 1],
    ["a response that is too long", () => new Response("x".repeat(101)), { maxBytes: 100, retries: 2 }, 1],
    ["JSON that is none", () => new Response("{", { headers: { "content-type": "application/json" } }), {}, 1],
    ["more than a state keeps", json("x".repeat(40_000)), {}, 1],
    [
      "a redirect of a POST",
      () => new Response(null, { status: 302, headers: { location: "/x" } }),
      { method: "POST" },
      1
    ],
    ["redirects without end", () => new Response(null, { status: 302, headers: { location: "/x" } }), {}, 4],
    [
      "a redirect to another host",
      () => new Response(null, { status: 302, headers: { location: "https://other.example.com/" } }),
      {},
      1
    ],
    ["a secret that is not there", json({}), { headers: { "X-Key": { secret: "gone" } } }, 0],
    ["a secret that is no header", json({}), { headers: { "X-Key": { secret: "bad" } } }, 0]
  ])("%s takes the else, and only it", ([, answer, more, times]) =>
    Effect.gen(function* () {
      const { asked, layer } = serverOf([answer])
      const step = http({ url: "https://api.example.com/", else: [say("No va: [{{ order }}]")], ...more })
      const { person } = yield* botOf([documentOf([step, say("sigue")])]).pipe(Effect.provide(layer))
      const said = yield* Effect.forkChild(person("ana").says("go"))
      yield* TestClock.adjust("30 seconds")
      expect(yield* Fiber.join(said)).toEqual(["No va: []", "sigue"])
      expect(asked).toHaveLength(times)
    })
  )
  it.effect("without an else the conversation fails, with a typed error", () =>
    Effect.gen(function* () {
      const { layer } = serverOf([json({}, 404)])
      const { bot, person } = yield* botOf([
        documentOf([http({ url: "https://api.example.com/" }), say("nunca")])
      ]).pipe(Effect.provide(layer))
      expect(yield* person("ana").says("go")).toEqual([])
      expect(bot.metrics.snapshot().errors).toBe(1)
      expect(bot.conversations.list()).toEqual([])
    })
  )
  it.effect("a bot that allows none refuses it", () =>
    Effect.gen(function* () {
      const { person } = yield* botOf([documentOf([http({ url: "https://api.example.com/", else: [say("no")] })])])
      expect(yield* person("ana").says("go")).toEqual(["no"])
    })
  )
})

class Missing extends Schema.TaggedError<Missing>()("Missing", { id: Schema.String }) {}
const Lookup = Tool.make("lookup", {
  description: "Looks up an order",
  parameters: Schema.Struct({ id: Schema.String }),
  success: Schema.String,
  failure: Missing,
  failureMode: "return"
})
const Secret = Tool.make("secret", {
  description: "Not for flows",
  parameters: Schema.Struct({}),
  success: Schema.String
})
const Kit = Toolkit.make(Lookup, Secret)

const usage = {
  inputTokens: { uncached: 1, total: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 }
}
const finish = (reason: "stop" | "tool-calls"): AiResponse.PartEncoded =>
  ({ type: "finish", reason, usage, response: undefined }) as AiResponse.PartEncoded

interface Heard {
  readonly roles: string
  readonly text: string
  readonly tools: ReadonlyArray<string>
  readonly format: string
}
/** A model that says what it is told, and remembers what it was asked. */
const modelOf = (answer: (heard: Heard) => ReadonlyArray<unknown> | "silent") => {
  const heard: Array<Heard> = []
  const model = Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: (options) => {
        const one = {
          roles: options.prompt.content.map(({ role }) => role).join(">"),
          text: JSON.stringify(options.prompt.content),
          tools: options.tools.map(({ name }) => name),
          format: options.responseFormat.type
        }
        heard.push(one)
        const parts = answer(one)
        if (parts === "silent") return Effect.never
        return Effect.succeed(parts as Array<AiResponse.PartEncoded>)
      },
      streamText: () => Stream.empty
    })
  )
  return { heard, model }
}
const kit = Kit.toLayer(
  Kit.of({
    lookup: ({ id }) => (id === "0" ? Effect.fail(new Missing({ id })) : Effect.succeed(`${id}: enviado`)),
    secret: () => Effect.succeed("s")
  })
)
const layerOf = (model: Layer.Layer<LanguageModel.LanguageModel>) =>
  Layer.unwrap(Effect.map(Kit, (handled) => Ai.layer({ models: { small: model }, toolkits: [handled] }))).pipe(
    Layer.provide(kit)
  )
const ai = (more: AnyStep = {}): AnyStep => ({
  kind: "ai",
  model: "small",
  prompt: "{{ $body }}",
  stateKey: "said",
  ...more
})
const text = (said: string) => [{ type: "text", text: said }, finish("stop")]

describe("E3: ai", () => {
  it.effect("a text: the prompt and the system are filled in once, the answer is bounded", () =>
    Effect.gen(function* () {
      const { heard, model } = modelOf(() => text("Hola {{ $from }} ".repeat(100)))
      const { person } = yield* botOf([
        documentOf([ask("q"), ai({ system: "Sé breve con {{ $sender }}", maxLength: 16 }), say("{{ said }}")])
      ]).pipe(Effect.provide(layerOf(model)))
      yield* person("ana").says("go")
      expect(yield* person("ana").says("{{ q }}?")).toEqual(["Hola {{ $from }}"])
      expect(heard).toMatchObject([{ roles: "system>user", tools: [] }])
      expect(heard[0]?.text).toContain("Sé breve con ana")
      expect(heard[0]?.text).toContain("{{ q }}?")
    })
  )
  it.effect("an object of typed fields", () =>
    Effect.gen(function* () {
      const { model } = modelOf(() =>
        text(JSON.stringify({ mood: "bad", score: 0.25, n: 3, yes: true, day: "2026-01-31", why: "x" }))
      )
      const output = {
        mood: { oneOf: ["good", "bad"] },
        score: "number",
        n: "integer",
        yes: "boolean",
        day: "date",
        why: "text"
      }
      const { person } = yield* botOf([
        documentOf([
          ai({ output }),
          {
            kind: "condition",
            if: "said.mood == 'bad' && said.yes",
            then: [say("{{ said.score }} {{ said.n }} {{ said.day }} {{ said.why }}")]
          }
        ])
      ]).pipe(Effect.provide(layerOf(model)))
      expect(yield* person("ana").says("go")).toEqual(["0.25 3 2026-01-31 x"])
    })
  )
  it.effect("tools by name, and no others; their results go back to the model", () =>
    Effect.gen(function* () {
      const { heard, model } = modelOf(({ roles }) =>
        roles.includes("tool")
          ? text("Tu pedido va")
          : [{ type: "tool-call", id: "t1", name: "lookup", params: { id: "42" } }, finish("tool-calls")]
      )
      const { person } = yield* botOf([documentOf([ai({ tools: ["lookup"] }), say("{{ said }}")])]).pipe(
        Effect.provide(layerOf(model))
      )
      expect(yield* person("ana").says("go")).toEqual(["Tu pedido va"])
      expect(heard.map(({ tools }) => tools)).toEqual([["lookup"], ["lookup"]])
      expect(heard[1]?.text).toContain("42: enviado")
    })
  )
  it.effect("tools and an object", () =>
    Effect.gen(function* () {
      const { model } = modelOf(({ format, roles }) => {
        if (format === "json") return text('{"status":"enviado"}')
        return roles.includes("tool")
          ? text("ya")
          : [{ type: "tool-call", id: "t1", name: "lookup", params: { id: "0" } }, finish("tool-calls")]
      })
      const { person } = yield* botOf([
        documentOf([ai({ tools: ["lookup"], output: { status: "text" } }), say("{{ said.status }}")])
      ]).pipe(Effect.provide(layerOf(model)))
      expect(yield* person("ana").says("go")).toEqual(["enviado"])
    })
  )
  it.effect.each<
    [string, AnyStep, ReadonlyArray<unknown> | ((id: string) => ReadonlyArray<unknown>) | "silent", number]
  >([
    ["a model that nobody gave", { model: "huge" }, text("x"), 0],
    ["a tool that nobody gave", { tools: ["lookup", "gone"] }, text("x"), 0],
    ["a model that is silent", { timeout: "2s" }, "silent", 1],
    ["an object that is none", { output: { a: "number" } }, text('{"a":"x"}'), 1],
    [
      "tools without end",
      { tools: ["lookup"], maxRounds: 3 },
      (id) => [{ type: "tool-call", id, name: "lookup", params: { id: "1" } }, finish("tool-calls")],
      3
    ]
  ])("%s takes the else", ([, more, answer, times]) =>
    Effect.gen(function* () {
      let calls = 0
      const { heard, model } = modelOf(() => (typeof answer === "function" ? answer(`t${++calls}`) : answer))
      const { person } = yield* botOf([documentOf([ai({ else: [say("No sé [{{ said }}]")], ...more })])]).pipe(
        Effect.provide(layerOf(model))
      )
      const said = yield* Effect.forkChild(person("ana").says("go"))
      yield* TestClock.adjust("20 seconds")
      expect(yield* Fiber.join(said)).toEqual(["No sé []"])
      expect(heard).toHaveLength(times)
    })
  )
  it.effect("is asked once, whatever restarts", () =>
    Effect.gen(function* () {
      const { heard, model } = modelOf(() => text("uno"))
      const store = sharedStore()
      const document = documentOf([ai(), ask("x"), say("{{ said }}")], { persistent: true })
      const first = yield* botOf([document], { store }).pipe(Effect.provide(layerOf(model)))
      yield* first.person("ana").says("go")
      const second = yield* botOf([document], { store }).pipe(Effect.provide(layerOf(model)))
      expect(yield* second.person("ana").says("y")).toEqual(["uno"])
      expect(heard).toHaveLength(1)
    })
  )
})
