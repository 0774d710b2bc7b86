import { describe, expect, it } from "@effect/vitest"
import { check, transports, validate } from "@botmesh/flows"
import { type AnyStep, ask, documentNamed, documentOf, say } from "./kit/Documents.ts"

const told = (document: unknown, options: Parameters<typeof check>[1] = {}): ReadonlyArray<string> =>
  check(document, options).issues.map(
    ({ message, path, severity, suggestion }) =>
      `${severity} ${path}: ${message}${suggestion === undefined ? "" : ` (${suggestion}?)`}`
  )
const when = (condition: string, then: ReadonlyArray<AnyStep> = [say("x")]): AnyStep => ({
  kind: "condition",
  if: condition,
  then
})
const choose = (stateKey: string, ...options: ReadonlyArray<AnyStep>): AnyStep => ({
  kind: "choose",
  text: "?",
  stateKey,
  options
})

describe("checks: values read before they are asked", () => {
  it("nothing asks it, with what may have been meant", () => {
    expect(told(documentOf([ask("name"), say("Hola {{ nmae }}")]))).toEqual([
      'warning steps[1].text: nothing asks "nmae": name it in inputs if whoever starts the flow brings it (name?)'
    ])
  })
  it("only a later step asks it", () => {
    expect(told(documentOf([say("Hola {{ name }}"), ask("name")]))).toEqual([
      'warning steps[0].text: "name" is read here before any path has asked it'
    ])
  })
  it("some path has asked it, an input brings it, a form, a menu, a request or a subflow fills it", () => {
    const child = { version: 2, id: "child", inputs: ["a"], steps: [ask("zip")] }
    const document = documentOf(
      [
        when("$isGroup", [ask("name")]),
        say("{{ name }} {{ source }}"),
        choose("plan", { key: "a", label: "A", steps: [say("{{ plan }}")] }),
        {
          kind: "form",
          fields: [
            { stateKey: "x", text: "?" },
            { stateKey: "y", text: "{{ x }}?", validate: { expr: "y != x" } }
          ],
          summary: "{{ x }} {{ y }}"
        },
        { kind: "http", method: "GET", url: "https://api.example.com/{{ x }}", stateKey: "status" },
        { kind: "subflow", flow: "child", inputs: { a: "name" }, outputs: { code: "zip" } },
        say("{{ plan }} {{ x }} {{ status.deep }} {{ code }} {{ $state.name }}")
      ],
      { inputs: ["source"] }
    )
    expect(told(document, { flows: [child] })).toEqual([])
  })
  it("an else of a request does not see what the request would have filled", () => {
    const http = {
      kind: "http",
      method: "GET",
      url: "https://api.example.com/",
      stateKey: "status",
      else: [say("{{ status }}")]
    }
    expect(told(documentOf([http]))).toEqual([
      'warning steps[0].else[0].text: "status" is read here before any path has asked it'
    ])
  })
  it("a validation sees its own answer, the text of the question does not", () => {
    expect(
      told(documentOf([ask("a", { text: "{{ a }}?", validate: { expr: "len(a) > 1", message: "{{ a }}" } })]))
    ).toEqual(['warning steps[0].text: "a" is read here before any path has asked it'])
  })
})

describe("checks: comparisons that cannot be met", () => {
  it("a text with a number", () => {
    expect(told(documentOf([ask("age"), when("age >= 18")]))).toEqual([
      'warning steps[1].if: ">=" is never true here: it compares a text with a number (number(age)?)'
    ])
    expect(told(documentOf([ask("age"), when("number(age) >= 18 && len(age) > 1")]))).toEqual([])
    expect(
      told(documentOf([ask("age", { answer: "integer" }), when("18 <= age"), when("age == '18'"), when("age != '18'")]))
    ).toEqual([
      'warning steps[2].if: "==" is never true here: it compares a number with a text',
      'warning steps[3].if: "!=" is always true here: it compares a number with a text'
    ])
  })
  it("a menu with a key it does not have", () => {
    const menu = choose("plan", { key: "pro", label: "Pro" }, { key: "max", label: "Max" })
    expect(told(documentOf([menu, when("plan == 'prro'"), when("oneOf(plan, 'max', 'free')")]))).toEqual([
      'warning steps[1].if: "prro" is none of the values it can have: pro, max (pro?)',
      'warning steps[2].if: "free" is none of the values it can have: pro, max'
    ])
  })
  it("nothing is said of what may be anything", () => {
    const document = documentOf(
      [when("$isGroup", [ask("x", { answer: "number" })]), when("$isGroup", [ask("x")]), when("x > 3"), when("y == 1")],
      { inputs: ["y"] }
    )
    expect(told(document)).toEqual([])
  })
})

