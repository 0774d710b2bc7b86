import { describe, expect, it } from "@effect/vitest"
import { compile, FLOW_DOCUMENT_LIMITS, FLOW_DOCUMENT_SCHEMA, isFlowDocument, validate } from "@botmesh/flows"
import { Effect } from "effect"
import { type AnyStep, ask, documentNamed, documentOf, say } from "./kit/Documents.ts"

const direccion = documentNamed("direccion")
const issues = (document: unknown) => validate(document, { flows: [direccion] })
const paths = (document: unknown) => issues(document).map(({ path }) => path)
const only = (document: unknown): string => {
  const found = issues(document)
  expect(found).toHaveLength(1)
  return `${found[0]?.path}: ${found[0]?.message}`
}

describe("E1: versions", () => {
  it.effect("both golden documents compile, version 1 is migrated", () =>
    Effect.gen(function* () {
      const one = yield* compile(documentNamed("version-1"))
      expect(one.document).toEqual({ ...(documentNamed("version-1") as AnyStep), version: 2 })
      expect(one.trigger).toEqual([
        { pattern: "encuesta", match: "startsWith", scope: "dm" },
        { pattern: "sondeo", match: "startsWith", scope: "dm" }
      ])
      const two = yield* compile(documentNamed("version-2"), { flows: [direccion] })
      expect(two.document).toEqual(documentNamed("version-2"))
      expect(two.trigger).toEqual(["completo", "todo"])
      expect(two.subflows).toEqual(["direccion"])
    })
  )
  it("version 1 knows nothing that came later", () => {
    const one = {
      ...documentOf([{ kind: "handoff" }, { ...say("x"), id: "y" }, ask("a", { answer: "number" })]),
      version: 1,
      inputs: ["a"]
    }
    expect(paths(one)).toEqual(["inputs", "steps[0].kind", "steps[1].id", "steps[2].answer"])
    expect(issues(one)[1]?.message).toBe('a step of kind "handoff" needs version 2 of flow documents')
  })
  it("other versions are refused", () => {
    expect(only({ ...documentOf([say("x")]), version: 3 })).toBe("version: expected version 1 or 2, got 3")
    expect(only({ id: "a", steps: [say("x")] })).toBe("version: is missing")
  })
})

