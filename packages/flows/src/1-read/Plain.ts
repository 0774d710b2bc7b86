/**
 * Takes a document as plain JSON: a copy that nobody else holds, of bounded depth and size, without prototypes, getters or
 * cycles. What follows may walk it by recursion (DOC-08).
 */
import { Result } from "effect"
import { errorAt, type FlowIssue, type Place } from "../document/Issue.ts"
import { FLOW_DOCUMENT_LIMITS as limits } from "../document/Limits.ts"

interface Walk {
  left: number
  readonly place: Array<string | number>
}

class NotPlain {
  readonly issue: FlowIssue
  constructor(place: Place, message: string) {
    this.issue = errorAt(place, message)
  }
}

const copy = (value: unknown, walk: Walk): unknown => {
  if (--walk.left < 0) throw new NotPlain([], `the document holds more than ${limits.values} values`)
  switch (typeof value) {
    case "string":
    case "boolean":
      return value
    case "number":
      if (Number.isFinite(value)) return value
      throw new NotPlain(walk.place, `${value} is no JSON number`)
    case "object":
      return value === null ? null : copyObject(value, walk)
    default:
      throw new NotPlain(walk.place, `expected JSON, got a value of type ${typeof value}`)
  }
}

const copyObject = (value: object, walk: Walk): unknown => {
  const { place } = walk
  // The start of the path is enough to find it: the whole of it would be longer than the document is deep.
  if (place.length >= limits.depth) throw new NotPlain(place.slice(0, 24), `nested deeper than ${limits.depth} levels`)
  if (Array.isArray(value)) {
    return Array.from({ length: value.length }, (_, index) => {
      const found = own(value, index, place)
      return at(walk, index, () => copy(found, walk))
    })
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) {
    throw new NotPlain(place, "expected a plain object, got an instance of a class")
  }
  const entries: Array<[string, unknown]> = []
  for (const key of Object.keys(value)) {
    const found = own(value, key, place)
    // A key without a value is no key: so JSON would write it.
    if (found !== undefined) entries.push([key, at(walk, key, () => copy(found, walk))])
  }
  return Object.fromEntries(entries)
}

const at = <A>(walk: Walk, key: string | number, read: () => A): A => {
  walk.place.push(key)
  const made = read()
  walk.place.pop()
  return made
}

const own = (value: object, key: string | number, place: Place): unknown => {
  const property = Object.getOwnPropertyDescriptor(value, key)
  if (property !== undefined && "value" in property) return property.value
  throw new NotPlain([...place, key], property === undefined ? "a hole in a list" : "a property that is computed")
}

/** The copy, or why there is none. Pure; linear in what is there, and never more than the limits. Source: DOC-08 */
export const plainJson = (document: unknown): Result.Result<unknown, FlowIssue> => {
  try {
    return Result.succeed(copy(document, { left: limits.values, place: [] }))
  } catch (error) {
    if (error instanceof NotPlain) return Result.fail(error.issue)
    // A proxy may throw what it likes.
    return Result.fail(errorAt([], "the document cannot be read"))
  }
}
