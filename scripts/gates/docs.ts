import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, posix } from "node:path"
import { command, complaints } from "./command.ts"
import type { Gate } from "./gate.ts"
import { files, isRecord, type Source } from "./source.ts"

/**
 * Every ```ts block of the README and the guides is type-checked against the sources of the workspace.
 *
 * A block is a module of its own. "```ts continued" goes on with the block before it. What every block of a page needs and
 * no reader has to see stands in a comment, `<!-- prelude` on a line, then code, then `-->`; it holds from there on.
 */
export interface Snippet {
  /** Lines of code, each with its place in the page. */
  readonly lines: ReadonlyArray<Line>
  readonly path: string
  /** Line of the opening fence. */
  readonly line: number
}
export interface Line {
  readonly text: string
  readonly line: number
}

export interface Reading {
  readonly snippets: ReadonlyArray<Snippet>
  readonly problems: ReadonlyArray<string>
}

const fence = /^(\s*)(`{3,})\s*(\S*)\s*(.*)$/u
const typescript = new Set(["ts", "typescript", "tsx", "js", "javascript"])

/** What of a page is code to check, and what is wrong with how it is written. */
export const readPage = ({ path, text }: Source): Reading => {
  const snippets: Array<Snippet> = []
  const problems: Array<string> = []
  let prelude: ReadonlyArray<Line> = []
  let before: ReadonlyArray<Line> | undefined
  let open: { readonly kind: "ts" | "other" | "prelude"; readonly end: string; readonly at: number } | undefined
  let continued = false
  let code: Array<Line> = []
  for (const [index, line] of text.split("\n").entries()) {
    const at = index + 1
    if (open !== undefined) {
      if (line.trim() !== open.end) {
        code.push({ text: line, line: at })
        continue
      }
      if (open.kind === "prelude") prelude = code
      if (open.kind === "ts") {
        const own = continued && before !== undefined ? [...before, ...code] : code
        before = own
        snippets.push({ path, line: open.at, lines: [...prelude, ...own] })
      }
      open = undefined
      continue
    }
    if (line.trim() === "<!-- prelude") {
      open = { kind: "prelude", end: "-->", at }
      code = []
      continue
    }
    const [, indent, ticks, language = "", info = ""] = fence.exec(line) ?? []
    if (ticks === undefined) continue
    code = []
    open = { kind: language === "ts" ? "ts" : "other", end: ticks, at }
    if (!typescript.has(language)) continue
    if (language !== "ts") problems.push(`${path}:${at} a block of ${language}: write it as ts, or nothing checks it`)
    if (indent !== "") problems.push(`${path}:${at} an indented block: start it at the margin`)
    if (info !== "" && info !== "continued") problems.push(`${path}:${at} unknown word after ts: ${info}`)
    continued = info === "continued"
    if (continued && before === undefined) problems.push(`${path}:${at} continues no block`)
  }
  if (open !== undefined) problems.push(`${path}:${open.at} is never closed`)
  return { snippets, problems }
}

/** The sources that stand for the packages, by the names that programs import them under. */
export const workspacePaths = (root: string): Readonly<Record<string, ReadonlyArray<string>>> => {
  const found: Record<string, ReadonlyArray<string>> = {}
  for (const name of readdirSync(join(root, "packages"))) {
    const file = join(root, "packages", name, "package.json")
    if (!existsSync(file)) continue
    const manifest: unknown = JSON.parse(readFileSync(file, "utf8"))
    const exported = isRecord(manifest) && isRecord(manifest["exports"]) ? manifest["exports"] : {}
    for (const [entry, target] of Object.entries(exported)) {
      const source = isRecord(target) ? target["botmesh-source"] : undefined
      if (typeof source !== "string") continue
      found[posix.join(`@botmesh/${name}`, entry)] = [join(root, "packages", name, source)]
    }
  }
  return found
}

const config = (root: string, folder: string): string =>
  JSON.stringify({
    extends: join(root, "tsconfig.base.json"),
    compilerOptions: {
      noEmit: true,
      composite: false,
      declaration: false,
      declarationMap: false,
      sourceMap: false,
      // A block shows one thing; what it declares need not be used in it.
      noUnusedLocals: false,
      noUnusedParameters: false,
      paths: workspacePaths(root)
    },
    include: [join(folder, "*.ts")]
  })

const complaint = /^(.*?)(block-\d+)\.ts\((\d+),(\d+)\): (.*)$/u

/** The compiler's words with the place in the page instead of that in the block's file. */
const placed = (said: string, snippets: ReadonlyArray<Snippet>): ReadonlyArray<string> => [
  ...new Set(
    said.split("\n").map((line) => {
      const [, , name, row, column, rest] = complaint.exec(line) ?? []
      if (name === undefined) return line
      const snippet = snippets[Number(name.slice("block-".length))]
      const place = snippet?.lines[Number(row) - 1]?.line ?? snippet?.line
      return `${snippet?.path}:${place}:${column} ${rest}`
    })
  )
]

/** Type-checks all blocks in one run of the compiler. */
export const snippetProblems = async (
  snippets: ReadonlyArray<Snippet>,
  root: string
): Promise<ReadonlyArray<string>> => {
  const cache = join(root, "node_modules/.cache/botmesh-gates")
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, "docs-"))
  try {
    for (const [index, { lines }] of snippets.entries()) {
      writeFileSync(join(folder, `block-${index}.ts`), `${lines.map(({ text }) => text).join("\n")}\n`)
    }
    writeFileSync(join(folder, "tsconfig.json"), config(root, folder))
    const result = await command("tsc", ["-p", folder, "--pretty", "false"], { cwd: root })
    return complaints(result).flatMap((said) => placed(said, snippets))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/gu, "-")

const prose = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gmu, "")

const anchors = (text: string): ReadonlySet<string> =>
  new Set([...prose(text).matchAll(/^#{1,6} (.+)$/gmu)].map(([, heading = ""]) => slug(heading)))

/** Links to files that are not there and to headings that no page has. Links out of the repository are not followed. */
export const linkProblems = (
  pages: ReadonlyArray<Source>,
  exists: (path: string) => boolean
): ReadonlyArray<string> => {
  const texts = new Map(pages.map(({ path, text }) => [path, text]))
  return pages.flatMap(({ path, text }) =>
    [...prose(text).matchAll(/\]\(([^)\s]+)\)/gu)].flatMap(([, target = ""]) => {
      if (/^[a-z]+:/u.test(target)) return []
      const [file = "", anchor] = target.split("#")
      const to = file === "" ? path : posix.normalize(posix.join(posix.dirname(path), file))
      if (!texts.has(to) && !exists(to)) return [`${path}: the link ${target} leads nowhere`]
      const known = texts.get(to)
      const lost = anchor !== undefined && known !== undefined && !anchors(known).has(anchor)
      return lost ? [`${path}: the link ${target} names no heading of ${to}`] : []
    })
  )
}

export const readPages = (root: string): ReadonlyArray<Source> => {
  const packages = files(root, ["packages", "examples"], ["README.md"])
  const all = [...(existsSync(join(root, "README.md")) ? ["README.md"] : []), ...files(root, ["docs"], [".md"])]
  return [...all, ...packages].map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))
}

export const docs: Gate = {
  name: "docs",
  run: async (root) => {
    const pages = readPages(root)
    const readings = pages.map(readPage)
    const snippets = readings.flatMap((reading) => reading.snippets)
    // A run that reads nothing must not look like one that found nothing.
    if (snippets.length === 0) return { problems: ["no block of ts in any page"], notes: [] }
    const problems = [
      ...readings.flatMap((reading) => reading.problems),
      ...linkProblems(pages, (path) => existsSync(join(root, path))),
      ...(await snippetProblems(snippets, root))
    ]
    return { problems, notes: problems.length > 0 ? [] : [`${snippets.length} blocks of ${pages.length} pages`] }
  }
}