describe("E7: every issue has its path", () => {
  it("several at once, unknown keys refused, with suggestions", () => {
    expect(
      issues({
        version: 2,
        id: "-a",
        tigger: "x",
        steps: [
          { kind: "sayy", text: "x" },
          { kind: "say", txt: "x", text: 7 },
          { kind: "ask", text: "", stateKey: "a b", timeout: "soon", retries: 21 }
        ]
      })
    ).toMatchObject([
      { path: "tigger", message: "unknown key", suggestion: "trigger" },
      { path: "id" },
      { path: "steps[0]", suggestion: "say" },
      { path: "steps[1].txt", message: "unknown key", suggestion: "text" },
      { path: "steps[1].text", message: "expected a text, got 7" },
      { path: "steps[2].text", message: "a text may not be empty" },
      { path: "steps[2].stateKey" },
      { path: "steps[2].retries", message: "expected a whole number from 0 to 20" },
      { path: "steps[2].timeout" }
    ])
  })
  it.each<[string, unknown, string]>([
    ["no document", 7, ": expected a flow document: an object with version, id and steps, got 7"],
    ["nothing", undefined, ": expected JSON, got a value of type undefined"],
    ["a list", [], ": expected a flow document: an object with version, id and steps, got a list"],
    ["no steps", documentOf([]), "steps: expected at least 1 step"],
    [
      "both tries",
      documentOf([ask("a", { maxAttempts: 2, retries: 1 })]),
      "steps[0].retries: maxAttempts and retries say the same in two ways: keep one of them"
    ],
    [
      "the same id",
      documentOf([
        { ...say("x"), id: "a" },
        { ...say("y"), id: "a" }
      ]),
      'steps[1].id: the step id "a" stands twice'
    ],
    [
      "the same keyword",
      documentOf([say("x")], { trigger: ["Año", "ano"] }),
      'trigger[1]: the keyword "ano" stands twice'
    ],
    [
      "a keyword of nothing",
      documentOf([say("x")], { trigger: { keywords: "\u200b" } }),
      "trigger.keywords: nothing a person writes can match this keyword"
    ],
    [
      "a bad expression",
      documentOf([ask("a", { validate: { expr: "len($answer" } })]),
      'steps[0].validate.expr: expected "," or ")" after an argument of len, got the end (at character 12)'
    ],
    [
      "a bad template",
      documentOf([say("x {{ a b }}")]),
      "steps[0].text: a place holds one path: expected }} (at character 8)"
    ],
    [
      "$answer elsewhere",
      documentOf([{ kind: "condition", if: "$answer == 1", then: [] }]),
      "steps[0].if: there is no $answer here; known are $body $from $sender $isGroup $state (at character 1)"
    ],
    [
      "a trigger of nothing",
      documentOf([say("x")], { trigger: 7 }),
      "trigger: expected a keyword, a list of at most 50, or { keywords, match, scope }, got 7"
    ],
    [
      "a getter",
      Object.defineProperty(documentOf([say("x")]), "name", { get: () => "x", enumerable: true }),
      "name: a property that is computed"
    ],
    ["a class", documentOf([new Date(0) as never]), "steps[0]: expected a plain object, got an instance of a class"],
    ["NaN", documentOf([{ kind: "delay", duration: Number.NaN }]), "steps[0].duration: NaN is no JSON number"],
    [
      "a proxy that throws",
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error("no")
          }
        }
      ),
      ": the document cannot be read"
    ],
    [
      "http to anywhere",
      documentOf([{ kind: "http", method: "GET", url: "https://{{ host }}/x", stateKey: "a" }]),
      "steps[0].url: the host of the address has to be written out, up to its /"
    ],
    [
      "http in the clear",
      documentOf([{ kind: "http", method: "GET", url: "http://example.com/x", stateKey: "a" }]),
      "steps[0].url: expected an address that begins with https://"
    ],
    [
      "media at home",
      documentOf([{ kind: "media", type: "image", url: "https://127.1/x" }]),
      "steps[0].url: the host is not a public one"
    ],
    [
      "a result of more",
      documentOf([{ kind: "http", method: "GET", url: "https://example.com/x", stateKey: "a", result: "a b" }]),
      "steps[0].result: expected a path into the response: data.items[0].status"
    ]
  ])("%s", (_, document, text) => {
    expect(only(document)).toBe(text)
    expect(isFlowDocument(document)).toBe(false)
  })
  it("collisions of options name the later one", () => {
    const choose = {
      kind: "choose",
      text: "?",
      options: [
        { key: "a", label: "Año" },
        { key: "b", label: "ANO" },
        { key: "a", label: "x" },
        { key: "c", label: "\u200b" }
      ]
    }
    expect(paths(documentOf([choose]))).toEqual([
      "steps[0].options[1].label",
      "steps[0].options[2].key",
      "steps[0].options[3].label"
    ])
  })
  it("a cycle is refused", () => {
    const document: Record<string, unknown> = documentOf([say("x")])
    document["name"] = document
    expect(issues(document)[0]?.message).toContain("nested deeper than 64 levels")
  })
})

const nested = (levels: number): AnyStep =>
  levels <= 1 ? say("x") : { kind: "condition", if: "$isGroup", then: [nested(levels - 1)] }
const texts = (count: number, text = "x"): ReadonlyArray<AnyStep> => Array.from({ length: count }, () => say(text))
const keywords = (count: number): ReadonlyArray<string> => Array.from({ length: count }, (_, n) => `k${n}`)
const menu = (count: number): AnyStep => ({
  kind: "choose",
  text: "?",
  stateKey: "c",
  options: Array.from({ length: count }, (_, n) => ({ key: `k${n}`, label: `l${n}` }))
})

