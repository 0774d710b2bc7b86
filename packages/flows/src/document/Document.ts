/**
 * A flow document, version 2, as data and as schema.
 *
 * Source: E1
 */
import { Schema } from "effect"
import { Id, Keyword, listOf, Name, Text, Timeout } from "./Fields.ts"
import { FLOW_DOCUMENT_LIMITS as limits } from "./Limits.ts"
import { Step } from "./Steps.ts"

const optional = Schema.optionalKey
const Keywords = listOf(Keyword, 1, limits.keywords, "keywords")

const Trigger = Schema.Union([
  Keyword,
  Keywords,
  Schema.Struct({
    keywords: Schema.Union([Keyword, Keywords]),
    match: optional(
      Schema.Literals(["equals", "contains", "startsWith", "endsWith"]).annotate({
        message: "expected equals, contains, startsWith or endsWith"
      })
    ),
    scope: optional(Schema.Literals(["dm", "group", "all"]).annotate({ message: "expected dm, group or all" }))
  })
]).annotate({ identifier: "Trigger" })

/** The version that is written today. */
export const documentVersion = 2

export const FlowDocument = Schema.Struct({
  version: Schema.Literal(documentVersion),
  id: Id,
  name: optional(Name),
  description: optional(Text),
  /** What starts the flow; without it only `trigger` and goto do. */
  trigger: optional(Trigger),
  /** The wait of every question that names none. */
  timeout: optional(Timeout),
  /** Survives restarts. */
  persistent: optional(Schema.Boolean),
  /** The keys a trigger, a goto or a flow that uses this one as a subflow brings along. */
  inputs: optional(listOf(Id, 0, limits.inputs, "inputs")),
  steps: Schema.Array(Step).check(
    Schema.isMinLength(1, { message: "expected at least 1 step" }),
    Schema.isMaxLength(limits.steps, { message: `expected at most ${limits.steps} steps` })
  )
}).annotate({ identifier: "FlowDocument" })
export type FlowDocument = typeof FlowDocument.Type
/** A document of version 1: steps of the seven basic kinds alone. It is migrated when it is read. */
export type FlowDocumentV1 = Omit<FlowDocument, "version" | "inputs"> & { readonly version: 1 }
