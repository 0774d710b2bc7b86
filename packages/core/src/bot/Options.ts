/** Readers of single options: each resolves a `Config`, checks the value, and names the option's path when it is bad (B11). */
import { Config, Duration, Effect } from "effect"
import { ConfigValidationError, type DurationInput, parseDuration } from "../model/Duration.ts"

/** A value, or a `Config` of it. */
export type Given<A> = A | Config.Config<A>

type Read<A> = Effect.Effect<A, ConfigValidationError>

const isConfig = <A>(value: Given<A> | undefined): value is Config.Config<A> => Config.isConfig(value)

/** The value itself; a `Config` that cannot be read names the option too. */
const given = <A>(value: Given<A> | undefined, field: string): Read<A | undefined> =>
  isConfig(value)
    ? Effect.mapError(value, (error) => ConfigValidationError.of(field, error.message))
    : Effect.succeed(value)

const show = (value: unknown): string =>
  typeof value === "object" || typeof value === "function"
    ? value === null
      ? "null"
      : Array.isArray(value)
        ? "array"
        : typeof value
    : `${typeof value} (${typeof value === "string" ? JSON.stringify(value.slice(0, 64)) : String(value)})`

const refuse = (field: string, expected: string, value: unknown): Read<never> =>
  Effect.fail(ConfigValidationError.of(field, `expected ${expected}, got ${show(value)}`))

const checked =
  <A>(expected: string, is: (value: unknown) => boolean) =>
  (value: Given<A> | undefined, field: string): Read<A | undefined> =>
    Effect.flatMap(given(value, field), (read) =>
      read === undefined || is(read) ? Effect.succeed(read) : refuse(field, expected, read)
    )
const or = <A>(read: Read<A | undefined>, fallback: A): Read<A> => Effect.map(read, (value) => value ?? fallback)

/** Milliseconds. Zero is refused: each of these is a timeout or a bound (design.md 9). */
export const optionalDuration = (value: Given<DurationInput> | undefined, field: string): Read<number | undefined> =>
  Effect.flatMap(given(value, field), (read) =>
    read === undefined
      ? Effect.undefined
      : Effect.map(Effect.fromResult(parseDuration(read, field, { zero: "refuse" })), Duration.toMillis)
  )
export const duration = (value: Given<DurationInput> | undefined, fallback: number, field: string): Read<number> =>
  or(optionalDuration(value, field), fallback)

export const count = (
  value: Given<number> | undefined,
  fallback: number,
  minimum: number,
  field: string
): Read<number> =>
  or(
    checked<number>(
      `a whole number of at least ${minimum}`,
      (read) => typeof read === "number" && Number.isSafeInteger(read) && read >= minimum
    )(value, field),
    fallback
  )

const readFlag = checked<boolean>("true or false", (read) => typeof read === "boolean")
export const flag = (value: Given<boolean> | undefined, fallback: boolean, field: string): Read<boolean> =>
  or(readFlag(value, field), fallback)

export const oneOf = <const A extends string>(
  value: Given<A> | undefined,
  choices: ReadonlyArray<A>,
  fallback: NoInfer<A>,
  field: string
): Read<A> =>
  or(
    checked<A>(`one of ${choices.join(", ")}`, (read) => choices.some((choice) => choice === read))(value, field),
    fallback
  )

/** Part of a key: not empty, and without the "/" that keeps the parts apart (R21). */
export const isName = (value: unknown): boolean => typeof value === "string" && value !== "" && !value.includes("/")
const readName = checked<string>('a text without "/"', isName)
export const name = (value: Given<string> | undefined, fallback: string, field: string): Read<string> =>
  or(readName(value, field), fallback)

const readNames = checked<ReadonlyArray<string>>(
  "a list of texts",
  (read) => Array.isArray(read) && read.every((item) => typeof item === "string")
)
export const names = (
  value: Given<ReadonlyArray<string>> | undefined,
  field: string
): Read<ReadonlyArray<string> | undefined> => readNames(value, field)
