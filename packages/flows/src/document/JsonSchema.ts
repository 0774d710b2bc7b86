/** The JSON Schema of flow documents, for editors and other languages. */
import { Schema } from "effect"
import { FlowDocument } from "./Document.ts"

const made = Schema.toJsonSchemaDocument(FlowDocument, { onExcessProperty: "error" })

/**
 * JSON Schema, draft 2020-12, of version 2. It says what a document looks like; expressions, durations and everything that
 * spans several places are checked by `validate` alone. Source: E7
 */
export const FLOW_DOCUMENT_SCHEMA: Readonly<Record<string, unknown>> = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "botmesh flow document",
  ...made.schema,
  $defs: made.definitions
}
