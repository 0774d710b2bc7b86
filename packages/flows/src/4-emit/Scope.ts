/** What the steps of one document are emitted with: its sources, and where its keys stand in the state. */
import type { Flow } from "@botmesh/core"
import type { DurationInput } from "@botmesh/core"
import type { Linked } from "../document/Checked.ts"
import type { Step } from "../document/Steps.ts"
import { type Expression, expressionOf } from "../expr/Expression.ts"
import type { KeyOf, Read } from "../expr/Path.ts"
import { type Template, templateOf } from "../expr/Template.ts"

export interface Scope {
  readonly linked: Linked
  /** "" for the document itself; a subflow keeps its keys apart: `address/street`. */
  readonly prefix: string
  readonly keyOf: KeyOf
  /** The wait of questions that name none, where the flow's own is another's: in a subflow. */
  readonly timeout: DurationInput | undefined
}

export const scopeOf = (linked: Linked, prefix: string, isSubflow: boolean): Scope => ({
  linked,
  prefix,
  // No key of a document holds a "/": keys of two documents never meet.
  keyOf: (key) => prefix + key,
  timeout: isSubflow ? linked.document.timeout : undefined
})

/** A state key that no document can name. */
export const hiddenKey = (scope: Scope, name: string): string => `${scope.prefix}?${name}`

export const expression = ({ keyOf, linked }: Scope, text: string): Expression =>
  expressionOf(text, linked.sources.expression(text), keyOf)
export const answerExpression = ({ keyOf, linked }: Scope, text: string): Expression =>
  expressionOf(text, linked.sources.answer(text), keyOf)
export const template = ({ keyOf, linked }: Scope, text: string): Template =>
  templateOf(linked.sources.template(text), keyOf)

/** A text as the engine takes it: itself where nothing is to be filled in. */
export const textOf = (scope: Scope, text: string): string | ((state: Flow.State, at: Flow.Moment) => string) => {
  const { constant, render } = template(scope, text)
  return constant ?? render
}

/** Several expressions at once: an object of their values, by key. */
export const fields = (
  scope: Scope,
  sources: Readonly<Record<string, string>> | undefined,
  keyOf: KeyOf = (key) => key
): ((...args: Parameters<Read>) => Flow.State) => {
  const reads = Object.entries(sources ?? {}).map(
    ([key, source]) => [keyOf(key), expression(scope, source).evaluate] as const
  )
  return (state, at) => Object.fromEntries(reads.map(([key, read]) => [key, read(state, at)]))
}

/** A short name for a text that is too long for one (FNV-1a). */
const mark = (text: string): string => {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(36)
}

/** What a step without an id or a key is named after, where conversations rest in it or below it: never its position. */
const derivedId = (step: Step): string | undefined => {
  switch (step.kind) {
    case "condition":
    case "guard":
      return `${step.kind}:${mark(step.if)}`
    case "choose":
      return `choose:${mark(step.options.map(({ key }) => key).join("|"))}`
    case "form":
      return `form:${step.fields[0]?.stateKey ?? ""}`
    case "delay":
      return `delay:${step.duration}`
    case "handoff":
      return "handoff"
    default:
      return undefined
  }
}

/** The ids of the steps of a list. */
export class Names {
  private anchor = ""
  /** The id of a step that the author named, or that fills a key. */
  named(id: string): string {
    this.anchor = id
    return id
  }
  /** The id of a step: the author's, one derived of what it is, or one made of the named step before it. */
  of(step: Step): string {
    if (step.id !== undefined) return this.named(step.id)
    return derivedId(step) ?? `${this.anchor}>${step.kind}`
  }
}
