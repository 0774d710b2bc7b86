import { describe, expect, it } from "vitest"
import { ambientProblems, ambientUses, readAllowed } from "../../scripts/gates/ambient.ts"
import { plant, source } from "./Tree.ts"

const path = "packages/core/src/model/A.ts"
const found = (text: string): ReadonlyArray<string> => ambientUses(source(path, text)).map(({ name }) => name)

const faults: ReadonlyArray<readonly [text: string, name: string]> = [
  ["const t = Date.now()", "Date.now"],
  ['const t = Date["now"]()', "Date.now"],
  ["const t = Date?.now()", "Date.now"],
  ["const t = Date!.now()", "Date.now"],
  ["const f = Date.now", "Date.now"],
  ["const d = new Date()", "new Date()"],
  ["const d = new Date", "new Date()"],
  ["const d = new Date(...[])", "new Date()"],
  ["const d = Date()", "Date()"],
  ["const { now } = Date", "alias of Date"],
  ["const D = Date", "alias of Date"],
  ["setTimeout(() => {}, 1)", "setTimeout"],
  ["setInterval(() => {}, 1)", "setInterval"],
  ["setImmediate(() => {})", "setImmediate"],
  ["globalThis.setTimeout(() => {}, 1)", "setTimeout"],
  ["const { setTimeout: later } = globalThis", "alias of globalThis"],
  ['Reflect.get(globalThis, "fetch")', "alias of globalThis"],
  ["const r = Math.random()", "Math.random"],
  ["const { random } = Math", "alias of Math"],
  ["const r = (Math as { random(): number }).random()", "Math.random"],
  ["const u = crypto.randomUUID()", "crypto.randomUUID"],
  ["const u = globalThis.crypto.randomUUID()", "crypto.randomUUID"],
  ["const t = globalThis.Date.now()", "Date.now"],
  ["const b = crypto.getRandomValues(new Uint8Array(8))", "crypto.getRandomValues"],
  ['import { randomUUID } from "node:crypto"', "randomUUID"],
  ['import { randomUUID as id } from "crypto"', "randomUUID"],
  ['import { randomBytes } from "node:crypto"', "randomBytes"],
  ['import * as Crypto from "node:crypto"\nconst u = Crypto.randomUUID()', "randomUUID"],
  ['import Crypto from "node:crypto"\nconst u = Crypto.randomInt(3)', "randomInt"],
  ['export { randomUUID } from "node:crypto"', "randomUUID"],
  ['import { setTimeout as wait } from "node:timers/promises"', "setTimeout"],
  ['import * as Timers from "node:timers"', "timers"],
  ['import Timers from "timers/promises"', "timers/promises"],
  ['export * from "node:timers"', "timers"],
  ['const t = await import("node:timers/promises")', "timers/promises"],
  ["const t = performance.now()", "performance"],
  ['import { performance } from "node:perf_hooks"', "performance"],
  ["const t = process.hrtime.bigint()", "process.hrtime"],
  ['const r = fetch("https://a.test")', "fetch"],
  ['const r = globalThis.fetch("https://a.test")', "fetch"],
  ["const get = { fetch }", "fetch"],
  ['import { FetchHttpClient } from "effect/http"', "FetchHttpClient"],
  ['import * as DateTime from "effect/DateTime"\nconst n = DateTime.nowUnsafe()', "DateTime.nowUnsafe"],
  ['import { Cron } from "effect"\nexport const n = (c: Cron.Cron) => Cron.next(c)', "Cron.next without a date"],
  ["function f(fetch: () => void) { fetch() }\nfetch()", "fetch"],
  ["{ const fetch = () => 1; fetch() }\nconst f = () => fetch()", "fetch"]
]

const harmless: ReadonlyArray<string> = [
  "const d = new Date(0)",
  "const d = new Date(millis)\nconst t = Date.UTC(2020, 1)",
  "export type T = { readonly at: Date; readonly fetch: typeof fetch }",
  "const a = x instanceof Date",
  "const f = (fetch: () => void) => fetch()",
  "const f = ({ fetch, performance }: Services) => fetch(performance)",
  "class A { fetch() { return 1 } performance = 2 }\nnew A().fetch()",
  "const o = { setTimeout: 1 }\no.setTimeout",
  "export const random = Random.next\nconst m = Math.floor(1.5)",
  'import type { randomUUID } from "node:crypto"',
  'import { createHash, type randomUUID } from "node:crypto"\nconst h = createHash("sha256")',
  "const s = 'Date.now()' // setTimeout(() => {}, 1)",
  'import { Cron } from "effect"\nexport const n = (c: Cron.Cron, from: Date) => Cron.next(c, from)',
  "for (const fetch of list) fetch()\ntry { a() } catch (performance) { performance() }",
  "const constructor = 1\nconst t = toString.constructor"
]

describe("ambient gate", () => {
  it.each(faults)("finds the planted %j", (text, name) => {
    expect(found(text)).toEqual([name])
  })

  it.each(harmless)("lets %j pass", (text) => {
    expect(found(text)).toEqual([])
  })

  it("says where, and takes the list of the allowed by file and name", () => {
    const files = [source(path, "\nsetTimeout(f, 1)\nfetch(url)")]
    const allowed = [{ file: path, names: ["fetch"], reason: "the transport" }]
    expect(ambientProblems(files, allowed)).toEqual([
      `${path}:2 ambient setTimeout: use Clock, Random, a schedule or a service`
    ])
  })

  it("refuses an entry without reason, for another file or for what is no longer used", () => {
    const files = [source(path, "fetch(url)")]
    const problems = ambientProblems(files, [
      { file: path, names: ["fetch", "setTimeout"], reason: " " },
      { file: "packages/core/src/B.ts", names: ["fetch"], reason: "moved" }
    ])
    expect(problems).toEqual([
      `ambient-allowed.json: ${path} has no reason`,
      `ambient-allowed.json: ${path} no longer uses setTimeout: remove it`,
      "ambient-allowed.json: packages/core/src/B.ts no longer uses fetch: remove it"
    ])
  })

  it("refuses a list it cannot read and a file that does not parse", () => {
    using tree = plant({ "allowed.json": '[{ "file": "a.ts" }]' })
    expect(() => readAllowed(`${tree.path}/allowed.json`)).toThrow("want [{ file, names, reason }]")
    expect(() => found("const = 1")).toThrow("does not parse")
  })
})
