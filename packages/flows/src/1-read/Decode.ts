/** Plain JSON against the schema of documents: every problem with its place, unknown keys refused. */
import { Predicate, Result, Schema, SchemaIssue } from "effect"
import { FlowDocument } from "../document/Document.ts"
import { errorAt, type FlowIssue, type Place } from "../document/Issue.ts"
import { FLOW_DOCUMENT_SCHEMA } from "../document/JsonSchema.ts"
import { stepKinds } from "../document/Steps.ts"
import { nearest } from "../expr/ExpressionError.ts"

const decodeDocument = Schema.decodeUnknownResult(FlowDocument, { errors: "all", onExcessProperty: "error" })

const words: SchemaIssue.LeafHook = (issue) => {
  switch (issue._tag) {
    case "MissingKey":
      return "is missing"
    case "UnexpectedKey":
      return "unknown key"
    default:
      return SchemaIssue.defaultLeafHook(issue)
  }
}
const format = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: words })

/** What is wanted, in the words of the guide. */
const wanted: ReadonlyMap<string, string> = new Map([
  ["FlowDocument", "a flow document: an object with version, id and steps"],
  ["Trigger", "a keyword, a list of at most 50, or { keywords, match, scope }"],
  ["Text", "a text"],
  ["Label", "a text"],
  ["Id", "a text"],
  ["Expression", "an expression as text"],
  ["Option", "an option: { key, label, steps }"],
  ["string", "a text"],
  ["number", "a number"],
  ["boolean", "true or false"],
  ["array", "a list"],
  ["object", "an object"],
  ["2", "version 1 or 2"]
])
const described = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "a list"
  if (typeof value === "object") return "an object"
  if (typeof value === "string") return "a text"
  return typeof value === "number" ? `${value}` : `${String(value)}`
}
const expected = "Expected "
const inWords = (message: string, value: unknown): string => {
  if (!message.startsWith(expected)) return message
  const what = message.slice(expected.length)
  return `expected ${wanted.get(what) ?? what}, got ${described(value)}`
}

const valueAt = (document: unknown, place: Place): unknown =>
  place.reduce<unknown>(
    (value, key) =>
      Predicate.isObjectOrArray(value) && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
    document
  )

/** The keys that may stand where an unknown one stands. */
const keysOf = (parent: unknown, place: Place): ReadonlyArray<string> => {
  const definitions = valueAt(FLOW_DOCUMENT_SCHEMA, ["$defs"])
  const kind = valueAt(parent, ["kind"])
  if (place.length === 0) return keysIn(valueAt(definitions, ["FlowDocument", "properties"]))
  const members = valueAt(definitions, ["Step", "anyOf"])
  if (!Array.isArray(members)) return []
  const member: unknown = members.find((one) => valueAt(one, ["properties", "kind", "enum", 0]) === kind)
  return keysIn(valueAt(member, ["properties"]))
}
const keysIn = (value: unknown): ReadonlyArray<string> => (Predicate.isObject(value) ? Object.keys(value) : [])

const suggested = (document: unknown, place: Place, message: string): string | undefined => {
  const last = place.at(-1)
  if (message === "unknown key" && typeof last === "string") {
    const parent = place.slice(0, -1)
    return nearest(last, keysOf(valueAt(document, parent), parent))
  }
  const kind = valueAt(document, [...place, "kind"])
  return message.startsWith("expected a step") && typeof kind === "string" ? nearest(kind, stepKinds) : undefined
}

const toPlace = (path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined): Place =>
  (path ?? []).map((key) => {
    const plain = typeof key === "object" ? key.key : key
    return typeof plain === "number" ? plain : String(plain)
  })

/** Pure. */
export const decode = (document: unknown): Result.Result<FlowDocument, ReadonlyArray<FlowIssue>> =>
  Result.mapError(decodeDocument(document), (error) => {
    const seen = new Set<string>()
    return format(error.issue).issues.flatMap(({ message, path }) => {
      const place = toPlace(path)
      const issue = errorAt(place, inWords(message, valueAt(document, place)), suggested(document, place, message))
      const mark = `${issue.path} ${issue.message}`
      if (seen.has(mark)) return []
      seen.add(mark)
      return [issue]
    })
  })
