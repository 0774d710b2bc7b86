/**
 * The state of a conversation as JSON and back, key by key, and copies of it: what a program does to a value it was given
 * must not reach what a replay begins from (C1, R22).
 *
 * Source: B5, C18
 */
import { Result, type Schema } from "effect"
import { isPlainJson } from "../model/PlainJson.ts"
import type { Program } from "./Program.ts"
import { decodeState, encodeState, type StateIssue } from "./StateCodec.ts"
import type { State } from "./Step.ts"

/** Where a state cannot be stored or read, and why. */
export interface FieldIssue extends StateIssue {
  readonly field: string
}

/** Through the first of the key's schemas that takes the value; plain JSON passes as it is. */
const through = (
  schemas: ReadonlyArray<Schema.Top> | undefined,
  codec: (schema: Schema.Top | undefined) => Result.Result<unknown, StateIssue>
): Result.Result<unknown, StateIssue> => {
  let first: Result.Result<unknown, StateIssue> | undefined
  for (const schema of schemas ?? [undefined]) {
    const result = codec(schema)
    if (Result.isSuccess(result)) return result
    first ??= result
  }
  return first ?? codec(undefined)
}
const encoded = (program: Program, field: string, value: unknown): Result.Result<unknown, StateIssue> =>
  through(program.schemas.get(field), (schema) => encodeState(schema, value))
const decoded = (program: Program, field: string, stored: unknown): Result.Result<unknown, StateIssue> =>
  through(program.schemas.get(field), (schema) => decodeState(schema, stored))

/** Each field an own one, whatever it is called: `__proto__` too. */
const each = (
  program: Program,
  state: State,
  codec: typeof encoded
): Result.Result<Record<string, unknown>, FieldIssue> => {
  const fields: Array<[string, unknown]> = []
  for (const [field, value] of Object.entries(state)) {
    const one = codec(program, field, value)
    if (Result.isFailure(one)) return Result.fail({ field, message: one.failure.message })
    fields.push([field, one.success])
  }
  return Result.succeed(Object.fromEntries(fields))
}

/** A state as JSON for storing. */
export const encodeFields = (program: Program, state: State): Result.Result<Record<string, unknown>, FieldIssue> =>
  each(program, state, encoded)
/** A stored state back, checked against the schemas of the program as it is now. */
export const decodeFields = (program: Program, stored: State): Result.Result<Record<string, unknown>, FieldIssue> =>
  each(program, stored, decoded)

/** A copy of what is known to be plain JSON; of a primitive, itself, at no cost. */
export const copyJson = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? JSON.parse(JSON.stringify(value)) : value

/** A copy of a state, each value by its schema. A value that no schema tells how to store is handed on as it is. */
export const copyState = (program: Program, state: State): State =>
  Object.fromEntries(Object.entries(state).map(([field, value]) => [field, copyField(program, field, value)]))

/** A copy of one value of a state. */
export const copyField = (program: Program, field: string, value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (!program.schemas.has(field)) return isPlainJson(value) ? copyJson(value) : value
  const stored = encoded(program, field, value)
  if (Result.isFailure(stored)) return value
  const again = decoded(program, field, copyJson(stored.success))
  return Result.isSuccess(again) ? again.success : value
}
