import { describe, expect, it } from "vitest"
import { importProblems } from "../../scripts/gates/imports.ts"
import { source } from "./Tree.ts"

const core = "packages/core/src"
const problems = (path: string, text: string): ReadonlyArray<string> => importProblems([source(path, text)])

const faults: ReadonlyArray<readonly [path: string, text: string, why: string]> = [
  [`${core}/model/A.ts`, 'import { S } from "../spi/S.ts"', "model stands below spi"],
  [`${core}/model/A.ts`, 'import type { S } from "../spi/S.ts"', "model stands below spi"],
  [`${core}/model/A.ts`, 'export * from "../bot/B.ts"', "model stands below bot"],
  [`${core}/model/A.ts`, 'export type { B } from "../bot/B.ts"', "model stands below bot"],
  [`${core}/model/A.ts`, 'export type B = import("../bot/B.ts").B', "model stands below bot"],
  [`${core}/model/A.ts`, 'const b = await import("../bot/B.ts")', "model stands below bot"],
  [`${core}/model/A.ts`, 'const b = require("../bot/B.ts")', "model stands below bot"],
  [`${core}/spi/A.ts`, 'import "../memory/M.ts"', "spi stands below memory"],
  [`${core}/outbound/A.ts`, 'import "../chat/C.ts"', "outbound stands below chat"],
  [`${core}/chat/A.ts`, 'import "../conversation/C.ts"', "chat stands below conversation"],
  [`${core}/handlers/A.ts`, 'import "../inbound/Message.ts"', "handlers stands below inbound"],
  [`${core}/inbound/A.ts`, 'import "../scheduler/S.ts"', "inbound stands below scheduler"],
  [`${core}/scheduler/A.ts`, 'import "../bot/B.ts"', "scheduler stands below bot"],
  [`${core}/bot/A.ts`, 'import "../testing/T.ts"', "bot stands below testing"],
  [`${core}/events/A.ts`, 'import "../memory/M.ts"', "events and memory are siblings"],
  [`${core}/hooks/A.ts`, 'import "../i18n/I.ts"', "hooks and i18n are siblings"],
  [`${core}/conversation/A.ts`, 'import "../handlers/H.ts"', "conversation and handlers are siblings"],
  [`${core}/dev/A.ts`, 'import "../testing/H.ts"', "dev and testing are siblings"],
  [`${core}/bot/A.ts`, 'import "../index.ts"', "an entry file is for users"],
  [`${core}/spi.ts`, 'export * from "./bot/Bot.ts"', "spi stands below bot"],
  [`${core}/index.ts`, 'export * from "./testing/T.ts"', "bot stands below testing"],
  [`${core}/index.ts`, 'export * from "./testing.ts"', "an entry file is for users"],
  [`${core}/dev.ts`, 'export * from "./testing/T.ts"', "may not show testing"],
  [`${core}/bot/A.ts`, 'import "../extra/E.ts"', "folder extra has no rank"],
  [`${core}/extra/E.ts`, "export {}", "folder extra has no rank"],
  [`${core}/Loose.ts`, "export {}", "is no entry file"],
  [`${core}/inbound/1-receive/A.ts`, 'import "../2-admit/Admit.ts"', "phases of a flow never import each other"],
  [`${core}/inbound/6-close/deep/A.ts`, 'import type { B } from "../../2-admit/B.ts"', "phases of a flow never"],
  ["packages/telegram/src/2-send/A.ts", 'import "../1-receive/B.ts"', "phases of a flow never import each other"],
  ["packages/telegram/src/A.ts", 'import "@botmesh/core"', "may import only @botmesh/core/spi"],
  ["packages/telegram/src/A.ts", 'import "@botmesh/core/testing"', "may import only @botmesh/core/spi"],
  ["packages/telegram/src/A.ts", 'import type { S } from "@botmesh/sql"', "may import only @botmesh/core/spi"],
  ["packages/telegram/test/A.ts", 'import "@botmesh/sql"', "may import only @botmesh/core/spi, @botmesh/core"],
  ["packages/flows/src/A.ts", 'import "@botmesh/core/testing"', "may import only @botmesh/core, @botmesh/core/spi"],
  ["packages/local/src/A.ts", 'import "@botmesh/telegram"', "may import only @botmesh/core"],
  ["packages/core/src/bot/A.ts", 'import "@botmesh/local"', "may import no other package"],
  ["packages/core/test/A.ts", 'vi.mock("@botmesh/local")', "may import no other package"],
  ["packages/core/src/bot/A.ts", 'import "@botmesh/core"', "imports itself by relative paths"],
  ["packages/cli/src/A.ts", 'import "@botmesh/core/src/bot/Bot.ts"', "only the entries of a package"],
  ["packages/sql/src/A.ts", 'import "../../core/src/spi/Store.ts"', "src imports only src"],
  ["packages/sql/src/A.ts", 'import "../test/Kit.ts"', "src imports only src"],
  ["packages/sql/test/A.ts", 'import "../../core/src/spi/Store.ts"', "imported by its name"],
  ["examples/shop/src/A.ts", 'import "../../../packages/core/src/index.ts"', "imported by its name"],
  ["benchmarks/src/A.ts", 'import "../../packages/core/src/index.ts"', "imported by its name"],
  ["test/bot.test.ts", 'import "../packages/core/src/index.ts"', "imported by its name"],
  [`${core}/bot/A.ts`, 'import { it } from "vitest"', "only core/testing loads a test framework"]
]