describe("E6: limits below, at and above", () => {
  const limits = FLOW_DOCUMENT_LIMITS
  it.each<[string, number, (n: number) => unknown, string]>([
    ["steps", limits.steps, (n) => documentOf(texts(n)), "steps"],
    [
      "nested steps",
      limits.steps,
      (n) => documentOf([{ kind: "condition", if: "$isGroup", then: texts(n - 1) }]),
      "steps[0].then[499]"
    ],
    ["levels", limits.levels, (n) => documentOf([nested(n)]), `steps[0]${".then[0]".repeat(7)}.then`],
    ["characters", limits.text, (n) => documentOf([say("x".repeat(n))]), "steps[0].text"],
    [
      "characters of a label",
      limits.label,
      (n) => documentOf([{ ...menu(1), options: [{ key: "a", label: "x".repeat(n) }] }]),
      "steps[0].options[0].label"
    ],
    ["options", limits.options, (n) => documentOf([menu(n)]), "steps[0].options"],
    ["keywords", limits.keywords, (n) => documentOf([say("x")], { trigger: keywords(n) }), "trigger"],
    [
      "keywords in an object",
      limits.keywords,
      (n) => documentOf([say("x")], { trigger: { keywords: keywords(n) } }),
      "trigger.keywords"
    ],
    [
      "characters of an expression",
      limits.expression,
      (n) => documentOf([{ kind: "condition", if: `a${" ".repeat(n - 1)}`, then: [] }]),
      "steps[0].if"
    ],
    ["attempts", limits.attempts, (n) => documentOf([ask("a", { maxAttempts: n })]), "steps[0].maxAttempts"],
    ["retries", limits.attempts - 1, (n) => documentOf([ask("a", { retries: n })]), "steps[0].retries"],
    ["timeout", limits.timeout, (n) => documentOf([ask("a", { timeout: n })]), "steps[0].timeout"],
    ["timeout of the flow", limits.timeout, (n) => documentOf([say("x")], { timeout: n }), "timeout"],
    ["delay", limits.delay, (n) => documentOf([{ kind: "delay", duration: n }]), "steps[0].duration"],
    ["id", 64, (n) => documentOf([say("x")], { id: "x".repeat(n) }), "id"],
    [
      "fields of a form",
      limits.fields,
      (n) =>
        documentOf([{ kind: "form", fields: Array.from({ length: n }, (_, i) => ({ stateKey: `k${i}`, text: "?" })) }]),
      "steps[0].fields"
    ],
    ["inputs", limits.inputs, (n) => documentOf([say("x")], { inputs: keywords(n) }), "inputs"],
    [
      "http retries",
      limits.httpRetries,
      (n) => documentOf([{ kind: "http", method: "GET", url: "https://example.com/", stateKey: "a", retries: n }]),
      "steps[0].retries"
    ],
    [
      "http timeout",
      limits.httpTimeout,
      (n) => documentOf([{ kind: "http", method: "GET", url: "https://example.com/", stateKey: "a", timeout: n }]),
      "steps[0].timeout"
    ],
    [
      "http bytes",
      limits.httpBytes,
      (n) => documentOf([{ kind: "http", method: "GET", url: "https://example.com/", stateKey: "a", maxBytes: n }]),
      "steps[0].maxBytes"
    ],
    [
      "ai timeout",
      limits.aiTimeout,
      (n) => documentOf([{ kind: "ai", model: "m", prompt: "x", stateKey: "a", timeout: n }]),
      "steps[0].timeout"
    ],
    [
      "ai rounds",
      limits.aiRounds,
      (n) => documentOf([{ kind: "ai", model: "m", prompt: "x", stateKey: "a", maxRounds: n }]),
      "steps[0].maxRounds"
    ]
  ])("%s", (_, limit, make, path) => {
    expect(issues(make(limit - 1))).toEqual([])
    expect(issues(make(limit))).toEqual([])
    expect(paths(make(limit + 1))).toEqual([path])
  })
  it.each<[string, AnyStep, string]>([
    ["maxAttempts", ask("a", { maxAttempts: 0 }), "steps[0].maxAttempts"],
    ["retries", ask("a", { retries: -1 }), "steps[0].retries"],
    ["delay", { kind: "delay", duration: 0 }, "steps[0].duration"],
    ["timeout", ask("a", { timeout: "0s" }), "steps[0].timeout"],
    ["options", menu(0), "steps[0].options"]
  ])("%s has a least", (_, step, path) => {
    expect(paths(documentOf([step]))).toEqual([path])
  })
})

