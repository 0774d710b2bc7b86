import { describe, expect, it } from "@effect/vitest"
import { compileTemplate } from "@botmesh/flows"
import { Result } from "effect"
import { momentOf } from "../kit/Moment.ts"

const shown = (source: string, state: Readonly<Record<string, unknown>> = {}, body = "hola"): string =>
  Result.getOrThrow(compileTemplate(source)).render(state, momentOf({ body }))
const failure = (source: string) => {
  const result = compileTemplate(source)
  return Result.isFailure(result) ? result.failure : expect.unreachable(`${source} compiles`)
}

describe("E4: templates", () => {
  it("fills places from the state and the message", () => {
    expect(shown("Hola {{ name }}, {{age}} años", { name: "Ana", age: 31 })).toBe("Hola Ana, 31 años")
    expect(shown("{{ $body }} {{ $from }} {{ $sender }} {{ $isGroup }}")).toBe("hola ana ana false")
    expect(
      shown("{{ order.items[0].name }}{{ order.items.1.name }}", {
        order: { items: [{ name: "té" }, { name: "pan" }] }
      })
    ).toBe("tépan")
    expect(
      shown("{{ user-name }} {{ 2fa }} {{ a:b }} {{ a.b }}", { "user-name": "x", "2fa": "y", "a:b": "z", "a.b": "w" })
    ).toBe("x y z w")
    expect(shown("no { places } }} here")).toBe("no { places } }} here")
  })
  it("shows numbers without exponents, lists joined, objects and what is missing as nothing", () => {
    expect(shown("{{ a }}|{{ b }}|{{ c }}|{{ d }}|{{ e }}", { a: 1e21, b: [1, "x", {}], c: {}, d: null, e: 0.1 })).toBe(
      "1000000000000000000000|1, x, |||0.1"
    )
  })
  it("DOC-04: reads own properties only", () => {
    const state = { a: {} }
    expect(shown("[{{ constructor }}{{ a.__proto__.b }}{{ toString }}{{ a.constructor.name }}]", state)).toBe("[]")
  })
  it("DOC-09: one pass, whatever a person wrote", () => {
    expect(shown("Hola {{ name }}", { name: "{{ $from }} {{ secreto }}", secreto: "x" })).toBe(
      "Hola {{ $from }} {{ secreto }}"
    )
  })
  it("bounds what it makes, on a whole character", () => {
    const much = shown("x{{ a }}{{ a }}", { a: "👍".repeat(20_000) })
    expect(much.length).toBeLessThanOrEqual(65_536)
    expect(much.isWellFormed()).toBe(true)
  })
  it.each([
    ["{{ name", "closed", 0],
    ["x {{", "closed", 2],
    ["{{ }}", "name", 3],
    ["{{ a b }}", "one path", 5],
    ["{{ a. }}", "name", 5],
    ["{{ len(a) }}", "one path", 6],
    ["{{ a[0 }}", '"]"', 6],
    ["{{ $answer }}", "$answer", 3]
  ])("says where %s is wrong", (source, problem, at) => {
    const error = failure(source)
    expect(error.problem).toContain(problem)
    expect(error.at).toBe(at)
  })
  it("suggests a name", () => {
    expect(failure("{{ $form }}").suggestion).toBe("$from")
  })
})
