import type { Gate, Report } from "./gate.ts"
import { at, comments, isNode, line, type Node, nameOf, nodes, parse, type Source, sources, visit } from "./source.ts"

/** Types whose argument is what a value holds: an `any` there is a value nobody checks. */
const holders = new Set(["Array", "ReadonlyArray", "Record", "Map", "ReadonlyMap", "Set", "ReadonlySet", "Promise"])

const isWildcard = (parents: ReadonlyArray<Node>): boolean => {
  const [reference, list] = parents.slice(-2)
  if (list?.type !== "TSTypeParameterInstantiation" || reference === undefined) return false
  const name = nodes(reference["typeName"])[0]
  return reference.type === "TSTypeReference" && !holders.has(nameOf(name) ?? "")
}

const isConstraint = (node: Node, parents: ReadonlyArray<Node>): boolean =>
  [...parents, node].some((inner, index, path) => {
    const outer = path[index - 1]
    if (outer?.type === "TSTypeParameter") return outer["constraint"] === inner
    return outer?.type === "TSConditionalType" && (outer["extendsType"] === inner || outer["checkType"] === inner)
  })

/**
 * Whether an `any` only widens what is accepted: in a constraint, in the pattern of a conditional type, or as the
 * argument that leaves a parameter of a named type open (`Flow<any, any>`, `Schema.Codec<A, any>`).
 */
const onlyWidens = (node: Node, parents: ReadonlyArray<Node>): boolean =>
  isWildcard(parents) || isConstraint(node, parents)

const anys = (source: Source, program: Node): ReadonlyArray<string> => {
  const found: Array<string> = []
  visit(program, (node, parents) => {
    if (node.type === "TSAnyKeyword" && !onlyWidens(node, parents)) {
      found.push(`${at(source, node)} any: name the type, or take unknown and decode it`)
    }
    return true
  })
  return found
}

const casts = (program: Node): number => {
  let count = 0
  visit(program, (node) => {
    const type = node["typeAnnotation"]
    const asConst =
      isNode(type) && type.type === "TSTypeReference" && nodes(type["typeName"]).some(({ name }) => name === "const")
    if (node.type === "TSAsExpression" && !asConst) count++
    return true
  })
  return count
}

const banned: ReadonlyArray<{ readonly pattern: RegExp; readonly why: string }> = [
  { pattern: /@ts-(?:ignore|nocheck|expect-error)/u, why: "an error of the compiler is repaired, not hidden" },
  { pattern: /\b(?:TODO|FIXME|XXX)\b/u, why: "what is left to do is an issue" }
]

const hidden = (source: Source): ReadonlyArray<string> =>
  comments(source).flatMap(({ start, value }) =>
    banned
      .filter(({ pattern }) => pattern.test(value))
      .map(({ pattern, why }) => `${source.path}:${line(source, start)} ${pattern.exec(value)?.[0]}: ${why}`)
  )

/** Types that check nothing and comments that hide an error, in published sources; casts are only counted. */
export const rulesReport = (files: ReadonlyArray<Source>): Report => {
  const trees = files.map((source) => ({ source, program: parse(source) }))
  const problems = trees.flatMap(({ program, source }) => [...anys(source, program), ...hidden(source)])
  const cast = trees.map(({ program, source }) => ({ path: source.path, count: casts(program) }))
  const total = cast.reduce((sum, { count }) => sum + count, 0)
  const most = cast.toSorted((a, b) => b.count - a.count)[0]
  const notes = total === 0 || most === undefined ? [] : [`${total} casts, the most in ${most.path} (${most.count})`]
  return { problems, notes }
}

export const rules: Gate = {
  name: "rules",
  run: async (root) =>
    rulesReport(sources(root, ["packages"]).filter(({ path }) => /^packages\/[^/]+\/src\//u.test(path)))
}
