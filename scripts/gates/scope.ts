import { isNode, type Node, nameOf, nodes } from "./source.ts"

/** Names that a pattern binds: `{ a, b: [c], ...d }`. */
const patternNames = (value: unknown): ReadonlyArray<string> => {
  if (!isNode(value)) return []
  switch (value.type) {
    case "Identifier":
      return [nameOf(value) ?? ""]
    case "ObjectPattern":
      return nodes(value["properties"]).flatMap((property) =>
        patternNames(property.type === "RestElement" ? property : property["value"])
      )
    case "ArrayPattern":
      return nodes(value["elements"]).flatMap(patternNames)
    case "AssignmentPattern":
      return patternNames(value["left"])
    case "RestElement":
      return patternNames(value["argument"])
    case "TSParameterProperty":
      return patternNames(value["parameter"])
    default:
      return []
  }
}

/** Names that a statement declares in the block it stands in. */
const declared = (statement: Node): ReadonlyArray<string> => {
  switch (statement.type) {
    case "VariableDeclaration":
      return nodes(statement["declarations"]).flatMap((declaration) => patternNames(declaration["id"]))
    case "FunctionDeclaration":
    case "ClassDeclaration":
    case "TSEnumDeclaration":
    case "TSModuleDeclaration":
      return patternNames(statement["id"])
    case "ExportNamedDeclaration":
    case "ExportDefaultDeclaration":
      return nodes(statement["declaration"]).flatMap(declared)
    case "ImportDeclaration":
      return nodes(statement["specifiers"]).flatMap((specifier) => patternNames(specifier["local"]))
    default:
      return []
  }
}

const own = (node: Node): ReadonlyArray<string> => {
  switch (node.type) {
    case "Program":
    case "BlockStatement":
    case "FunctionBody":
    case "StaticBlock":
    case "TSModuleBlock":
      return nodes(node["body"]).flatMap(declared)
    case "SwitchStatement":
      return nodes(node["cases"]).flatMap((branch) => nodes(branch["consequent"]).flatMap(declared))
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return [...patternNames(node["id"]), ...nodes(node["params"]).flatMap(patternNames)]
    case "ClassExpression":
      return patternNames(node["id"])
    case "ForStatement":
      return nodes(node["init"]).flatMap(declared)
    case "ForInStatement":
    case "ForOfStatement":
      return nodes(node["left"]).flatMap(declared)
    case "CatchClause":
      return patternNames(node["param"])
    default:
      return []
  }
}

/** Which names each scope of a program binds. `var` counts as block scoped: the formatter's linter refuses it anyway. */
export const bindings = (program: Node): ReadonlyMap<Node, ReadonlySet<string>> => {
  const found = new Map<Node, ReadonlySet<string>>()
  const go = (node: Node): void => {
    const names = own(node)
    if (names.length > 0) found.set(node, new Set(names))
    for (const value of Object.values(node)) for (const child of nodes(value)) go(child)
  }
  go(program)
  return found
}

/** Whether an identifier reads a value, and is not a mere name of a property, a label or a specifier. */
export const isReference = (node: Node, parents: ReadonlyArray<Node>): boolean => {
  const parent = parents.at(-1)
  if (parent === undefined) return true
  switch (parent.type) {
    case "MemberExpression":
      return parent["computed"] === true || parent["object"] === node
    case "Property":
      return parent["computed"] === true || parent["value"] === node
    case "PropertyDefinition":
    case "MethodDefinition":
    case "AccessorProperty":
      return parent["computed"] === true || parent["key"] !== node
    case "TSEnumMember":
      return parent["id"] !== node
    case "LabeledStatement":
    case "BreakStatement":
    case "ContinueStatement":
    case "MetaProperty":
      return false
    case "ExportSpecifier":
      return parent["local"] === node && parents.at(-2)?.["source"] === null
    default:
      return true
  }
}
