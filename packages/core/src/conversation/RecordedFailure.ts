/**
 * A failure a program survived, as JSON and back: a replay has to fail the same way (R22). What a program matches on is
 * kept: the tag, the message and the fields that are plain JSON; the class is not.
 */
import type { Op } from "../model/Checkpoint.ts"
import { findNotJson } from "../model/PlainJson.ts"

type Recorded = NonNullable<Op["failed"]>

export const recordFailure = (error: unknown, died: boolean): Recorded => ({
  error: plain(error),
  ...(died ? { died } : {})
})

const plain = (error: unknown): unknown => {
  if (!(error instanceof Error)) return findNotJson(error) === undefined ? error : { message: String(error) }
  const fields: Record<string, unknown> = { name: error.name, message: error.message }
  for (const [field, value] of Object.entries(error)) if (findNotJson(value) === undefined) fields[field] = value
  if ("_tag" in error) fields["_tag"] = error._tag
  return fields
}

/** The failure as the program meets it in a replay. */
export const replayFailure = (recorded: Recorded): unknown => {
  const { error } = recorded
  if (typeof error !== "object" || error === null || Array.isArray(error)) return error
  const message = "message" in error ? String(error.message) : ""
  const again = new Error(message)
  // Own fields, so that a getter of Error's prototype cannot hide them.
  for (const [field, value] of Object.entries(error)) {
    Object.defineProperty(again, field, { value, enumerable: field !== "message", configurable: true, writable: true })
  }
  return again
}
