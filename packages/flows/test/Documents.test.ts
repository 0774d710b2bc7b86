import { describe, expect, it } from "@effect/vitest"
import { Diagram, Documents, compile } from "@botmesh/flows"
import { Effect } from "effect"
import { type AnyStep, ask, documentNamed, documentOf, say } from "./kit/Documents.ts"

const use = (flow: string): AnyStep => ({ kind: "subflow", flow })
const named = (id: string, steps: ReadonlyArray<AnyStep>, more: AnyStep = {}): AnyStep => ({
  version: 2,
  id,
  steps,
  ...more
})
const setOf = (...documents: ReadonlyArray<AnyStep>): ReadonlyMap<string, unknown> =>
  new Map(documents.map((document) => [String(document["id"]), document]))

describe("E8: the documents of a bot", () => {
  const zip = named("zip", [ask("code")])
  const address = named("address", [ask("street"), use("zip")])
  const order = named("order", [use("address"), say("ok")])
  const other = named("other", [say("x")])
  const all = setOf(zip, address, order, other)

  it.effect("replacing one compiles all that use it, directly or through another", () =>
    Effect.gen(function* () {
      const change = yield* Documents.put(all, named("zip", [ask("code", { answer: "integer" })]))
      expect(change.compiled.map(({ id }) => id)).toEqual(["zip", "address", "order"])
      expect([...change.documents.keys()]).toEqual(["zip", "address", "order", "other"])
      expect(Documents.usersOf(all, "zip")).toEqual(["address", "order"])
      expect((yield* Documents.put(all, named("new", [use("other")]))).compiled.map(({ id }) => id)).toEqual(["new"])
    })
  )
  it.effect("all compile or nothing changes", () =>
    Effect.gen(function* () {
      const wrong = yield* Effect.flip(Documents.put(all, named("zip", [say("{{")])))
      expect(wrong).toMatchObject({ _tag: "FlowDocumentError", document: "zip" })
      const ring = yield* Effect.flip(Documents.put(all, named("zip", [use("order")])))
      expect(ring.issues[0]?.message).toContain("zip")
      const large = named(
        "zip",
        Array.from({ length: 499 }, () => say("x"))
      )
      const many = new Map(all).set(
        "order",
        named("order", [use("zip"), use("zip"), use("zip"), use("zip"), use("zip")])
      )
      const over = yield* Effect.flip(Documents.put(many, large))
      expect(over).toMatchObject({ document: "order" })
      expect(all.get("zip")).toBe(zip)
    })
  )
  it.effect("one in use is not removed", () =>
    Effect.gen(function* () {
      expect(yield* Effect.flip(Documents.remove(all, "zip"))).toMatchObject({
        _tag: "FlowInUseError",
        users: ["address", "order"]
      })
      const without = yield* Documents.remove(all, "order")
      expect([...(without?.keys() ?? [])]).toEqual(["zip", "address", "other"])
      expect(yield* Documents.remove(all, "gone")).toBe(undefined)
    })
  )
  it.effect("a whole set compiles, or tells the problems of each", () =>
    Effect.gen(function* () {
      expect((yield* Documents.compileAll(all.values())).map(({ id }) => id)).toEqual([
        "zip",
        "address",
        "order",
        "other"
      ])
      const error = yield* Effect.flip(Documents.compileAll([named("a", [use("gone")]), named("b", []), zip]))
      expect(error.issues.map(({ path }) => path)).toEqual(["a: steps[0].flow", "b: steps"])
      expect(error.message).toContain("b: steps: expected at least 1 step")
    })
  )
})

describe("E7: diagrams", () => {
  it.effect("Mermaid: every step once, branches with their words, ways past them", () =>
    Effect.gen(function* () {
      const { document } = yield* compile(
        documentOf([
          {
            kind: "choose",
            text: 'Di "algo"',
            stateKey: "a",
            options: [
              { key: "a", label: "A|B", steps: [{ kind: "end" }] },
              { key: "b", label: "B" }
            ]
          },
          { kind: "guard", if: "a == 'b'", else: [say("no")] },
          { kind: "condition", if: "$isGroup", then: [say("g")], else: [{ kind: "goto", target: "x" }] }
        ])
      )
      expect(Diagram.mermaid(document).split("\n")).toEqual([
        "flowchart TD",
        '  start(("doc"))',
        '  n0[/"Di #34;algo#34;"/]',
        "  start --> n0",
        '  n1(["end"])',
        '  n0 -->|"A#124;B"| n1',
        "  n2{\"a == 'b'\"}",
        "  n0 --> n2",
        '  n3["no"]',
        '  n2 -->|"no"| n3',
        '  n4(["end"])',
        "  n3 --> n4",
        '  n5{"$isGroup"}',
        "  n2 --> n5",
        '  n6["g"]',
        '  n5 -->|"yes"| n6',
        '  n7(["go to x"])',
        '  n5 -->|"no"| n7',
        '  n8(["end"])',
        "  n6 --> n8",
        ""
      ])
    })
  )
  it.effect("SVG: boxes lie in the picture and never over one another, texts are escaped", () =>
    Effect.gen(function* () {
      const { document } = yield* compile(documentNamed("version-1"))
      const picture = Diagram.svg({ ...document, id: "<&>" })
      expect(picture).toContain("&#60;&#38;&#62;")
      const [, width, height] = /width="(\d+)" height="(\d+)"/u.exec(picture) ?? []
      const boxes = [...picture.matchAll(/<rect x="([\d.-]+)" y="([\d.-]+)" width="(\d+)" height="(\d+)"/gu)].map(
        (found) => found.slice(1).map(Number)
      )
      expect(boxes.length).toBe(11)
      for (const [index, [x = 0, y = 0, w = 0, h = 0]] of boxes.entries()) {
        expect(x).toBeGreaterThanOrEqual(0)
        expect(x + w).toBeLessThanOrEqual(Number(width))
        expect(y + h).toBeLessThanOrEqual(Number(height))
        for (const [x2 = 0, y2 = 0, w2 = 0, h2 = 0] of boxes.slice(index + 1)) {
          const apart = x + w <= x2 || x2 + w2 <= x || y + h <= y2 || y2 + h2 <= y
          expect(apart).toBe(true)
        }
      }
    })
  )
})