it("DOC-08: steps nested 9 and 10,000 levels, JSON nested 100,000 lists: refused with a path, at once", () => {
  expect(paths(documentOf([nested(9)]))).toEqual([`steps[0]${".then[0]".repeat(7)}.then`])
  let deep: AnyStep = say("x")
  for (let level = 0; level < 10_000; level++) deep = { kind: "condition", if: "$isGroup", then: [deep] }
  const [found] = issues(documentOf([deep]))
  expect(found?.path.startsWith("steps[0].then[0].then[0]")).toBe(true)
  let lists: unknown = []
  for (let level = 0; level < 100_000; level++) lists = [lists]
  expect(issues(documentOf([say("x")], { name: lists }))[0]?.message).toBe("nested deeper than 64 levels")
  expect(issues({ values: Array.from({ length: 60_000 }, () => 1) })[0]?.message).toContain("more than 50000 values")
})

describe("E7: the JSON Schema", () => {
  it("is of draft 2020-12 and names every kind of step", () => {
    expect(FLOW_DOCUMENT_SCHEMA["$schema"]).toBe("https://json-schema.org/draft/2020-12/schema")
    const text = JSON.stringify(FLOW_DOCUMENT_SCHEMA)
    for (const kind of [
      "say",
      "ask",
      "choose",
      "delay",
      "goto",
      "end",
      "condition",
      "media",
      "form",
      "guard",
      "subflow",
      "http",
      "handoff",
      "ai"
    ]) {
      expect(text).toContain(`"enum":["${kind}"]`)
    }
  })
  it("is the golden one", async () => {
    await expect(`${JSON.stringify(FLOW_DOCUMENT_SCHEMA, undefined, 2)}\n`).toMatchFileSnapshot(
      "./fixtures/flow-document.schema.json"
    )
  })
})

describe("B26: the menus of a form's summary", () => {
  const form = (fields: ReadonlyArray<AnyStep>, more: AnyStep = { summary: "?" }) =>
    validate(documentOf([{ kind: "form", fields: fields.map((field) => ({ text: "?", ...field })), ...more }]))
  it("fields that read the same, or like nothing, cannot be told apart to correct them", () => {
    expect(
      form([
        { stateKey: "a", label: "Año" },
        { stateKey: "b", label: "ANO" }
      ])
    ).toMatchObject([{ path: "steps[0].fields[1]" }])
    expect(form([{ stateKey: "a" }, { stateKey: "A" }])).toMatchObject([{ path: "steps[0].fields[1]" }])
    expect(form([{ stateKey: "a", label: "\u200b" }, { stateKey: "b" }])).toMatchObject([
      { path: "steps[0].fields[0]" }
    ])
    expect(
      form(
        [
          { stateKey: "a", label: "Año" },
          { stateKey: "b", label: "ANO" }
        ],
        {}
      )
    ).toEqual([])
  })
  it("its own words", () => {
    const labels = { confirm: "OK", correct: "ok" }
    expect(form([{ stateKey: "a" }], { summary: "?", labels })).toMatchObject([{ path: "steps[0].labels" }])
    expect(form([{ stateKey: "a" }], { summary: "?", labels: { confirm: "Sí" } })).toEqual([])
  })
})

it("a hole in a list is told where it is", () => {
  const steps: Array<unknown> = []
  steps.length = 2
  expect(validate({ version: 2, id: "a", steps })).toMatchObject([{ path: "steps[0]", message: "a hole in a list" }])
})
