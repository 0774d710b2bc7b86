/**
 * The functions of expressions (E5). Each takes any values and gives a value: none can fail, none looks at the clock, the
 * locale or anything but its arguments, each runs in linear time.
 */
import { readNumber } from "@botmesh/core"
import { isEmpty, isEqual, textOf, type Value } from "./Value.ts"

/** What a function gives, as far as it is known before it runs. */
export type Kind = "text" | "number" | "boolean" | "any"

export interface ExprFunction {
  readonly least: number
  readonly most: number
  readonly gives: Kind
  readonly call: (args: ReadonlyArray<Value>) => Value
}

const isHighSurrogate = (code: number): boolean => (code & 0xfc00) === 0xd800
const isLowSurrogate = (code: number): boolean => (code & 0xfc00) === 0xdc00

/** Characters (code points) of a text. */
export const lengthOfText = (text: string): number => {
  let length = text.length
  for (let at = 0; at < text.length - 1; at++) {
    if (isHighSurrogate(text.charCodeAt(at)) && isLowSurrogate(text.charCodeAt(at + 1))) length--
  }
  return length
}

/** Characters of a text, items of a list, keys of an object; of anything else those of its text. */
export const len = (value: Value): number => {
  if (typeof value === "string") return lengthOfText(value)
  if (Array.isArray(value)) return value.length
  return typeof value === "object" && value !== null ? Object.keys(value).length : lengthOfText(textOf(value))
}

/** A number as it is; a text by the coercion of answers (any digits, decimal comma); null for anything else. */
export const toNumber = (value: Value): Value =>
  typeof value === "number" ? value : typeof value === "string" ? (readNumber(value) ?? null) : null

/** Whether a list has an item, or a text has another in it. An empty text is in nothing. */
export const contains = (whole: Value, part: Value): boolean => {
  if (Array.isArray(whole)) return whole.some((item) => isEqual(item, part))
  const wanted = textOf(part)
  return wanted !== "" && textOf(whole).includes(wanted)
}
export const startsWith = (whole: Value, part: Value): boolean => {
  const wanted = textOf(part)
  return wanted !== "" && textOf(whole).startsWith(wanted)
}
export const endsWith = (whole: Value, part: Value): boolean => {
  const wanted = textOf(part)
  return wanted !== "" && textOf(whole).endsWith(wanted)
}
export const oneOf = ([value, ...others]: ReadonlyArray<Value>): boolean =>
  others.some((other) => isEqual(value, other))

const one = (gives: Kind, call: (value: Value) => Value): ExprFunction => ({
  least: 1,
  most: 1,
  gives,
  call: ([value]) => call(value)
})
const two = (gives: Kind, call: (first: Value, second: Value) => Value): ExprFunction => ({
  least: 2,
  most: 2,
  gives,
  call: ([first, second]) => call(first, second)
})

export const lower = (value: Value): string => textOf(value).toLowerCase()
export const upper = (value: Value): string => textOf(value).toUpperCase()
export const trim = (value: Value): string => textOf(value).trim()

export const functions: ReadonlyMap<string, ExprFunction> = new Map([
  ["len", one("number", len)],
  ["lower", one("text", lower)],
  ["upper", one("text", upper)],
  ["trim", one("text", trim)],
  ["number", one("number", toNumber)],
  ["string", one("text", textOf)],
  ["contains", two("boolean", contains)],
  ["startsWith", two("boolean", startsWith)],
  ["endsWith", two("boolean", endsWith)],
  ["empty", one("boolean", isEmpty)],
  ["oneOf", { least: 2, most: Number.POSITIVE_INFINITY, gives: "boolean", call: oneOf }]
])
