import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { type ParseResult, type ParserOptions, parseSync } from "oxc-parser"

/** One source file; `path` is relative to the workspace root, with `/`. */
export interface Source {
  readonly path: string
  readonly text: string
}

/** A node of the syntax tree (TS-ESTree), read by name: the gates look at few of its many kinds. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

export const isNode = (value: unknown): value is Node => isRecord(value) && typeof value["type"] === "string"

export const nodes = (value: unknown): ReadonlyArray<Node> =>
  Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []

const notSources: ReadonlySet<string> = new Set(["node_modules", "dist", "fixtures", ".git"])

/** Files under `folders` of `root` whose names end as told, in a stable order; folders named in `skipped` are left out. */
export const files = (
  root: string,
  folders: ReadonlyArray<string>,
  ends: ReadonlyArray<string>,
  skipped: ReadonlySet<string> = notSources
): ReadonlyArray<string> => {
  const found: Array<string> = []
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) {
        if (!skipped.has(entry.name)) walk(path)
      } else if (ends.some((end) => entry.name.endsWith(end))) {
        found.push(relative(root, path).split(sep).join("/"))
      }
    }
  }
  for (const folder of folders) if (existsSync(join(root, folder))) walk(join(root, folder))
  return found.sort()
}

export const sources = (root: string, folders: ReadonlyArray<string>): ReadonlyArray<Source> =>
  files(root, folders, [".ts", ".mts", ".js", ".mjs"]).map((path) => ({
    path,
    text: readFileSync(join(root, path), "utf8")
  }))

const options: ParserOptions = { astType: "ts", preserveParens: false, sourceType: "module" }

const parsed = (source: Source): ParseResult => {
  const result = parseSync(source.path, source.text, options)
  const error = result.errors[0]
  if (error !== undefined) throw new Error(`${source.path} does not parse: ${error.message}`)
  return result
}

/** The syntax tree of a file; throws when it does not parse, so that nothing passes unread. */
export const parse = (source: Source): Node => {
  const program: unknown = parsed(source).program
  if (!isNode(program)) throw new Error(`${source.path}: the parser gave no program`)
  return program
}

/** The comments of a file, each with the offset where it starts. */
export const comments = (source: Source): ReadonlyArray<{ readonly start: number; readonly value: string }> =>
  parsed(source).comments

/** Visits a node and all below it, parents first; `visit` returns false to stay out of a node's children. */
export const visit = (root: Node, enter: (node: Node, parents: ReadonlyArray<Node>) => boolean): void => {
  const parents: Array<Node> = []
  const go = (node: Node): void => {
    if (!enter(node, parents)) return
    parents.push(node)
    for (const value of Object.values(node)) for (const child of nodes(value)) go(child)
    parents.pop()
  }
  go(root)
}

export const line = (source: Source, offset: number): number => source.text.slice(0, offset).split("\n").length

export const at = (source: Source, node: Node): string => `${source.path}:${line(source, node.start)}`

/** The text of a string literal (also a template without holes), else undefined. */
export const stringOf = (value: unknown): string | undefined => {
  if (!isNode(value)) return undefined
  if (value.type === "Literal") return typeof value["value"] === "string" ? value["value"] : undefined
  if (value.type !== "TemplateLiteral" || nodes(value["expressions"]).length > 0) return undefined
  const cooked = nodes(value["quasis"])[0]?.["value"]
  return isRecord(cooked) && typeof cooked["cooked"] === "string" ? cooked["cooked"] : undefined
}

export const nameOf = (value: unknown): string | undefined =>
  isNode(value) && typeof value["name"] === "string" ? value["name"] : undefined
