/** What is wrong with a document, where, and what may have been meant. */
import { Schema } from "effect"

/** A place in a document, from its root. */
export type Place = ReadonlyArray<string | number>

/** `steps[2].validate.expr`; "" is the document itself. */
export const pathText = (place: Place): string =>
  place.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`
    if (!/^[A-Za-z_$][\w$]*$/u.test(key)) return `${text}[${JSON.stringify(key)}]`
    return text === "" ? key : `${text}.${key}`
  }, "")

/**
 * One problem. An `error` keeps the document from compiling; a `warning` is most likely a mistake. `path` is the place in
 * the document as the author wrote it (`steps[2].validate.expr`, "" for the whole), `suggestion` what may have been meant.
 * Source: E7
 */
export const FlowIssue = Schema.Struct({
  path: Schema.String,
  message: Schema.String,
  severity: Schema.Literals(["error", "warning"]),
  suggestion: Schema.optionalKey(Schema.String)
})
export type FlowIssue = typeof FlowIssue.Type

export const errorAt = (place: Place, message: string, suggestion?: string): FlowIssue => ({
  path: pathText(place),
  message,
  severity: "error",
  ...(suggestion === undefined ? {} : { suggestion })
})
export const warningAt = (place: Place, message: string, suggestion?: string): FlowIssue => ({
  ...errorAt(place, message, suggestion),
  severity: "warning"
})

/**
 * A document that does not compile, with every problem found. Trying again gives the same error.
 * Source: E7
 */
export class FlowDocumentError extends Schema.TaggedError<FlowDocumentError>()("FlowDocumentError", {
  /** The document's id, where it has one. */
  document: Schema.String,
  issues: Schema.Array(FlowIssue)
}) {
  override get message(): string {
    const lines = this.issues.map(({ message, path }) => `- ${path === "" ? "" : `${path}: `}${message}`)
    return `Flow document "${this.document}" does not compile:\n${lines.join("\n")}`
  }
}
