import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Gate } from "./gate.ts"
import { bindings, isReference } from "./scope.ts"
import { at, isNode, type Node, nameOf, nodes, parse, type Source, sources, stringOf, visit } from "./source.ts"

/**
 * No ambient time, chance, timers or fetch in packages/<any>/src: the whole engine must be simulable under TestClock,
 * a seeded Random and a seeded Scheduler. Adapters that cannot do without are named, with the reason, in ambient-allowed.json.
 */
export interface Allowed {
  readonly file: string
  readonly names: ReadonlyArray<string>
  readonly reason: string
}

interface Use {
  readonly name: string
  readonly node: Node
}

/** Globals that may not be read at all. */
const globals = new Set([
  "setTimeout",
  "setInterval",
  "setImmediate",
  "performance",
  "fetch",
  "XMLHttpRequest",
  "WebSocket",
  "EventSource"
])

/** Members of globals that may not be read; an alias of the whole object would hide them, so it is refused too. */
const members: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["Date", new Set(["now"])],
  ["Math", new Set(["random"])],
  ["crypto", new Set(["randomUUID", "getRandomValues"])],
  ["process", new Set(["hrtime", "uptime"])],
  ["globalThis", globals],
  ["global", globals],
  ["self", globals],
  ["window", globals]
])

/** Names that may not be imported from a module; "*" is all of them. */
const modules: ReadonlyMap<string, ReadonlySet<string> | "*"> = new Map<string, ReadonlySet<string> | "*">([
  ["timers", "*"],
  ["timers/promises", "*"],
  ["perf_hooks", "*"],
  ["undici", "*"],
  ["effect/http/FetchHttpClient", "*"],
  ["effect/http", new Set(["FetchHttpClient"])],
  [
    "crypto",
    new Set(["randomUUID", "randomBytes", "randomInt", "randomFill", "randomFillSync", "getRandomValues", "webcrypto"])
  ]
])

/** Members of Effect modules that read the clock or chance past the services. */
const unsafe: ReadonlyMap<string, RegExp> = new Map([
  ["DateTime", /^nowUnsafe$/u],
  ["SecureRandom", /Unsafe$/u]
])

/** Functions of Cron take the ambient date when they are given none. */
const cron = new Set(["next", "prev", "sequence"])

const plain = (specifier: string): string => specifier.replace(/^node:/u, "")

const banned = (specifier: string): ReadonlySet<string> | "*" | undefined => modules.get(plain(specifier))

const bans = (names: ReadonlySet<string> | "*" | undefined, name: string): boolean =>
  names !== undefined && (names === "*" || names.has(name))

const importUses = (node: Node): ReadonlyArray<Use> => {
  const source = stringOf(node["source"])
  if (source === undefined || node["importKind"] === "type" || node["exportKind"] === "type") return []
  const names = banned(source)
  if (node.type === "ExportAllDeclaration") return names === undefined ? [] : [{ name: plain(source), node }]
  return nodes(node["specifiers"]).flatMap((specifier): ReadonlyArray<Use> => {
    if (specifier["importKind"] === "type" || specifier["exportKind"] === "type") return []
    const whole = specifier.type === "ImportNamespaceSpecifier" || specifier.type === "ImportDefaultSpecifier"
    if (whole) return names === "*" ? [{ name: plain(source), node: specifier }] : []
    const named = specifier["imported"] ?? specifier["local"]
    const name = nameOf(named) ?? stringOf(named) ?? ""
    return bans(names, name) ? [{ name, node: specifier }] : []
  })
}

/** `import * as Crypto from "node:crypto"`: the local name stands for the module, whose members are looked at on use. */
const namespaces = (program: Node): ReadonlyMap<string, ReadonlySet<string>> => {
  const found = new Map<string, ReadonlySet<string>>()
  for (const node of nodes(program["body"])) {
    const names = node.type === "ImportDeclaration" ? banned(stringOf(node["source"]) ?? "") : undefined
    if (names === undefined || names === "*") continue
    for (const specifier of nodes(node["specifiers"])) {
      const local = specifier.type === "ImportSpecifier" ? undefined : nameOf(specifier["local"])
      if (local !== undefined) found.set(local, names)
    }
  }
  return found
}

const unwrap = (value: unknown): Node | undefined => {
  if (!isNode(value)) return undefined
  const wraps = ["TSNonNullExpression", "TSAsExpression", "TSSatisfiesExpression", "ChainExpression"]
  return wraps.includes(value.type) ? unwrap(value["expression"]) : value
}

const memberName = (node: Node): string | undefined =>
  node["computed"] === true ? stringOf(node["property"]) : nameOf(node["property"])

/** What holds the value: the parent that is no mere wrapper. */
const holder = (parents: ReadonlyArray<Node>): Node | undefined =>
  parents.findLast((node) => !["TSNonNullExpression", "TSAsExpression", "TSSatisfiesExpression"].includes(node.type))

const aliases = new Set([
  "VariableDeclarator",
  "AssignmentExpression",
  "AssignmentPattern",
  "Property",
  "PropertyDefinition"
])

const identifierUse = (node: Node, parents: ReadonlyArray<Node>): ReadonlyArray<Use> => {
  const name = nameOf(node) ?? ""
  if (globals.has(name)) return [{ name, node }]
  const parent = holder(parents)
  if (parent === undefined || members.get(name) === undefined) return []
  if (name === "Date" && parent.type === "CallExpression" && unwrap(parent["callee"]) === node)
    return [{ name: "Date()", node }]
  if (name === "Date" && parent.type === "NewExpression" && unwrap(parent["callee"]) === node) {
    const given = nodes(parent["arguments"])
    return given.length === 0 || given[0]?.type === "SpreadElement" ? [{ name: "new Date()", node }] : []
  }
  const aliased = aliases.has(parent.type) || (name === "globalThis" && parent.type === "CallExpression")
  return aliased && name !== "process" ? [{ name: `alias of ${name}`, node }] : []
}

