import { join } from "node:path"
import { MemoryStore, Store } from "@botmesh/core"
import type { Checkpoint } from "@botmesh/core/spi"
import { Effect } from "effect"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { clear } from "../src/conversations/Act.ts"
import { table } from "../src/conversations/List.ts"
import { fixture, run, temporary } from "./Botmesh.ts"

// Each test starts whole processes, on a machine that may be busy.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

let place: ReturnType<typeof temporary>
let data: string
let both: string
beforeAll(async () => {
  place = temporary()
  data = join(place.path, "shop.db")
  both = join(place.path, "both.db")
  await run(["dev", fixture("shop.ts"), "--data", data], "registrar\nAna\n/as Bea\nregistrar")
  await run(["dev", fixture("shop.ts"), "--data", both], "registrar")
  await run(["dev", fixture("other.ts"), "--data", both], "cita")
})
afterAll(() => place.remove())

const conversations = (...args: ReadonlyArray<string>) => run(["conversations", ...args])

it("lists the stored conversations: key, flow, step, what they wait for and since when", async () => {
  const [plain, json] = await Promise.all([
    conversations("list", "--data", data),
    conversations("list", "--data", data, "--json")
  ])
  expect(plain.code).toBe(0)
  expect(plain.out.map((line) => line.replace(/\d{4}-.*Z$/u, "TIME").replace(/ {2,}/gu, " | "))).toEqual([
    "KEY | FLOW | STEP | WAITS FOR | SINCE",
    "Bea | registrar | name | an answer to name | TIME",
    "you | registrar | plan | an answer to plan | TIME"
  ])
  expect(JSON.parse(json.out.join("\n"))).toMatchObject([
    { key: "Bea", flow: "registrar", step: "name", waits: "an answer to name" },
    { key: "you", flow: "registrar", step: "plan", waits: "an answer to plan" }
  ])
})

it("shows a checkpoint as JSON", async () => {
  const { code, out } = await conversations("show", "you", "--data", data)
  expect(code).toBe(0)
  expect(out[1]).toBe('  "format": 1,')
  expect(JSON.parse(out.join("\n"))).toMatchObject({ flow: "registrar", stepId: "plan", state: { name: "Ana" } })
})

it("ends a conversation when it is told that this is meant, and only that one", async () => {
  const asked = await conversations("abort", "Bea", "--data", data)
  expect(asked).toMatchObject({ code: 1, out: [] })
  expect(asked.err).toContain("give --yes")
  const done = await conversations("abort", "Bea", "--data", data, "--yes")
  expect(done).toMatchObject({ code: 0, out: ["Ended the conversation Bea (registrar, at name)"] })
  const again = await conversations("abort", "Bea", "--data", data, "--yes")
  expect(again.code).toBe(1)
  expect(again.err).toContain("has no conversation under the key Bea")
  expect(await run(["dev", fixture("shop.ts"), "--data", data], "/as Bea\nEva\n/as you\npro")).toMatchObject({
    out: ["you are Bea", "No te entendí", "you are you", "Listo, Ana: pro por 7"]
  })
})

it("asks which bot where a file holds several, and knows each by tenant and id", async () => {
  const [which, shop, clinic, none] = await Promise.all([
    conversations("list", "--data", both),
    conversations("list", "--data", both, "--bot", "shop"),
    conversations("list", "--data", both, "--bot", "sur/clinic"),
    conversations("list", "--data", both, "--bot", "clinic")
  ])
  expect(which.code).toBe(1)
  expect(which.err).toContain("say which with --bot (default/shop, sur/clinic)")
  expect(shop.out[1]).toMatch(/^you {2}registrar {2}name/u)
  expect(clinic.out[1]).toMatch(/^you {2}cita {2}day {3}an answer to day until \d{4}-/u)
  expect(none.err).toContain("There is no bot default/clinic in this file, but default/shop, sur/clinic")
})

it("creates nothing where there is nothing", async () => {
  const missing = await conversations("list", "--data", join(place.path, "none.db"))
  expect(missing.code).toBe(1)
  expect(missing.err).toMatch(/There is no file .*none\.db: give the SQLite file your bot keeps its data in/u)
  const other = await conversations("list", "--data", fixture("shop.ts"))
  expect(other.code).toBe(1)
  expect(other.err).not.toMatch(/^\s+at /mu)
})

const checkpoint = (revision: number): Checkpoint => ({
  format: 1,
  id: "run",
  visit: 1,
  flow: "registrar",
  version: "v",
  stepId: "name",
  state: {},
  ops: [],
  pending: [],
  origin: { id: "m", from: "ana", sender: "ana", isGroup: false, type: "text", body: "registrar" },
  trail: [],
  cuts: 0,
  applied: [],
  revision,
  fence: 1
})

it("leaves a conversation alone that has moved since it was read", () =>
  Effect.gen(function* () {
    const store = yield* Store
    yield* store.setCheckpointIf("default/shop", "ana", checkpoint(1))
    yield* store.setCheckpointIf("default/shop", "ana", checkpoint(2))
    const error = yield* Effect.flip(clear("default/shop", "ana", checkpoint(1)))
    expect(String(error.cause)).toContain("has moved in the meantime and was left alone")
    expect((yield* store.getCheckpoint("default/shop", "ana")).checkpoint?.revision).toBe(2)
    expect(yield* clear("default/shop", "ana", checkpoint(2))).toContain("Ended")
    expect((yield* store.getCheckpoint("default/shop", "ana")).checkpoint).toBeUndefined()
  }).pipe(Effect.provide(MemoryStore.layer()), Effect.runPromise))

it("keeps its columns straight", () => {
  const row = { key: "k", flow: "f", step: "s", waits: "the next message", since: "" }
  expect(table([row, { ...row, key: "group:ana", since: "2026-01-01T00:00:00.000Z" }])).toBe(
    [
      "KEY        FLOW  STEP  WAITS FOR         SINCE",
      "k          f     s     the next message",
      "group:ana  f     s     the next message  2026-01-01T00:00:00.000Z"
    ].join("\n")
  )
})
