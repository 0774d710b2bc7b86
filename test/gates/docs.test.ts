import { beforeAll, describe, expect, it } from "vitest"
import { docs, linkProblems, readPage, snippetProblems, workspacePaths } from "../../scripts/gates/docs.ts"
import { plant, root, source } from "./Tree.ts"

const page = (text: string) => readPage(source("docs/a.md", text))

const block = (code: string, info = "ts"): string => `\`\`\`${info}\n${code}\n\`\`\`\n`

describe("docs gate, reading a page", () => {
  it("takes each block of ts as a module, and no other block", () => {
    const { problems, snippets } = page(`# A\n${block("const a = 1")}${block("ls", "sh")}${block("const b = 2")}`)
    expect(problems).toEqual([])
    expect(snippets.map(({ line, lines }) => [line, ...lines.map(({ text }) => text)])).toEqual([
      [2, "const a = 1"],
      [8, "const b = 2"]
    ])
  })

  it("puts a prelude before what follows it, and a continued block behind the one before", () => {
    const text = `${block("1")}<!-- prelude\nimport "effect"\n-->\n${block("2")}${block("3", "ts continued")}${block("4")}`
    const codes = page(text).snippets.map(({ lines }) => lines.map((line) => `${line.line} ${line.text}`))
    expect(codes).toEqual([
      ["2 1"],
      ['5 import "effect"', "8 2"],
      ['5 import "effect"', "8 2", "11 3"],
      ['5 import "effect"', "14 4"]
    ])
  })

  const faults: ReadonlyArray<readonly [what: string, text: string, wanted: string]> = [
    ["a block of javascript", block("a", "js"), "docs/a.md:1 a block of js"],
    ["a block of typescript", block("a", "typescript"), "docs/a.md:1 a block of typescript"],
    ["an indented block", "- a\n\n  ```ts\n  a\n  ```\n", "docs/a.md:3 an indented block"],
    ["an unknown word", block("a", "ts skip"), "docs/a.md:1 unknown word after ts: skip"],
    ["a block that continues nothing", block("a", "ts continued"), "docs/a.md:1 continues no block"],
    ["a block without an end", "a\n```ts\na\n", "docs/a.md:2 is never closed"],
    ["a prelude without an end", "<!-- prelude\na\n", "docs/a.md:1 is never closed"]
  ]
  it.each(faults)("refuses %s", (_, text, wanted) => {
    expect(page(text).problems).toEqual([expect.stringContaining(wanted)])
  })
})

describe("docs gate, checking blocks", () => {
  const text = [
    '<!-- prelude\nimport { Bot } from "@botmesh/core"\n-->\n',
    block('const bot = Bot.make("a", [Bot.when("hola", (chat) => chat.reply("hi"))])'),
    block("const wrong: number = bot.id", "ts continued"),
    block("const id = bot.id"),
    block('Bot.make("b", [Bot.when(1, (chat) => chat.reply("hi"))])'),
    block('import { Store } from "@botmesh/core/spi"\nStore.noSuchThing')
  ].join("")
  let found: ReadonlyArray<string> = []
  beforeAll(async () => {
    found = await snippetProblems(page(text).snippets, root)
  }, 60_000)

  it("finds what does not compile, at its place in the page", () => {
    expect(found.map((problem) => problem.replace(/: .*/u, ""))).toEqual([
      "docs/a.md:8:7 error TS2322",
      "docs/a.md:11:12 error TS2552",
      "docs/a.md:14:25 error TS2345",
      "docs/a.md:18:7 error TS2339"
    ])
  })

  it("names every entry of every package", () => {
    const names = Object.keys(workspacePaths(root))
    expect(names).toContain("@botmesh/core")
    expect(names).toContain("@botmesh/core/testing")
    expect(names).toContain("@botmesh/telegram")
  })

  it("fails where there is nothing to check", async () => {
    using tree = plant({ "README.md": "# A\n", "docs/a.md": block("ls", "sh"), "packages/a/README.md": "" })
    expect((await docs.run(tree.path)).problems).toEqual(["no block of ts in any page"])
  })
})

describe("docs gate, following links", () => {
  const pages = [
    source("README.md", "[a](docs/a.md) [b](docs/a.md#what-is-kept-and-how) [c](LICENSE) [d](https://example.com/x)"),
    source("docs/a.md", "## What is kept, and how?\n[up](../README.md)\n```sh\n# no heading\n[no](no.md)\n```\n")
  ]
  const problems = (text: string) => linkProblems([...pages, source("docs/b.md", text)], (path) => path === "LICENSE")

  it("passes links that lead somewhere", () => {
    expect(problems("[self](#b)\n# B\n[a](a.md)")).toEqual([])
  })

  it.each([
    ["[x](c.md)", "docs/b.md: the link c.md leads nowhere"],
    ["[x](../docs/LICENSE)", "docs/b.md: the link ../docs/LICENSE leads nowhere"],
    ["[x](a.md#no-heading)", "docs/b.md: the link a.md#no-heading names no heading of docs/a.md"],
    ["[x](#nowhere)", "docs/b.md: the link #nowhere names no heading of docs/b.md"]
  ])("finds %s", (text, wanted) => {
    expect(problems(text)).toEqual([wanted])
  })
})
