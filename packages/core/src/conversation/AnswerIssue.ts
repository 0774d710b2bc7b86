/** Why an answer was refused, in words for the person who wrote it and for the developer who reads logs. */
import { Predicate, SchemaIssue } from "effect"
import { type Catalogue, type Params, translate } from "../i18n/Catalogue.ts"
import type { CoreKey } from "../i18n/CoreTexts.ts"

/** A refused answer. Source: B3 */
export interface AnswerIssue {
  readonly _tag: "AnswerIssue"
  /** The built-in text that says what is wanted, and what fills its places. */
  readonly key: CoreKey
  readonly params: Params
  /** The author's own words, from the schema's `message` annotation or a filter's result. They win over the text. */
  readonly message: string | undefined
  /** For logs and events; never shown to a person. Holds what was expected, not the answer. */
  readonly detail: string
}

/**
 * What to tell the person, in their language unless the schema's author wrote the words.
 *
 * Pure. Source: B3, B13
 */
export const describeAnswerIssue = (issue: AnswerIssue, catalogue: Catalogue, lang: string | undefined): string =>
  issue.message ?? translate(catalogue, lang, issue.key, issue.params)

/** What the failure of a schema says in particular. */
export interface Explanation {
  readonly key: CoreKey
  readonly params: Params
  readonly message: string | undefined
}

const messageOf = (annotations: unknown): string | undefined =>
  Predicate.hasProperty(annotations, "message") && typeof annotations.message === "string"
    ? annotations.message
    : undefined

/** The numbers of a check such as `isBetween`, by the id Effect gives it. */
const checkOf = (annotations: unknown): { readonly id: string; readonly numbers: Readonly<Record<string, number>> } => {
  const representation = Predicate.hasProperty(annotations, "representation") ? annotations.representation : undefined
  const id = Predicate.hasProperty(representation, "id") ? String(representation.id) : ""
  const payload = Predicate.hasProperty(representation, "payload") ? representation.payload : undefined
  const entries = Predicate.isObject(payload) ? Object.entries(payload) : []
  return {
    id,
    numbers: Object.fromEntries(entries.filter((entry): entry is [string, number] => typeof entry[1] === "number"))
  }
}

const explainCheck = (annotations: unknown): Explanation => {
  const { id, numbers } = checkOf(annotations)
  const told = (key: CoreKey, params: Params = {}): Explanation => ({ key, params, message: undefined })
  const { minimum, maximum, minLength, maxLength } = numbers
  const name = id.replace("effect/schema/", "")
  if (name === "isInt") return told("core.answer.integer")
  if (name === "isBetween" && minimum !== undefined && maximum !== undefined) {
    return told("core.answer.between", { minimum, maximum })
  }
  if (name === "isGreaterThanOrEqualTo" && minimum !== undefined) return told("core.answer.at-least", { minimum })
  if (name === "isLessThanOrEqualTo" && maximum !== undefined) return told("core.answer.at-most", { maximum })
  if (name === "isMinLength" && minLength !== undefined) return told("core.answer.too-short", { minimum: minLength })
  if (name === "isMaxLength" && maxLength !== undefined) return told("core.answer.too-long", { maximum: maxLength })
  return told("core.answer.invalid")
}

const own = (message: string): Explanation => ({ key: "core.answer.invalid", params: {}, message })

/**
 * What the failure says in particular: the author's message or the check that was not met, the first in the order of the
 * schema; undefined when the input was not even of the right kind.
 *
 * Pure. Source: B3
 */
export const explain = (issue: SchemaIssue.Issue): Explanation | undefined => {
  switch (issue._tag) {
    case "Filter": {
      const message = messageOf(issue.filter.annotations) ?? explain(issue.issue)?.message
      return message === undefined ? explainCheck(issue.filter.annotations) : own(message)
    }
    case "InvalidValue": {
      const message = messageOf(issue.annotations)
      return message === undefined ? undefined : own(message)
    }
    case "InvalidType": {
      const message = messageOf(issue.ast.annotations)
      return message === undefined ? undefined : own(message)
    }
    case "Composite":
    case "AnyOf": {
      const found = issue.issues.map(explain).find((one) => one !== undefined)
      const message = messageOf(issue.ast.annotations)
      return found?.message !== undefined || message === undefined ? found : own(message)
    }
    case "Encoding":
    case "Pointer":
      return explain(issue.issue)
    default:
      return undefined
  }
}

const format = SchemaIssue.makeFormatterDefault()

/** The failure for logs. Source: B3 */
export const detailOf = (issue: SchemaIssue.Issue): string => format(issue)
