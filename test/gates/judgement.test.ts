import { describe, expect, it } from "vitest"
import { failed, render, runGate, runGates } from "../../scripts/gates/gate.ts"
import { counts, readReport, readSkips, skipProblems } from "../../scripts/gates/report.ts"
import { rulesReport } from "../../scripts/gates/rules.ts"
import { readRatchet, sizeReport } from "../../scripts/gates/sizes.ts"
import { fixtureIds, names, readFixtures, unnamedIds } from "../../scripts/gates/titles.ts"
import { judge } from "../../scripts/gates/verdict.ts"
import { plant, root, source } from "./Tree.ts"

const assertion = (title: string, status: string) => ({ fullName: title, title, status, failureMessages: [] })
const report = (...tests: ReadonlyArray<readonly [title: string, status: string]>) =>
  readReport({
    testResults: [{ name: "a.test.ts", status: "passed", assertionResults: tests.map(([t, s]) => assertion(t, s)) }]
  })

describe("verdict on a run", () => {
  it("is a success when every test passed", () => {
    const green = report(["a", "passed"], ["b", "passed"])
    expect(judge(green, [], [], 0)).toEqual([])
    expect(counts(green)).toEqual({ passed: 2, failed: 0 })
  })

  it("fails on a failed test", () => {
    const red = report(["a", "passed"], ["b", "failed"])
    expect(judge(red, [], [], 1)).toEqual(["a.test.ts: b"])
    expect(counts(red)).toEqual({ passed: 1, failed: 1 })
  })

  it("fails where no test ran", () => {
    expect(judge(report(), [], [], 0)).toEqual(["no test ran"])
  })

  it("counts a file that could not be loaded as a failure", () => {
    const broken = readReport({
      testResults: [{ name: "a.test.ts", status: "failed", message: "no such module", assertionResults: [] }]
    })
    expect(judge(broken, [], [], 1)).toEqual(["a.test.ts: no such module"])
    expect(counts(broken)).toEqual({ passed: 0, failed: 1 })
  })

  it("fails on an error outside of every test", () => {
    expect(judge(report(["a", "passed"]), [], [], 1)).toEqual(["vitest ended with exit code 1"])
  })

  it("refuses what is no report", () => {
    expect(() => readReport({})).toThrow("no report of tests")
  })

  it.each(["skipped", "pending", "todo", "disabled"])("fails on a %s test that is not listed", (status) => {
    const run = report(["a", "passed"], ["group b", status])
    expect(judge(run, [], [], 0)).toEqual([`a.test.ts: "group b" is ${status} and not in test/skips.json`])
    expect(judge(run, [{ title: "group b", reason: "needs a device" }], [], 0)).toEqual([])
  })

  it("refuses entries of the list without reason or without a skipped test", () => {
    const run = report(["a", "passed"], ["b", "skipped"])
    const skips = readSkips([
      { title: "a", reason: "was flaky" },
      { title: "b", reason: "" }
    ])
    expect(skipProblems(run, skips)).toEqual([
      'test/skips.json: "b" has no reason',
      'test/skips.json: "a" names no skipped test: remove it'
    ])
    expect(() => readSkips([{ title: "a" }])).toThrow("want [{ title, reason }]")
  })
})

// Made-up ids: a title of these tests must not stand for a real scenario.
describe("scenario ids in titles", () => {
  const fixtures = [{ path: "test/fixtures/a.json", ids: ["ZZ-05", "ZZ-06", "telegram-01-command-start"] }]

  it("finds the ids that no passed test names", () => {
    const run = report(
      ["webhook ZZ-05 refuses", "passed"],
      ["ZZ-06 is slow", "failed"],
      ["telegram-01-command-start", "passed"]
    )
    expect(unnamedIds(fixtures, run.tests)).toEqual(["test/fixtures/a.json: in no title of a passed test: ZZ-06"])
    expect(unnamedIds(fixtures, [])).toEqual([
      "test/fixtures/a.json: in no title of a passed test: ZZ-05 ZZ-06 telegram-01-command-start"
    ])
    const green = report(["ZZ-05", "passed"], ["telegram-01-command-start", "passed"])
    expect(judge(green, [], fixtures, 0)).toEqual(["test/fixtures/a.json: in no title of a passed test: ZZ-06"])
  })

  it.each([
    ["ZZ-05", true],
    ["ZZ-05: refuses", true],
    ["a (ZZ-05)", true],
    ["ZZ-05.json", true],
    ["ZZ-050", false],
    ["XZZ-05", false],
    ["ZZ-05-2", false],
    ["A-ZZ-05", false],
    ["ZZ-05b", false],
    ["zz-05", false]
  ])("ZZ-05 in %j: %s", (title, wanted) => {
    expect(names(title, "ZZ-05")).toBe(wanted)
  })

  it("reads ids at any depth and takes a payload's name for its id", () => {
    const cases = JSON.stringify({
      cases: [{ id: "TXT-001", deep: [{ id: "TXT-003" }] }, { id: "plan:pro" }, { id: 7 }]
    })
    expect(fixtureIds("test/fixtures/text.json", cases)).toEqual(["TXT-001", "TXT-003"])
    expect(fixtureIds("test/fixtures/telegram-02-text-reply.json", '{ "id": "AB-12" }')).toEqual([
      "telegram-02-text-reply"
    ])
  })

  it("names the fixture that it cannot read", () => {
    expect(() => fixtureIds("test/fixtures/cut.json", '{ "id": ')).toThrow("test/fixtures/cut.json: ")
  })

  it("finds the fixtures of every package", () => {
    using tree = plant({
      "packages/a/test/fixtures/x.json": '[{ "id": "CONV-01" }]',
      "packages/a/src/y.json": '[{ "id": "CONV-02" }]',
      "test/fixtures/deep/z.json": '[{ "id": "CONV-03" }]'
    })
    expect(readFixtures(tree.path).flatMap(({ ids }) => ids)).toEqual(["CONV-01", "CONV-03"])
  })
})

