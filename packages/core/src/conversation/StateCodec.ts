/**
 * How typed state, answers and results become JSON for a checkpoint and come back: Date, Option, BigInt, maps and
 * classes survive where a schema says what they are. JSON has no negative zero: it comes back as zero.
 *
 * Source: B5, C18, design 3 ("JSON, or name a schema")
 */
import { Result, Schema, type SchemaAST } from "effect"
import { findNotJson } from "../model/PlainJson.ts"

/** A value that cannot be stored, or a stored one that is not what the schema says: the code has changed (C18). */
export interface StateIssue {
  readonly message: string
}

/** Both directions of one schema's type side. */
export interface StateCodec<A> {
  readonly encode: (value: A) => Result.Result<unknown, StateIssue>
  readonly decode: (stored: unknown) => Result.Result<A, StateIssue>
}

const issueOf = (error: Schema.SchemaError): StateIssue => ({ message: error.message })

const asIs = <A>(value: A): Result.Result<A, StateIssue> => {
  if (value === undefined || typeof value === "string") return Result.succeed(value)
  const found = findNotJson(value)
  return found === undefined
    ? Result.succeed(value)
    : Result.fail({ message: `${found.path} cannot be stored as JSON: ${found.reason}` })
}

const makeStateCodec = (schema: Schema.Constraint): StateCodec<unknown> => {
  // The type side only: what a person's text was decoded by need not be reversible.
  const type = Schema.toType(schema)
  const codec = Schema.toCodecJson(type)
  const encode = Schema.encodeUnknownResult(codec)
  const decode = Schema.decodeUnknownResult(codec)
  return {
    encode: codec.ast === type.ast ? asIs : (value) => Result.mapError(encode(value), issueOf),
    decode: (stored) => Result.mapError(decode(stored), issueOf)
  }
}

const known = new WeakMap<SchemaAST.AST, StateCodec<unknown>>()

/**
 * The codec of a schema's values, derived once. Where the values are JSON already it checks and hands them through.
 *
 * Source: B5
 */
export function stateCodec<A>(schema: Schema.Schema<A>): StateCodec<A>
// The cache cannot know A: an entry is made from the very schema it is found by, so its values are that schema's.
export function stateCodec(schema: Schema.Constraint): StateCodec<unknown> {
  const found = known.get(schema.ast) ?? makeStateCodec(schema)
  known.set(schema.ast, found)
  return found
}

/**
 * A value as JSON for storing.
 *
 * @param schema what the value is, or undefined for one that has to be JSON itself; undefined alone passes as undefined
 *   and is stored as nothing
 * @returns the JSON value, or where and why it cannot be stored
 *
 * Pure. Source: B5, C18
 */
export function encodeState<A>(schema: Schema.Schema<A> | undefined, value: A): Result.Result<unknown, StateIssue> {
  return schema === undefined ? asIs(value) : stateCodec(schema).encode(value)
}

/**
 * A stored value back, checked against the schema as it is now. Without a schema it comes back as it is.
 *
 * Pure. Source: B5, C18
 */
export function decodeState<A>(schema: Schema.Schema<A>, stored: unknown): Result.Result<A, StateIssue>
export function decodeState(schema: undefined, stored: unknown): Result.Result<unknown, StateIssue>
export function decodeState<A>(
  schema: Schema.Schema<A> | undefined,
  stored: unknown
): Result.Result<unknown, StateIssue>
export function decodeState<A>(
  schema: Schema.Schema<A> | undefined,
  stored: unknown
): Result.Result<unknown, StateIssue> {
  return schema === undefined ? Result.succeed(stored) : stateCodec(schema).decode(stored)
}
