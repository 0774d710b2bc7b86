import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Gate, Report } from "./gate.ts"
import { functionLines, sizes as limits } from "./house.ts"
import { files, isNode, isRecord, line, nameOf, parse, type Source, visit } from "./source.ts"

/** Files that may be longer than twice their limit, with the most lines they may have: a ratchet, to be turned down only. */
export type Ratchet = ReadonlyMap<string, number>

/**
 * Lines against the limits by kind of file. Over the limit is a note; over twice the limit fails, unless the ratchet
 * holds the file, and then only what has grown past its number.
 */
export const sizeReport = (all: ReadonlyArray<Source>, ratchet: Ratchet): Report => {
  const problems: Array<string> = []
  const notes: Array<string> = []
  for (const { path, text } of all) {
    const limit = limits.find(({ pattern }) => pattern.test(path))
    const lines = text.split("\n").length - 1
    if (limit === undefined || lines <= limit.lines) continue
    const held = ratchet.get(path)
    const said = `${path}: ${lines} lines (${limit.kind}: ${limit.lines})`
    if (lines <= (held ?? limit.lines * 2)) notes.push(said)
    else problems.push(held === undefined ? `${said}: split it` : `${said}: it may not grow past ${held}`)
  }
  const known = new Set(all.map(({ path }) => path))
  for (const path of ratchet.keys()) if (!known.has(path)) problems.push(`sizes.json: ${path} is no more: remove it`)
  const long = all.flatMap(longFunctions)
  const longest = long.toSorted((a, b) => b.lines - a.lines)[0]
  if (longest !== undefined) {
    notes.push(`${long.length} functions over ${functionLines} lines, the longest ${longest.place} (${longest.lines})`)
  }
  return { problems, notes }
}

const functions = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"])

const longFunctions = (source: Source): ReadonlyArray<{ readonly place: string; readonly lines: number }> => {
  const found: Array<{ readonly place: string; readonly lines: number }> = []
  if (!source.path.endsWith(".ts")) return found
  visit(parse(source), (node, parents) => {
    if (!functions.has(node.type)) return true
    const from = line(source, node.start)
    const lines = line(source, node.end) - from + 1
    const holder = parents.findLast((parent) => isNode(parent["id"]) || isNode(parent["key"]))
    const name = nameOf(node["id"]) ?? nameOf(holder?.["id"]) ?? nameOf(holder?.["key"]) ?? "a function"
    if (lines > functionLines) found.push({ place: `${source.path}:${from} ${name}`, lines })
    return true
  })
  return found
}

export const readRatchet = (path: string): Ratchet => {
  const value: unknown = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {}
  if (!isRecord(value)) throw new Error(`${path}: want { "file": lines }`)
  return new Map(
    Object.entries(value).map(([file, lines]) => {
      if (typeof lines !== "number") throw new Error(`${path}: ${file} has no number of lines`)
      return [file, lines]
    })
  )
}

export const sizes: Gate = {
  name: "sizes",
  run: async (root) => {
    const all = files(root, ["packages"], [".ts", ".lua"])
      .filter((path) => /^packages\/[^/]+\/src\//u.test(path))
      .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))
    return sizeReport(all, readRatchet(join(root, "scripts/gates/sizes.json")))
  }
}