describe("sizes gate", () => {
  const lines = (count: number): string => "x()\n".repeat(count)
  const stage = "packages/core/src/inbound/2-admit/Dedupe.ts"

  it("notes a file over its limit and fails at twice the limit", () => {
    expect(sizeReport([source(stage, lines(120))], new Map())).toEqual({ problems: [], notes: [] })
    const over = sizeReport([source(stage, lines(121))], new Map())
    expect(over).toEqual({ problems: [], notes: [`${stage}: 121 lines (stage: 120)`] })
    const twice = sizeReport([source(stage, lines(241))], new Map())
    expect(twice.problems).toEqual([`${stage}: 241 lines (stage: 120): split it`])
  })

  it("holds a file on the ratchet at its number", () => {
    expect(sizeReport([source(stage, lines(300))], new Map([[stage, 300]])).problems).toEqual([])
    const grown = sizeReport([source(stage, lines(301))], new Map([[stage, 300]]))
    expect(grown.problems).toEqual([`${stage}: 301 lines (stage: 120): it may not grow past 300`])
    expect(sizeReport([], new Map([[stage, 300]])).problems).toEqual([`sizes.json: ${stage} is no more: remove it`])
  })

  it("counts long functions", () => {
    const text = `export const short = () => 1\nexport const long = () => {\n${lines(40)}}\n`
    const place = "packages/core/src/bot/Bot.ts"
    expect(sizeReport([source(place, text)], new Map()).notes).toEqual([
      `1 functions over 40 lines, the longest ${place}:2 long (42)`
    ])
  })

  it("refuses a ratchet that is no table of numbers", () => {
    using tree = plant({ "sizes.json": '{ "a.ts": "long" }' })
    expect(() => readRatchet(`${tree.path}/sizes.json`)).toThrow("a.ts has no number of lines")
  })
})

describe("rules gate", () => {
  const check = (text: string) => rulesReport([source("packages/core/src/model/A.ts", text)])

  it.each([
    ["export const f = (x: any) => x", "any:"],
    ["export type A<T extends string> = Record<T, any>", "any:"],
    ["export type A<T> = T extends string ? any : never", "any:"],
    ["export const f = (a: Array<any>) => a", "any:"],
    ["export const f = (a: any[]) => a", "any:"],
    ["export const f = (a: Schema.Codec<Record<string, any>, string>) => a", "any:"],
    ["// @ts-ignore\nf()", "@ts-ignore:"],
    ["/* @ts-expect-error wrong */\nf()", "@ts-expect-error:"],
    ["// TODO later\nf()", "TODO:"]
  ])("finds the planted %j", (text, wanted) => {
    expect(check(text).problems.join("\n")).toContain(wanted)
  })

  it.each([
    "export type A<T extends ReadonlyArray<any>> = T",
    "export const f = <A extends Record<string, any>>(a: A) => a",
    "export type AnyFlow = Flow<any, any>",
    "export const f = <A>(codec: Schema.Codec<A, any>) => codec",
    "export type A<T> = T extends Effect<infer A, any, any> ? A : never",
    'export const text = "// TODO is no comment here"',
    "export const a = [1] as const"
  ])("lets %j pass", (text) => {
    expect(check(text)).toEqual({ problems: [], notes: [] })
  })

  it("counts casts", () => {
    expect(check("export const a = b as string").notes).toEqual([
      "1 casts, the most in packages/core/src/model/A.ts (1)"
    ])
  })
})

describe("running gates", () => {
  const gate = (name: string, problems: ReadonlyArray<string>) => ({
    name,
    run: async () => ({ problems, notes: ["seen"] })
  })

  it("takes a gate that throws for a failed one", async () => {
    const outcome = await runGate({ name: "a", run: () => Promise.reject(new Error("broken")) }, root)
    expect(failed(outcome)).toBe(true)
    expect(render(outcome)).toContain("the gate itself failed: Error: broken")
  })

  it("prints one line a gate with its time, then what it found", async () => {
    const outcomes = await runGates([gate("good", []), gate("bad", ["one\ntwo"])], root, 2, () => {})
    const text = outcomes.map(render)
    expect(text[0]).toMatch(/^ok {4}good +\d+\.\ds\n {6}note: seen$/u)
    expect(text[1]).toMatch(/^FAIL {2}bad +\d+\.\ds\n {6}one\n {6}two\n {6}note: seen$/u)
  })

  it("never runs more than the limit at a time", async () => {
    let running = 0
    let most = 0
    const busy = {
      name: "busy",
      run: async () => {
        most = Math.max(most, ++running)
        await Promise.resolve()
        running--
        return { problems: [], notes: [] }
      }
    }
    await runGates([busy, busy, busy, busy, busy], root, 2, () => {})
    expect(most).toBe(2)
  })
})
