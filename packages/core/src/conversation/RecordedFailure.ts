/**
 * A failure a program survived, as JSON and back: a replay has to fail the same way (R22). What a program matches on is
 * kept: the tag, the message and the fields that are plain JSON; the class is not.
 */
import type { Op } from "../model/Checkpoint.ts"
import { findNotJson } from "../model/PlainJson.ts"
import { copyJson } from "./StateCopy.ts"

type Recorded = NonNullable<Op["failed"]>

/** Never throws, whatever a program fails with; what it holds is copied. */
export const recordFailure = (error: unknown, died: boolean): Recorded => ({
  error: guarded(error),
  ...(died ? { died } : {})
})

/** What somebody threw, as text. Never throws. */
export const textOf = (error: unknown): string => {
  try {
    return error instanceof Error ? String(error.message) : String(error)
  } catch {
    return "an error that cannot be told"
  }
}

const guarded = (error: unknown): unknown => {
  try {
    return copyJson(plain(error))
  } catch {
    // A getter, a proxy or a toString of its own that throws.
    return { message: textOf(error) }
  }
}

const plain = (error: unknown): unknown => {
  if (!(error instanceof Error)) return findNotJson(error) === undefined ? error : { message: textOf(error) }
  const fields: Array<[string, unknown]> = [
    ["name", String(error.name)],
    ["message", textOf(error)]
  ]
  for (const field of Object.keys(error)) {
    const value = fieldOf(error, field)
    if (findNotJson(value) === undefined) fields.push([field, value])
  }
  const tag = fieldOf(error, "_tag")
  if (typeof tag === "string") fields.push(["_tag", tag])
  return Object.fromEntries(fields)
}
const fieldOf = (error: Error, field: string): unknown => {
  try {
    return Reflect.get(error, field)
  } catch {
    return undefined
  }
}

/** The failure as the program meets it in a replay. */
export const replayFailure = (recorded: Recorded): unknown => {
  const error = copyJson(recorded.error)
  if (typeof error !== "object" || error === null || Array.isArray(error)) return error
  const message = "message" in error ? String(error.message) : ""
  const again = new Error(message)
  // Own fields, so that a getter of Error's prototype cannot hide them.
  for (const [field, value] of Object.entries(error)) {
    Object.defineProperty(again, field, { value, enumerable: field !== "message", configurable: true, writable: true })
  }
  return again
}