const harmless: ReadonlyArray<readonly [path: string, text: string]> = [
  [`${core}/bot/A.ts`, 'import "../model/A.ts"\nimport "../inbound/Message.ts"\nimport "./B.ts"\nimport "effect"'],
  [`${core}/inbound/Message.ts`, 'import "./1-receive/A.ts"\nimport "./2-admit/B.ts"'],
  [`${core}/inbound/1-receive/A.ts`, 'import "../Passage.ts"\nimport "./B.ts"\nimport "../../spi/S.ts"'],
  [`${core}/index.ts`, 'export * from "./bot/Bot.ts"\nexport * from "./spi.ts"'],
  [`${core}/testing.ts`, 'export * from "./testing/T.ts"\nexport * from "./bot/Bot.ts"'],
  [`${core}/testing/T.ts`, 'import { it } from "@effect/vitest"'],
  [`${core}/dev.ts`, 'export * from "./dev/Dev.ts"'],
  ["packages/telegram/src/A.ts", 'import "@botmesh/core/spi"\nimport "node:crypto"'],
  ["packages/telegram/test/A.ts", 'import "@botmesh/core/testing"\nimport "../src/A.ts"\nimport "@botmesh/telegram"'],
  ["packages/telegram/test/A.ts", 'import x from "../../../test/fixtures/a.json" with { type: "json" }'],
  ["packages/local/src/A.ts", 'import "@botmesh/sql"\nimport "@botmesh/core"'],
  ["packages/cli/src/A.ts", 'import "@botmesh/local"\nimport "@botmesh/core/dev"'],
  ["examples/shop/src/A.ts", 'import "@botmesh/telegram"\nimport "./B.ts"'],
  ["test/bot.test.ts", 'import "@botmesh/sql"\nimport "../scripts/gates/gate.ts"']
]

describe("imports gate", () => {
  it.each(faults)("in %s finds the planted %j", (path, text, why) => {
    const found = problems(path, text)
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(path)
    expect(found[0]).toContain(why)
  })

  it.each(harmless)("in %s lets %j pass", (path, text) => {
    expect(problems(path, text)).toEqual([])
  })

  it("refuses a phase that imports the list it stands in", () => {
    const list = source(`${core}/inbound/Message.ts`, 'import "./1-receive/A.ts"')
    const phase = source(`${core}/inbound/1-receive/A.ts`, 'import "../Message.ts"')
    const why = 'imports "../Message.ts": a phase never imports the list it stands in'
    expect(importProblems([list, phase])).toEqual([`${phase.path}:1 ${why}`])
  })

  it("says the line", () => {
    expect(problems(`${core}/model/A.ts`, '\n\nimport "../bot/B.ts"')[0]).toMatch(/A\.ts:3 imports/u)
  })
})
