/**
 * What expressions calculate with: the values of JSON. Whatever is not there, or is no such value (a function, a date),
 * reads as null, so that no operation can fail.
 *
 * Source: E5, DOC-06
 */

/** Anything a state may hold. */
export type Value = unknown

/** A value as text: what templates show and what text functions take. Lists of plain values are joined, objects are "". */
export const textOf = (value: Value): string => {
  switch (typeof value) {
    case "string":
      return value
    case "number":
      return numberText(value)
    case "boolean":
      return value ? "true" : "false"
    default:
      return Array.isArray(value) ? value.map(plainText).join(", ") : ""
  }
}
const plainText = (value: Value): string => (typeof value === "object" ? "" : textOf(value))
/** Never with an exponent: nobody writes 1e21 to a person. */
const numberText = (value: number): string => {
  if (!Number.isFinite(value)) return ""
  const text = String(value)
  return text.includes("e") ? value.toLocaleString("en-US", { useGrouping: false, maximumFractionDigits: 20 }) : text
}

/** Whether a value counts as true: everything but false, null, 0 and "". */
export const isTrue = (value: Value): boolean =>
  typeof value === "boolean" ? value : value !== null && value !== undefined && value !== "" && value !== 0

/**
 * Whether a value counts as not given (DOC-06): null, a text of nothing but white space, an empty list, and what is not
 * there. 0, false, "0" and objects are given.
 */
export const isEmpty = (value: Value): boolean => {
  if (value === null || value === undefined) return true
  if (typeof value === "string") return value.trim() === ""
  return Array.isArray(value) && value.length === 0
}

/** Equal without conversion: a number never equals a text. Lists and objects equal nothing but themselves. */
export const isEqual = (one: Value, other: Value): boolean => (one ?? null) === (other ?? null)

/** Order of two numbers or of two texts (by code units); values that cannot be ordered compare as false. */
export const isLess = (one: Value, other: Value): boolean =>
  (typeof one === "number" && typeof other === "number") || (typeof one === "string" && typeof other === "string")
    ? one < other
    : false
export const isLessOrEqual = (one: Value, other: Value): boolean =>
  (typeof one === "number" && typeof other === "number") || (typeof one === "string" && typeof other === "string")
    ? one <= other
    : false

/** The most a text may hold that a template or an expression makes, in UTF-16 units: what is over is cut. */
export const maxTextMade = 65_536

/** Cut on a whole character. Without it a loop of gotos could double a text until no memory holds it. */
export const bounded = (text: string): string => {
  if (text.length <= maxTextMade) return text
  const code = text.charCodeAt(maxTextMade - 1)
  return text.slice(0, (code & 0xfc00) === 0xd800 ? maxTextMade - 1 : maxTextMade)
}

const finite = (value: number): Value => (Number.isFinite(value) ? (value === 0 ? 0 : value) : null)

/** Two numbers are added; as soon as one is a text, texts are joined, bounded; anything else makes null. */
export const add = (one: Value, other: Value): Value => {
  if (typeof one === "number" && typeof other === "number") return finite(one + other)
  return typeof one === "string" || typeof other === "string" ? bounded(textOf(one) + textOf(other)) : null
}
export const subtract = (one: Value, other: Value): Value =>
  typeof one === "number" && typeof other === "number" ? finite(one - other) : null
export const negate = (value: Value): Value => (typeof value === "number" ? finite(-value) : null)
