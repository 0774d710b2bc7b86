/** Addresses with places: what is filled in is one part of a path or query, never more. */
import type { Flow } from "@botmesh/core"
import { type Template, templateOf } from "../expr/Template.ts"
import { textOf, type Value } from "../expr/Value.ts"
import type { Scope } from "./Scope.ts"

export interface UrlTemplate {
  readonly constant: string | undefined
  /** Undefined when a value is one that would climb in the path ("..") or is no well-formed text. */
  readonly render: (state: Flow.State, at: Flow.Moment) => string | undefined
}

/** A mark no encoded value can hold. */
const refused = "\u0000"
const encoded = (value: Value): string => {
  const text = textOf(value)
  if (text === "." || text === ".." || !text.isWellFormed()) return refused
  return encodeURIComponent(text)
}

export const urlTemplate = (scope: Scope, source: string): UrlTemplate => {
  const tree = scope.linked.sources.template(source)
  // All of it one place: the address itself, vetted as a whole.
  const made: Template = templateOf(tree, scope.keyOf, tree.pieces.length === 1 ? textOf : encoded)
  return {
    constant: made.constant,
    render: (state, at) => {
      const text = made.render(state, at)
      return text.includes(refused) ? undefined : text
    }
  }
}
