import { posix } from "node:path"
import type { Gate } from "./gate.ts"
import { boundsOf, coreEntries, coreRanks } from "./house.ts"
import { at, isNode, type Node, parse, type Source, sources, stringOf, visit } from "./source.ts"

/** One import of any form: static, re-export, dynamic, `import("x").T`, `import x = require("x")`. Type imports count too. */
export interface Import {
  readonly specifier: string
  readonly place: string
  /** The file it means, for a relative one. */
  readonly target: string | undefined
}

const specifierOf = (node: Node): string | undefined => {
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportAllDeclaration":
    case "ExportNamedDeclaration":
    case "ImportExpression":
      return stringOf(node["source"])
    case "TSImportType":
      return stringOf(node["source"]) ?? stringOf(node["argument"])
    case "TSExternalModuleReference":
      return stringOf(node["expression"])
    case "CallExpression":
      return calledModule(node)
    default:
      return undefined
  }
}

const loaders = new Set(["require", "mock", "doMock", "importActual", "importMock"])

/** `require("x")`, `vi.mock("x")`: a module named in a call. */
const calledModule = (node: Node): string | undefined => {
  const callee = node["callee"]
  if (!isNode(callee)) return undefined
  const name = callee.type === "MemberExpression" ? callee["property"] : callee
  const known = isNode(name) && typeof name["name"] === "string" && loaders.has(name["name"])
  const given = node["arguments"]
  return known && Array.isArray(given) ? stringOf(given[0]) : undefined
}

export const importsOf = (source: Source): ReadonlyArray<Import> => {
  const found: Array<Import> = []
  visit(parse(source), (node) => {
    const specifier = specifierOf(node)
    if (specifier !== undefined) {
      const target = specifier.startsWith(".")
        ? posix.normalize(posix.join(posix.dirname(source.path), specifier))
        : undefined
      found.push({ specifier, place: at(source, node), target })
    }
    return true
  })
  return found
}

const coreRoot = "packages/core/src/"

const rankOf = (folder: string): number => coreRanks.findIndex((rank) => rank.includes(folder))

const arrows = coreRanks.map((rank) => rank.join(", ")).join(" < ")

/** The folder of a file of core's src, or "" for one that stands at its top. */
const coreFolder = (path: string): string => {
  const parts = path.slice(coreRoot.length).split("/")
  return parts.length > 1 ? (parts[0] ?? "") : ""
}

const coreImport = (from: string, to: string): string | undefined => {
  const toFolder = coreFolder(to)
  if (toFolder === "") return entryImport(from, to)
  const toRank = rankOf(toFolder)
  if (toRank < 0) return `folder ${toFolder} has no rank in scripts/gates/house.ts`
  const fromFolder = coreFolder(from)
  if (fromFolder === toFolder) return undefined
  const entry = fromFolder === "" ? coreEntries.get(posix.basename(from)) : undefined
  const fromRank = rankOf(entry ?? fromFolder)
  if (fromRank > toRank || entry === toFolder) return undefined
  if (fromRank === toRank && entry !== undefined) return `entry ${posix.basename(from)} may not show ${toFolder}`
  return fromRank === toRank
    ? `${fromFolder} and ${toFolder} are siblings`
    : `${entry ?? fromFolder} stands below ${toFolder} (${arrows})`
}

/** Entries may be built on lower entries (index on spi); folders never look up at one. */
const entryImport = (from: string, to: string): string | undefined => {
  const [lower, upper] = [coreEntries.get(posix.basename(to)), coreEntries.get(posix.basename(from))]
  const built = coreFolder(from) === "" && lower !== undefined && upper !== undefined && rankOf(lower) < rankOf(upper)
  return built ? undefined : "an entry file is for users of the package, never for its own folders"
}

const coreFile = (path: string): ReadonlyArray<string> => {
  const folder = coreFolder(path)
  if (folder === "")
    return coreEntries.has(posix.basename(path)) ? [] : [`${path} is no entry file: put it in a folder`]
  return rankOf(folder) < 0 ? [`${path}: folder ${folder} has no rank in scripts/gates/house.ts`] : []
}

const phase = /^\d+-/u

/** The numbered folder (phase) that a file stands in, as a path, or undefined. */
const phaseOf = (path: string): string | undefined => {
  const parts = path.split("/").slice(0, -1)
  const index = parts.findLastIndex((part) => phase.test(part))
  return index < 0 ? undefined : parts.slice(0, index + 1).join("/")
}

