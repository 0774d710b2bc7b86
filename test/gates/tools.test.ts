import { readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { effectFailures, effectProblems } from "../../scripts/gates/effect.ts"
import { formatProblems } from "../../scripts/gates/format.ts"
import { typeProblems, uncheckedFolders } from "../../scripts/gates/types.ts"
import { plant, root } from "./Tree.ts"

// The tools take a second each, so every gate looks once at a tree that holds all its faults, one a file.

/** The workspace's own rules, in a folder of no repository: the formatter skips whatever git ignores. */
const lint = async (files: Readonly<Record<string, string>>): Promise<string> => {
  const config = readFileSync(join(root, "biome.json"), "utf8").replace(
    '"vcs": { "enabled": true',
    '"vcs": { "enabled": false'
  )
  using tree = plant({ ...files, "biome.json": config }, tmpdir())
  return (await formatProblems(tree.path, root)).join("\n")
}

describe("format gate", () => {
  const faults: ReadonlyArray<readonly [what: string, file: string, text: string, wanted: string]> = [
    ["a semicolon", "semicolon.ts", 'export const a = "b";\n', "format"],
    ["single quotes", "quotes.ts", "export const a = 'b'\n", "format"],
    ["a trailing comma", "comma.ts", "export const a = [\n  1,\n]\n", "format"],
    ["a long line", "long.ts", `export const a = [${'"a long word", '.repeat(9)}"b"]\n`, "format"],
    ["a test that runs alone", "only.test.ts", 'it.only("a", () => {})\n', ":1:4 lint/suspicious/noFocusedTests"],
    ["an unused variable", "unused.ts", "const a = 1\n", ":1:7 lint/correctness/noUnusedVariables"],
    [
      "a value import of a type",
      "type.ts",
      'import { A } from "b"\n\nexport const a: A = 1\n',
      ":1:8 lint/style/useImportType"
    ],
    ["a call of the console", "packages/a/src/a.ts", "console.log(1)\n", ":1:1 lint/suspicious/noConsole"]
  ]
  let found = ""
  beforeAll(async () => {
    found = await lint(Object.fromEntries(faults.map(([, file, text]) => [file, text])))
  })

  it("passes what is formatted", async () => {
    expect(await lint({ "a.ts": 'export const a = "b"\n', "packages/a/test/a.ts": "console.log(1)\n" })).toBe("")
  })

  it.each(faults)("finds %s", (_, file, __, wanted) => {
    expect(found).toContain(wanted === "format" ? `${file} format` : `${file}${wanted}`)
  })
})

const project = (files: Readonly<Record<string, string>>) =>
  plant({
    ...files,
    "tsconfig.json": JSON.stringify({
      extends: `${root}/tsconfig.base.json`,
      compilerOptions: { noEmit: true, composite: false, declaration: false, declarationMap: false, types: [] },
      include: ["packages"]
    })
  })

const equal = "type Eq<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false\n"

describe("types gate", () => {
  const faults: ReadonlyArray<readonly [what: string, file: string, text: string, wanted: string]> = [
    ["a type error", "error", 'export const a: number = ""\n', "(1,14): error TS2322"],
    [
      "a type test that does not hold",
      "type",
      `${equal}export const a: Eq<string, number> = true\n`,
      "(2,14): error TS2322"
    ],
    [
      "an expected error that is none",
      "expect",
      "// @ts-expect-error none\nexport const a = 1\n",
      "(1,1): error TS2578"
    ],
    ["undefined for an optional", "exact", "export const a: { b?: 1 } = { b: undefined }\n", "(1,14): error TS2375"],
    ["an unchecked index", "index", "export const a = (b: Array<1>): 1 => b[0]\n", "(1,38): error TS2322"],
    ["syntax that node cannot erase", "enum", "export enum A { B }\n", "(1,13): error TS1294"]
  ]
  let found = ""
  beforeAll(async () => {
    using tree = project(Object.fromEntries(faults.map(([, file, text]) => [`packages/${file}.ts`, text])))
    found = (await typeProblems(`${tree.path}/tsconfig.json`, root)).join("\n")
  })

  it("finds a package that no project checks", () => {
    const config = { files: [], references: [{ path: "packages/a" }] }
    expect(uncheckedFolders(config, ["packages/a", "packages/b"])).toEqual([
      "packages/b is not among the references of tsconfig.json"
    ])
  })

  it("passes type tests that hold", async () => {
    const holds = `${equal}export const a: Eq<1 | 2, 2 | 1> = true\n// @ts-expect-error no number\nexport const b: number = ""\n`
    using tree = project({ "packages/a.types.ts": holds })
    expect(await typeProblems(`${tree.path}/tsconfig.json`, root)).toEqual([])
  })

  it.each(faults)("finds %s", (_, file, __, wanted) => {
    expect(found).toContain(`${file}.ts${wanted}`)
  })
})

describe("effect gate", () => {
  const good = 'import { Effect } from "effect"\nexport const a = Effect.gen(function* () {\n  yield* Effect.void\n})\n'
  const bad = `import { Effect } from "effect"
Effect.log("floating")
export const a = Effect.gen(function* () {
  Effect.log("floating inside")
  yield* Effect.fail(1)
})
export const b = Effect.sync(() => Promise.resolve(1))
`
  const unrun =
    'import { Effect } from "effect"\nimport { it } from "vitest"\nit("a", () => Effect.fail("never seen"))\n'

  it("finds floating effects, a missing return, a warning and a test nobody runs, and nothing else", async () => {
    using tree = project({
      "packages/a/src/Good.ts": good,
      "packages/a/src/Bad.ts": bad,
      "packages/a/test/a.test.ts": unrun
    })
    const found = await effectProblems("tsconfig.json", tree.path, root)
    expect(found.map((problem) => problem.replace(/: .*/u, "")).sort()).toEqual([
      "packages/a/src/Bad.ts:2 floatingEffect",
      "packages/a/src/Bad.ts:4 floatingEffect",
      "packages/a/src/Bad.ts:5 missingReturnYieldStar",
      "packages/a/src/Bad.ts:7 lazyPromiseInEffectSync",
      "packages/a/test/a.test.ts:3 floatingEffectInVitest"
    ])
  })

  it("takes warnings for failures in sources, and errors alone in tests", () => {
    const at = (file: string, severity: string) => ({ file, line: 1, severity, name: "rule", message: "why" })
    const found = effectFailures([
      at("packages/a/src/A.ts", "warning"),
      at("examples/a/src/A.ts", "warning"),
      at("packages/a/src/A.ts", "message"),
      at("packages/a/test/A.ts", "warning"),
      at("packages/a/test/B.ts", "error")
    ])
    const files = ["packages/a/src/A.ts", "examples/a/src/A.ts", "packages/a/test/B.ts"]
    expect(found).toEqual(files.map((file) => `${file}:1 rule: why`))
  })

  it("fails where the tool cannot read its project", async () => {
    using tree = plant({ "a.ts": "" })
    expect((await effectProblems("no-such.json", tree.path, root)).join("")).toContain("exit code 1")
  })
})