const memberUse = (node: Node, free: (name: string) => boolean, spaces: ReadonlyMap<string, ReadonlySet<string>>) => {
  const object = unwrap(node["object"])
  const property = memberName(node)
  const owner = object?.type === "Identifier" ? nameOf(object) : undefined
  if (owner === undefined || property === undefined) {
    // globalThis.Date.now(), globalThis.crypto.randomUUID()
    const inner = object?.type === "MemberExpression" ? memberName(object) : undefined
    const root = object === undefined ? undefined : nameOf(unwrap(object["object"]))
    const reached = root !== undefined && members.get(root) === globals && inner !== undefined && property !== undefined
    return reached && members.get(inner)?.has(property) === true ? [{ name: `${inner}.${property}`, node }] : []
  }
  if (spaces.get(owner)?.has(property) === true) return [{ name: property, node }]
  if (unsafe.get(owner)?.test(property) === true) return [{ name: `${owner}.${property}`, node }]
  if (!free(owner) || members.get(owner)?.has(property) !== true) return []
  return [{ name: members.get(owner) === globals ? property : `${owner}.${property}`, node }]
}

const callUse = (node: Node): ReadonlyArray<Use> => {
  const callee = unwrap(node["callee"])
  if (callee?.type !== "MemberExpression" || nameOf(callee["object"]) !== "Cron") return []
  const name = memberName(callee) ?? ""
  return cron.has(name) && nodes(node["arguments"]).length < 2 ? [{ name: `Cron.${name} without a date`, node }] : []
}

/** Everything ambient that a file uses. */
export const ambientUses = (source: Source): ReadonlyArray<Use> => {
  const program = parse(source)
  const spaces = namespaces(program)
  const scopes = bindings(program)
  const found: Array<Use> = []
  visit(program, (node, parents) => {
    const free = (name: string): boolean =>
      !parents.some((parent) => scopes.get(parent)?.has(name) === true) && scopes.get(node)?.has(name) !== true
    if (node.type === "ImportDeclaration" || node.type.startsWith("Export")) found.push(...importUses(node))
    if (node.type === "ImportDeclaration") return false
    if (node.type === "ImportExpression" && banned(stringOf(node["source"]) ?? "") !== undefined) {
      found.push({ name: plain(stringOf(node["source"]) ?? ""), node })
    }
    if (node.type === "MemberExpression") found.push(...memberUse(node, free, spaces))
    if (node.type === "CallExpression") found.push(...callUse(node))
    if (node.type === "Identifier" && isReference(node, parents) && free(nameOf(node) ?? "")) {
      found.push(...identifierUse(node, parents))
    }
    return !isTypeOnly(node)
  })
  return found
}

const valueNodes = new Set([
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSInstantiationExpression",
  "TSTypeAssertion",
  "TSEnumDeclaration",
  "TSEnumBody",
  "TSEnumMember",
  "TSModuleDeclaration",
  "TSModuleBlock",
  "TSExportAssignment",
  "TSParameterProperty"
])

const isTypeOnly = (node: Node): boolean => node.type.startsWith("TS") && !valueNodes.has(node.type)

/** Problems of files against the list of the allowed; an entry that allows what no longer stands there is a problem as well. */
export const ambientProblems = (
  files: ReadonlyArray<Source>,
  allowed: ReadonlyArray<Allowed>
): ReadonlyArray<string> => {
  const used = new Map<string, Set<string>>()
  const problems = files.flatMap((source) =>
    ambientUses(source).flatMap((use) => {
      const names = used.get(source.path) ?? new Set<string>()
      used.set(source.path, names.add(use.name))
      const listed = allowed.some((entry) => entry.file === source.path && entry.names.includes(use.name))
      return listed ? [] : [`${at(source, use.node)} ambient ${use.name}: use Clock, Random, a schedule or a service`]
    })
  )
  const stale = allowed.flatMap((entry) => [
    ...(entry.reason.trim() === "" ? [`ambient-allowed.json: ${entry.file} has no reason`] : []),
    ...entry.names
      .filter((name) => used.get(entry.file)?.has(name) !== true)
      .map((name) => `ambient-allowed.json: ${entry.file} no longer uses ${name}: remove it`)
  ])
  return [...problems, ...stale]
}

const isAllowed = (value: unknown): value is Allowed =>
  typeof value === "object" &&
  value !== null &&
  "file" in value &&
  typeof value.file === "string" &&
  "names" in value &&
  Array.isArray(value.names) &&
  value.names.every((name) => typeof name === "string") &&
  "reason" in value &&
  typeof value.reason === "string"

export const readAllowed = (path: string): ReadonlyArray<Allowed> => {
  const value: unknown = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : []
  if (!Array.isArray(value) || !value.every(isAllowed)) throw new Error(`${path}: want [{ file, names, reason }]`)
  return value
}

export const isPackageSource = (path: string): boolean => /^packages\/[^/]+\/(?:src|bin)\//u.test(path)

export const ambient: Gate = {
  name: "ambient",
  run: async (root) => {
    const files = sources(root, ["packages"]).filter((source) => isPackageSource(source.path))
    return {
      problems: ambientProblems(files, readAllowed(join(root, "scripts/gates/ambient-allowed.json"))),
      notes: []
    }
  }
}