describe("checks: steps nothing leads to", () => {
  it("behind a goto, an end, a handoff, branches that all leave", () => {
    const end = { kind: "end" }
    expect(told(documentOf([end, say("x"), say("y")]))).toEqual([
      "warning steps[1]: this step is never reached: the one before it never goes on"
    ])
    expect(
      told(documentOf([{ kind: "condition", if: "$isGroup", then: [end], else: [{ kind: "handoff" }] }, say("x")]))
    ).toEqual(["warning steps[1]: this step is never reached: the one before it never goes on"])
    expect(told(documentOf([choose("a", { key: "a", label: "A", steps: [end, say("x")] }), say("x")]))).toEqual([
      "warning steps[0].options[0].steps[1]: this step is never reached: the one before it never goes on",
      "warning steps[1]: this step is never reached: the one before it never goes on"
    ])
    expect(
      told(documentOf([choose("a", { key: "a", label: "A", steps: [end] }, { key: "b", label: "B" }), say("x")]))
    ).toEqual([])
    expect(
      told(
        documentOf([{ kind: "handoff", allowReturn: true }, { kind: "guard", if: "$isGroup", else: [end] }, say("x")])
      )
    ).toEqual([])
  })
  it("a condition that is always the same", () => {
    expect(told(documentOf([{ kind: "condition", if: "true", then: [say("x")], else: [say("y")] }]))).toEqual([
      "warning steps[0].if: the condition is always true",
      "warning steps[0].else: these steps are never reached: the condition never leads here"
    ])
    expect(told(documentOf([{ kind: "guard", if: "false", else: [say("x")] }, say("y")]))).toEqual([
      "warning steps[0].if: the condition is always false",
      "warning steps[1]: this step is never reached: the one before it never goes on"
    ])
  })
})

describe("checks: what other documents are named", () => {
  it("gotos and subflows that do not exist", () => {
    const steps = [ask("a"), { kind: "subflow", flow: "adress" }, { kind: "goto", target: "byee" }]
    expect(
      told(documentOf(steps), { flows: [{ version: 2, id: "address", steps: [say("x")] }], known: ["bye"] })
    ).toEqual([
      'error steps[1].flow: there is no flow document "adress": there are address (address?)',
      'error steps[2].target: there is no flow "byee" (bye?)'
    ])
    expect(told(documentOf([ask("a"), { kind: "goto", target: "doc" }]), { flows: [] })).toEqual([])
    expect(told(documentOf([{ kind: "goto", target: "other" }]))).toEqual([])
  })
  it("inputs and outputs a flow does not know", () => {
    const child = { version: 2, id: "child", inputs: ["who"], steps: [ask("zip")] }
    const document = documentOf([
      ask("a"),
      { kind: "subflow", flow: "child", inputs: { whoo: "a" }, outputs: { code: "zipp" } },
      { kind: "goto", target: "child", inputs: { x: "a" } }
    ])
    expect(told(document, { flows: [child] })).toEqual([
      'warning steps[1].inputs.whoo: "whoo" is no input of "child" (who?)',
      'warning steps[1].outputs.code: "child" never fills "zipp" (zip?)',
      'warning steps[2].inputs.x: "x" is no input of "child"'
    ])
  })
  it("a ring of subflows, a subflow that does not compile", () => {
    const a = documentOf([{ kind: "subflow", flow: "b" }], { id: "a" })
    const b = documentOf([{ kind: "subflow", flow: "a" }], { id: "b" })
    expect(validate(a, { flows: [a, b] })).toMatchObject([
      {
        path: "steps[0].flow",
        message: 'the subflow "b" does not compile: steps[0].flow: a subflow may not use itself: a → b → a'
      }
    ])
    expect(validate(a, { flows: [documentOf([say("{{")], { id: "b" })] })).toMatchObject([
      {
        path: "steps[0].flow",
        message: 'the subflow "b" does not compile: steps[0].text: a {{ is not closed (at character 1)'
      }
    ])
    expect(validate(a)).toMatchObject([{ message: 'there is no flow document "b": no other documents were given' }])
  })
  it("subflows copied in are counted", () => {
    const child = documentOf(
      Array.from({ length: 499 }, () => say("x")),
      { id: "child" }
    )
    const use = { kind: "subflow", flow: "child" }
    expect(validate(documentOf([use, use, use, use]), { flows: [child] })).toEqual([])
    expect(validate(documentOf([use, use, use, use, use]), { flows: [child] })).toMatchObject([
      { path: "steps[3].flow", message: "with its subflows copied in the document has more than 2000 steps" }
    ])
  })
})

