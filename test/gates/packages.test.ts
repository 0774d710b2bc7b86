import { describe, expect, it } from "vitest"
import {
  consumerProblems,
  entriesOf,
  manifestProblems,
  packedProblems,
  programProblems,
  programsOf,
  undeclaredImports
} from "../../scripts/gates/packages.ts"
import { plant, root, source } from "./Tree.ts"

const good = {
  name: "@botmesh/a",
  version: "1.0.0",
  license: "MIT",
  type: "module",
  sideEffects: false,
  files: ["dist"],
  exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" }, "./package.json": "./package.json" },
  peerDependencies: { effect: "~4.1.0" }
}

const built = {
  "dist/index.js": "export const a = 1\n",
  "dist/index.d.ts": "export declare const a: number\n"
}

const pack = async (manifest: object, files: Readonly<Record<string, string>>): Promise<ReadonlyArray<string>> => {
  using tree = plant({ "a/package.json": JSON.stringify(manifest), ...prefixed(files) })
  return await packedProblems(`${tree.path}/a`, `${tree.path}/packed`, root)
}

const prefixed = (files: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`a/${name}`, text]))

describe("packages gate", () => {
  it("passes a good package", async () => {
    expect(await pack(good, built)).toEqual([])
  })

  it("finds an entry that is not in the tarball", async () => {
    const found = await pack(good, { "dist/index.d.ts": built["dist/index.d.ts"] })
    expect(found.join("\n")).toContain("./dist/index.js but the file does not exist")
  })

  it("finds declarations that are not in the tarball", async () => {
    const found = await pack(good, { "dist/index.js": built["dist/index.js"] })
    expect(found.join("\n")).toContain("./dist/index.d.ts but the file does not exist")
  })

  it("finds CommonJS in a module", async () => {
    const found = await pack(good, { ...built, "dist/index.js": "module.exports = {}\n" })
    expect(found.join("\n")).toContain("publint:")
  })

  it.each([
    ["effect as a dependency", { dependencies: { effect: "~4.1.0" } }, "effect must not be a dependency"],
    ["no peer effect", { peerDependencies: {} }, "effect must be a peer ~4.1.0"],
    ["a loose peer effect", { peerDependencies: { effect: "^4.1.0" } }, "effect must be a peer ~4.1.0, is ^4.1.0"],
    ["a workspace range", { dependencies: { "@botmesh/core": "workspace:^" } }, "published with the range workspace:^"],
    ["an entry without types", { exports: { ".": { default: "./a.js" } } }, 'exports["."] needs types and default'],
    ["no module", { type: "commonjs" }, 'type must be "module"'],
    ["no license", { license: undefined }, "no license"]
  ])("finds %s", (_, change, wanted) => {
    expect(manifestProblems(good)).toEqual([])
    expect(manifestProblems({ ...good, ...change })).toEqual([expect.stringContaining(wanted)])
  })

  it("finds an import that neither a dependency nor a peer brings", () => {
    const file = source(
      "packages/a/src/A.ts",
      'import "effect/Effect"\nimport "node:fs"\nimport "./B.ts"\nimport type { R } from "ioredis"\nimport "@effect/platform-node/X"'
    )
    const manifest = { ...good, devDependencies: { ioredis: "6" } }
    expect(undeclaredImports(manifest, [file])).toEqual([
      'packages/a/src/A.ts:4 imports "ioredis", which is neither a dependency nor a peer',
      'packages/a/src/A.ts:5 imports "@effect/platform-node/X", which is neither a dependency nor a peer'
    ])
  })

  it("runs every program it installs", async () => {
    const manifest = { ...good, bin: { a: "./bin/a.js" } }
    expect(programsOf(manifest)).toEqual(["@botmesh/a/bin/a.js"])
    const run = async (text: string): Promise<string> => {
      using tree = plant({ "node_modules/@botmesh/a/bin/a.js": text })
      return (await programProblems(tree.path, programsOf(manifest), root)).join("\n")
    }
    expect(await run('console.log("usage: a", process.argv[2])')).toBe("")
    expect(await run("process.exit(3)")).toBe("@botmesh/a/bin/a.js --help: exit code 3")
    expect(await run("")).toBe("@botmesh/a/bin/a.js --help prints nothing")
  })

  it("uses every entry as a stranger would", async () => {
    const manifest = {
      ...good,
      exports: { ...good.exports, "./b": { types: "./dist/b.d.ts", default: "./dist/b.js" } }
    }
    expect(entriesOf(manifest)).toEqual(["@botmesh/a", "@botmesh/a/b"])
    const packed = (files: Readonly<Record<string, string>>) =>
      plant(
        Object.fromEntries(
          Object.entries({ "package.json": JSON.stringify(manifest), ...built, ...files }).map(([name, text]) => [
            `node_modules/@botmesh/a/${name}`,
            text
          ])
        )
      )
    using whole = packed({ "dist/b.d.ts": "export declare const b: 1\n", "dist/b.js": "export const b = 1\n" })
    expect(await consumerProblems(whole.path, entriesOf(manifest), root)).toEqual([])
    using cut = packed({ "dist/b.d.ts": 'export * from "./c.js"\n', "dist/b.js": 'export * from "./c.js"\n' })
    const found = await consumerProblems(cut.path, entriesOf(manifest), root)
    expect(found[0]).toContain("dist/b.d.ts(1,15): error TS2307")
    expect(found[1]).toContain("ERR_MODULE_NOT_FOUND")
  })
})
