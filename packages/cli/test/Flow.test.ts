import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { run, temporary } from "./Botmesh.ts"

// Each test starts whole processes, on a machine that may be busy.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

let place: ReturnType<typeof temporary>
const written = (name: string, document: unknown): string => {
  const path = join(place.path, name)
  writeFileSync(path, typeof document === "string" ? document : JSON.stringify(document))
  return path
}
let order: string
let address: string
beforeAll(() => {
  place = temporary()
  order = written("order.json", {
    version: 2,
    id: "order",
    steps: [
      { kind: "ask", text: "¿Qué quieres?", stateKey: "what" },
      { kind: "subflow", flow: "address", outputs: { street: "street" } },
      { kind: "say", text: "{{ what }} a {{ street }}" }
    ]
  })
  address = written("address.json", {
    version: 2,
    id: "address",
    trigger: "calle",
    steps: [{ kind: "ask", text: "¿Calle?", stateKey: "street" }]
  })
})
afterAll(() => place.remove())

it("validates documents, each among the others and those beside it", async () => {
  const good = await run(["flow", "validate", order, address])
  expect(good).toMatchObject({ code: 0, out: [`${order}: ok`, `${address}: ok`] })
  expect(await run(["flow", "validate", order])).toMatchObject({ code: 0, out: [`${order}: ok`] })
  const lost = written("lost.json", { version: 2, id: "lost", steps: [{ kind: "subflow", flow: "adress" }] })
  const bad = await run(["flow", "validate", lost])
  expect(bad.code).toBe(1)
  expect(bad.out[0]).toContain(`${lost}: error: steps[0].flow: there is no flow document "adress"`)
  expect(bad.err).toContain("1 of 1 documents have errors")
})

it("checks documents, and tells mistakes from errors", async () => {
  const doubtful = written("doubtful.json", {
    version: 2,
    id: "doubtful",
    steps: [
      { kind: "say", text: `{{ name }}${"x".repeat(1001)}` },
      { kind: "goto", target: "elsewhere" }
    ]
  })
  const { code, out } = await run(["flow", "check", doubtful, "--known", "elsewhere", "--transport", "instagram"])
  expect(out).toEqual([
    `${doubtful}: warning: steps[0].text: nothing asks "name": name it in inputs if whoever starts the flow brings it`,
    `${doubtful}: warning: steps[0].text: instagram takes 1000 bytes here, this has 1001`
  ])
  expect(code).toBe(0)
  const lost = await run(["flow", "check", doubtful])
  expect(lost.out[0]).toContain('error: steps[1].target: there is no flow "elsewhere"')
  expect(lost.code).toBe(1)
  expect((await run(["flow", "check", doubtful, "--transport", "smoke"])).err).toContain("There is no transport smoke")
})

it("prints the schema and draws documents", async () => {
  const schema = await run(["flow", "schema"])
  expect(JSON.parse(schema.out.join("\n"))).toMatchObject({ $schema: "https://json-schema.org/draft/2020-12/schema" })
  const drawn = await run(["flow", "diagram", order, address])
  expect(drawn.out[0]).toBe("flowchart TD")
  expect(drawn.out).toContain('  n1[["subflow address"]]')
  const picture = await run(["flow", "diagram", order, "--svg"])
  expect(picture.out.join("")).toMatch(/^<svg .*subflow address.*<\/svg>$/u)
})

it("talks to a document, with the others of its folder around it", async () => {
  const told = await run(["dev", order], "hola\npan\nMayor 1")
  expect(told).toMatchObject({ code: 0, out: ["¿Qué quieres?", "¿Calle?", "pan a Mayor 1"] })
  const other = await run(["dev", order], "calle")
  expect(other.out).toEqual(["¿Calle?"])
})

it("says what is wrong with a file", async () => {
  const broken = written("broken.txt", "{")
  expect((await run(["flow", "validate", broken])).err).toContain("is no JSON")
  expect((await run(["flow", "validate", join(place.path, "none.json")])).err).toContain("There is no file")
  const wrong = join(place.path, "wrong.json")
  writeFileSync(wrong, '{"version":2,"id":"wrong","steps":[]}')
  const { code, err } = await run(["dev", wrong])
  expect(code).toBe(1)
  expect(err).toContain("steps: expected at least 1 step")
})