const phaseImport = (from: string, to: string, lists: ReadonlySet<string>): string | undefined => {
  const fromPhase = phaseOf(from)
  if (fromPhase === undefined) return undefined
  const toPhase = phaseOf(to)
  const sisters = toPhase !== undefined && toPhase !== fromPhase && posix.dirname(toPhase) === posix.dirname(fromPhase)
  if (sisters) return "phases of a flow never import each other"
  return lists.has(to) && posix.dirname(to) === posix.dirname(fromPhase)
    ? "a phase never imports the list it stands in"
    : undefined
}

interface Place {
  readonly package: string
  readonly part: "src" | "test" | "bin"
}

const placeOf = (path: string): Place | undefined => {
  const match = /^packages\/([^/]+)\/(src|test|bin)\//u.exec(path)
  const part = match?.[2]
  if (match?.[1] === undefined || (part !== "src" && part !== "test" && part !== "bin")) return undefined
  return { package: match[1], part }
}

const relativeImport = (from: string, place: Place | undefined, to: string): string | undefined => {
  const home = place === undefined ? /^(?:examples\/[^/]+|benchmarks)\//u.exec(from)?.[0] : `packages/${place.package}/`
  if (home === undefined)
    return to.startsWith("packages/") && from.startsWith("test/") && !isFixture(to) ? byName : undefined
  if (place?.part === "src" && !to.startsWith(`${home}src/`) && to !== `${home}package.json`)
    return "src imports only src"
  if (to.startsWith(home)) return undefined
  return place?.part !== "src" && to.startsWith("test/") ? undefined : byName
}

const byName = "another package is imported by its name"
const isFixture = (path: string): boolean => path.includes("/fixtures/")

const packageImport = (place: Place, specifier: string): string | undefined => {
  if (specifier.split("/").length > 2 && !/^@botmesh\/[^/]+\/(?:spi|testing|dev)$/u.test(specifier)) {
    return "only the entries of a package may be imported"
  }
  const name = specifier.split("/")[1] ?? ""
  const bounds = boundsOf(place.package)
  if (name === place.package) return place.part === "test" ? undefined : "a package imports itself by relative paths"
  const allowed = place.part === "test" ? [bounds.src, bounds.test] : [bounds.src]
  if (allowed.some((list) => list === "*" || list.includes(specifier))) return undefined
  const may = allowed.flat().join(", ")
  return `packages/${place.package}/${place.part} may import ${may === "" ? "no other package" : `only ${may}`}`
}

const testOnly = /^(?:vitest|@effect\/vitest)(?:\/|$)/u

const problemOf = (source: Source, found: Import, lists: ReadonlySet<string>): string | undefined => {
  const place = placeOf(source.path)
  if (found.target !== undefined) {
    const inCore = source.path.startsWith(coreRoot) && found.target.startsWith(coreRoot)
    return (
      relativeImport(source.path, place, found.target) ??
      (inCore ? coreImport(source.path, found.target) : undefined) ??
      phaseImport(source.path, found.target, lists)
    )
  }
  if (found.specifier.startsWith("@botmesh/") && place !== undefined) return packageImport(place, found.specifier)
  const kit = source.path.startsWith(`${coreRoot}testing`)
  if (testOnly.test(found.specifier) && place?.part === "src" && !kit) return "only core/testing loads a test framework"
  return undefined
}

/** Every import of a set of files that goes against the house. */
export const importProblems = (files: ReadonlyArray<Source>): ReadonlyArray<string> => {
  const all = files.map((source) => ({ source, imports: importsOf(source) }))
  const lists = new Set(
    all
      .filter(({ imports, source }) => imports.some(({ target }) => isListOf(source.path, target)))
      .map(({ source }) => source.path)
  )
  return all.flatMap(({ imports, source }) => [
    ...(source.path.startsWith(coreRoot) ? coreFile(source.path) : []),
    ...imports.flatMap((found) => {
      const problem = problemOf(source, found, lists)
      return problem === undefined ? [] : [`${found.place} imports "${found.specifier}": ${problem}`]
    })
  ])
}

/** A file that stands beside numbered folders and imports from one is a list of phases. */
const isListOf = (path: string, target: string | undefined): boolean => {
  const into = target === undefined ? undefined : phaseOf(target)
  return into !== undefined && posix.dirname(into) === posix.dirname(path)
}

export const imports: Gate = {
  name: "imports",
  run: async (root) => ({
    problems: importProblems(sources(root, ["packages", "examples", "benchmarks", "test"])),
    notes: []
  })
}
