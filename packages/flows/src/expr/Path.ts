/**
 * Paths into the state and the message. Own properties only: nothing a person or an author writes reaches a prototype
 * (DOC-04). What is not there reads as null.
 *
 * Source: E4, E5
 */
import type { Flow } from "@botmesh/core"
import type { Value } from "./Value.ts"

export interface Path {
  /** `$state`, or one of the `$` names. */
  readonly root: string
  readonly segments: ReadonlyArray<string>
}

/** Reads a value; what compiled expressions and templates are made of. */
export type Read = (state: Flow.State, at: Flow.Moment) => Value

/** Where the keys of a document stand in the state: a subflow has its own, under a prefix. */
export type KeyOf = (key: string) => string
export const ownKeys: KeyOf = (key) => key

/** The `$` names every expression and template may read. */
export const roots: ReadonlySet<string> = new Set(["$body", "$from", "$sender", "$isGroup", "$state"])
/** And those of a validation: `$answer` is what the person sent, as it came. */
export const answerRoots: ReadonlySet<string> = new Set([...roots, "$answer"])

const rootRead = (root: string): Read => {
  switch (root) {
    case "$body":
      return (_, { chat }) => chat.body
    case "$from":
      return (_, { chat }) => chat.from
    case "$sender":
      return (_, { chat }) => chat.sender
    case "$isGroup":
      return (_, { chat }) => chat.isGroup
    default:
      return (_, { chat }) => chat.payload ?? chat.body
  }
}

/** A stored value as expressions see it. */
const seen = (value: Value): Value => {
  switch (typeof value) {
    case "string":
    case "number":
    case "boolean":
      return value
    case "object":
      return value
    default:
      return null
  }
}

const isIndex = (segment: string): boolean => {
  for (let at = 0; at < segment.length; at++) {
    const code = segment.charCodeAt(at)
    if (code < 48 || code > 57) return false
  }
  return segment !== ""
}

/** An own property of an object, an item of a list; null where there is none. */
export const ownValue = (value: Value, segment: string): Value => {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, segment)) return null
  if (Array.isArray(value) && !isIndex(segment)) return null
  const found: unknown = Reflect.get(value, segment)
  return seen(found)
}

/** Keys may hold dots: the whole of a path is looked for as one key before it is taken apart. */
export const compilePath = ({ root, segments }: Path, keyOf: KeyOf): Read => {
  if (root !== "$state") {
    const read = rootRead(root)
    return segments.length === 0 ? read : (state, at) => segments.reduce(ownValue, read(state, at))
  }
  const [head = "", ...rest] = segments
  const first = keyOf(head)
  if (rest.length === 0) {
    return (state) => {
      const value = Object.hasOwn(state, first) ? state[first] : null
      return typeof value === "string" || typeof value === "number" ? value : seen(value)
    }
  }
  const whole = keyOf(segments.join("."))
  return (state) => (Object.hasOwn(state, whole) ? seen(state[whole]) : rest.reduce(ownValue, ownValue(state, first)))
}