describe("E8: subflows in one another", () => {
  const use = (flow: string, id: string) => ({ kind: "subflow", flow, id })
  const chain = (length: number, uses: number, last: AnyStep) =>
    Array.from({ length }, (_, at) =>
      documentOf(at === length - 1 ? [last] : Array.from({ length: uses }, (_, n) => use(`d${at + 1}`, `u${n}`)), {
        id: `d${at}`
      })
    )
  it("a ring does not send the check round for ever", () => {
    const flows = [documentOf([use("b", "x")], { id: "a" }), documentOf([use("a", "x")], { id: "b" })]
    expect(told(flows[0], { flows })).toEqual([
      'error steps[0].flow: the subflow "b" does not compile: steps[0].flow: a subflow may not use itself: a → b → a'
    ])
  })
  it("each is looked at once, however often it is used, whether it compiles or not", () => {
    const wrong = chain(30, 2, use("nowhere", "x"))
    expect(validate(wrong[0], { flows: wrong })).toHaveLength(2)
    expect(told(wrong[0], { flows: wrong })).toHaveLength(2)
    const large = chain(30, 2, { kind: "goto", target: "d0" })
    expect(validate(large[0], { flows: large }).length).toBeGreaterThan(0)
    expect(told(large[0], { flows: large }).some((line) => line.includes("d0 → d0"))).toBe(true)
  })
  it("at most 32 levels: at, above, and far above", () => {
    for (const [length, problems] of [
      [33, 0],
      [34, 1],
      [10_000, 1]
    ] as const) {
      const flows = chain(length, 1, say("x"))
      expect(validate(flows[0], { flows })).toHaveLength(problems)
      expect(told(flows[0], { flows })).toHaveLength(problems)
    }
    // Reached by a short way first: the long one is still too long.
    const flows = chain(33, 1, say("x"))
    const twice = documentOf([use("d1", "short"), use("d0", "long")], { id: "top" })
    expect(validate(twice, { flows })).toHaveLength(1)
  })
})

describe("DOC-01: loops without a wait", () => {
  const home = { kind: "goto", target: "doc" }
  it("always, over other documents and subflows too", () => {
    expect(told(documentOf([say("x"), home]))).toEqual([
      "error steps[1].target: this goes round without waiting for anybody: doc → doc"
    ])
    const other = documentOf([{ kind: "delay", duration: "5s" }, home], { id: "other" })
    expect(told(documentOf([{ kind: "goto", target: "other" }]), { flows: [other] })).toEqual([
      "error steps[0].target: this goes round without waiting for anybody: doc → other → doc"
    ])
    expect(told(documentOf([{ kind: "subflow", flow: "other" }]), { flows: [other] })).toEqual([
      "error steps[0].flow: this goes round without waiting for anybody: doc → doc"
    ])
  })
  it("maybe", () => {
    expect(told(documentOf([when("$isGroup", [home])]))).toEqual([
      "warning steps[0].then[0].target: this may go round without waiting for anybody: doc → doc"
    ])
    expect(told(documentOf([when("$isGroup", [ask("a")]), home]))).toEqual([
      "warning steps[1].target: this may go round without waiting for anybody: doc → doc"
    ])
  })
  it("a question, a menu, a form, a long delay or a person in between is a wait", () => {
    for (const wait of [
      ask("a"),
      choose("a", { key: "a", label: "A" }),
      { kind: "form", fields: [{ stateKey: "a", text: "?" }] },
      { kind: "delay", duration: "6s" },
      { kind: "handoff", allowReturn: true }
    ]) {
      expect(told(documentOf([wait, home]))).toEqual([])
    }
  })
})

describe("checks: what transports show", () => {
  it("texts, captions, menus", () => {
    const document = documentOf([
      say("x".repeat(2001)),
      { kind: "media", type: "image", url: "https://cdn.example.com/a.jpg", caption: "é".repeat(600) },
      choose(
        "a",
        ...Array.from({ length: 12 }, (_, n) => ({ key: `k${n}`, label: n === 0 ? "x".repeat(21) : `l${n}` }))
      )
    ])
    expect(told(document, { transports: ["telegram"] })).toEqual([])
    expect(told(document, { transports: ["messenger", "instagram", "whatsapp-cloud"] })).toEqual([
      "warning steps[0].text: messenger takes 2000 characters here, this has 2001",
      "warning steps[0].text: instagram takes 1000 bytes here, this has 2001",
      "warning steps[1].caption: instagram takes 1000 bytes here, this has 1200",
      "warning steps[2].options[0].label: messenger cuts a label of more than 20 characters",
      "warning steps[2].options[0].label: instagram cuts a label of more than 20 bytes",
      "warning steps[2].options: whatsapp-cloud shows at most 10 options as buttons, these are 12",
      "warning steps[2].options[0].label: whatsapp-cloud cuts a label of more than 20 characters"
    ])
  })
  it("what is filled in does not count", () => {
    const document = documentOf([ask("a"), say(`{{ a }}${"x".repeat(1999)}`)])
    expect(told(document, { transports })).toEqual([
      "warning steps[1].text: instagram takes 1000 bytes here, this has 1999"
    ])
  })
})

it("checks: the golden documents raise nothing they should not", () => {
  const flows = [
    documentNamed("direccion"),
    { version: 2, id: "mayoristas", inputs: ["name", "count"], steps: [say("x")] }
  ]
  expect(told(documentNamed("version-2"), { flows })).toEqual([])
  expect(told(documentNamed("version-1"), { known: ["despedida"] })).toEqual([])
})
