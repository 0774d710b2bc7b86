/** What may be stored: values that `JSON.stringify` and `JSON.parse` give back as they were. */
import { Option } from "effect"
import type { Json } from "./Json.ts"

/** Where a value cannot be stored, as a path from the value itself (`$.items[2].at`), and why. */
export interface NotJson {
  readonly path: string
  readonly reason: string
}

/** How much is looked at: deeper or larger values are refused rather than walked. */
export interface JsonBounds {
  /** Levels of nesting, default 64. */
  readonly depth?: number
  /** Values in all, counting each time a shared one appears, default 100,000. */
  readonly size?: number
}

interface Walk {
  readonly depth: number
  left: number
  /** The containers around the value that is looked at: meeting one again is a cycle. */
  readonly around: Array<object>
}

const at = (path: string, key: string | number): string =>
  typeof key === "number"
    ? `${path}[${key}]`
    : /^[A-Za-z_$][\w$]*$/.test(key)
      ? `${path}.${key}`
      : `${path}[${JSON.stringify(key)}]`

const className = (prototype: object): string => {
  const constructor: unknown = Reflect.get(prototype, "constructor")
  return typeof constructor === "function" && constructor.name !== "" ? constructor.name : "a class"
}

const walk = (value: unknown, path: string, state: Walk): NotJson | undefined => {
  if (--state.left < 0) return { path, reason: "the value is too large" }
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined
    case "number":
      return Number.isFinite(value) ? undefined : { path, reason: `${value} is no JSON number` }
    case "object":
      return value === null ? undefined : walkObject(value, path, state)
    default:
      return { path, reason: typeof value === "undefined" ? "undefined" : `a ${typeof value}` }
  }
}

const walkObject = (value: object, path: string, state: Walk): NotJson | undefined => {
  if (state.around.includes(value)) return { path, reason: "a cycle" }
  if (state.around.length >= state.depth) return { path, reason: `nested deeper than ${state.depth}` }
  const prototype: object | null = Object.getPrototypeOf(value)
  const expected = Array.isArray(value) ? Array.prototype : Object.prototype
  if (prototype !== null && prototype !== expected) return { path, reason: `an instance of ${className(prototype)}` }
  if (Object.getOwnPropertySymbols(value).length > 0) return { path, reason: "a symbol as key" }
  state.around.push(value)
  const found = Array.isArray(value) ? walkItems(value, path, state) : walkEntries(value, path, state)
  state.around.pop()
  return found
}

const walkItems = (items: ReadonlyArray<unknown>, path: string, state: Walk): NotJson | undefined => {
  if (Object.keys(items).length !== items.length) return { path, reason: "an array with holes or keys of its own" }
  for (const [index, item] of items.entries()) {
    const found = walk(item, at(path, index), state)
    if (found !== undefined) return found
  }
  return undefined
}

const walkEntries = (value: object, path: string, state: Walk): NotJson | undefined => {
  for (const [key, item] of Object.entries(value)) {
    // A key without a value is stored as no key, which reads the same.
    if (item === undefined) continue
    const found = walk(item, at(path, key), state)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * The first place where a value cannot be stored as JSON, or undefined if it can: an instance of a class (Date, Map), a
 * function, symbol or bigint, NaN or an infinity, undefined by itself or in an array, an array with holes, a cycle, more
 * nesting or values than the bounds. A property that is undefined is fine: it is stored as absent.
 *
 * Pure, runs no code of the value but its getters, and never walks further than the bounds. Source: C18, R22, design 3
 */
export const findNotJson = (value: unknown, bounds: JsonBounds = {}): NotJson | undefined =>
  walk(value, "$", { depth: bounds.depth ?? 64, left: bounds.size ?? 100_000, around: [] })

/** Whether a value can be stored as JSON: see `findNotJson`. Source: C18, R22 */
export const isPlainJson = (value: unknown, bounds: JsonBounds = {}): value is Json =>
  findNotJson(value, bounds) === undefined

/** The JSON text of a value; none for what has no such text: a BigInt, a cycle, a function, `undefined`. */
export const jsonOf = (value: unknown): Option.Option<string> => {
  try {
    return Option.fromNullishOr(JSON.stringify(value))
  } catch {
    return Option.none()
  }
}
