import { Duration, Effect, Result, Schema, SchemaGetter, SchemaIssue } from "effect"

/**
 * What a duration option takes: a text such as `"30s"`, whole or fractional milliseconds, or an Effect `Duration`.
 * Source: B11
 */
export type DurationInput = string | number | Duration.Duration

/**
 * What an option allows beyond the grammar. `zero: "refuse"` where a timeout or a lease is meant (default `"allow"`),
 * `max` is the longest span, inclusive (default 36,500 days).
 * Source: B11, E1, E2
 */
export interface DurationBounds {
  readonly zero?: "allow" | "refuse"
  readonly max?: DurationInput
}

/**
 * A configuration option holds a value it cannot take. `field` is the option's path (`durability.poll`), `message`
 * names the path, what was expected and what was given. Trying again gives the same error.
 * Source: B11
 */
export class ConfigValidationError extends Schema.TaggedError<ConfigValidationError>()("ConfigValidationError", {
  field: Schema.String,
  message: Schema.String
}) {
  /**
   * Builds the error in the one form all options share.
   *
   * @param field the option's path, without the leading `config.`
   * @param problem `expected …, got …`
   */
  static of(field: string, problem: string): ConfigValidationError {
    return new ConfigValidationError({ field, message: `Invalid config.${field}: ${problem}` })
  }
}

const MAX_MS = 36_500 * 86_400_000
const MAX_INTEGER_DIGITS = 14
const NANOS_PER_MS = 1_000_000

const shortUnits: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
  ["w", 604_800_000]
])

const unitWords: ReadonlyMap<string, number> = new Map([
  ...["millisecond", "milliseconds", "milli", "millis", "msec", "msecs"].map((word) => [word, 1] as const),
  ...["second", "seconds", "sec", "secs"].map((word) => [word, 1_000] as const),
  ...["minute", "minutes", "min", "mins"].map((word) => [word, 60_000] as const),
  ...["hour", "hours", "hr", "hrs"].map((word) => [word, 3_600_000] as const),
  ...["day", "days"].map((word) => [word, 86_400_000] as const),
  ...["week", "weeks", "wk", "wks"].map((word) => [word, 604_800_000] as const)
])

const LONGEST_WORD = "milliseconds".length

const isDigit = (code: number): boolean => code >= 48 && code <= 57
const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)

const skip = (text: string, from: number, accepts: (code: number) => boolean): number => {
  let at = from
  while (at < text.length && accepts(text.charCodeAt(at))) at++
  return at
}

// The white space of String.prototype.trim. A table of its own would be one more thing to keep in step.
const isSpace = (code: number): boolean =>
  code === 32 || (code >= 9 && code <= 13) || (code >= 0xa0 && String.fromCharCode(code).trim() === "")

/** `0.digits × unit` in whole nanoseconds, and whether something smaller was left over. Exact for any length. */
const fractionNanos = (text: string, from: number, to: number, unit: number): { nanos: number; rest: boolean } => {
  const unitNanos = unit * NANOS_PER_MS
  let nanos = 0
  let rest = false
  for (let at = to - 1; at >= from; at--) {
    const scaled = (text.charCodeAt(at) - 48) * unitNanos + nanos
    nanos = Math.floor(scaled / 10)
    if (nanos * 10 !== scaled) rest = true
  }
  return { nanos, rest }
}

/** Milliseconds of a text, or undefined. One pass from left to right: never looks back, never backtracks. */
const readText = (text: string): number | undefined => {
  let ms = 0
  let nanos = 0
  let rest = false
  let at = skip(text, 0, isSpace)
  if (at === text.length) return undefined
  while (at < text.length) {
    const significant = skip(text, at, (code) => code === 48)
    const integerEnd = skip(text, significant, isDigit)
    if (integerEnd === at || integerEnd - significant > MAX_INTEGER_DIGITS) return undefined
    const pointed = text.charCodeAt(integerEnd) === 46
    const fractionStart = pointed ? integerEnd + 1 : integerEnd
    const fractionEnd = pointed ? skip(text, fractionStart, isDigit) : integerEnd
    if (pointed && fractionEnd === fractionStart) return undefined
    const unitStart = skip(text, fractionEnd, isSpace)
    const unitEnd = skip(text, unitStart, isLetter)
    if (unitEnd - unitStart > LONGEST_WORD) return undefined
    const name = text.slice(unitStart, unitEnd)
    const unit = shortUnits.get(name) ?? unitWords.get(name.toLowerCase())
    if (unit === undefined) return undefined
    const fraction = fractionNanos(text, fractionStart, fractionEnd, unit)
    const sum = nanos + fraction.nanos
    ms += Number(text.slice(significant, integerEnd)) * unit + Math.floor(sum / NANOS_PER_MS)
    nanos = sum % NANOS_PER_MS
    rest ||= fraction.rest
    if (ms > MAX_MS) return undefined
    at = skip(text, unitEnd, isSpace)
  }
  return nanos > 0 || rest ? ms + 1 : ms
}

const readNumber = (value: number): number | undefined => (value >= 0 ? Math.ceil(value) + 0 : undefined)

const readMillis = (input: unknown): number | undefined => {
  const ms =
    typeof input === "string"
      ? readText(input)
      : typeof input === "number"
        ? readNumber(input)
        : Duration.isDuration(input)
          ? readNumber(Duration.toMillis(input))
          : undefined
  return ms !== undefined && ms <= MAX_MS ? ms : undefined
}

const show = (value: unknown): string => {
  switch (typeof value) {
    case "string":
      return `string (${JSON.stringify(value.length > 64 ? `${value.slice(0, 64)}…` : value)})`
    case "number":
    case "boolean":
      return `${typeof value} (${value})`
    case "bigint":
      return "bigint"
    case "object":
      return value === null
        ? "null"
        : Duration.isDuration(value)
          ? `Duration (${Duration.format(value)})`
          : Array.isArray(value)
            ? "array"
            : "object"
    default:
      return typeof value
  }
}

/**
 * Reads a duration and says in words what is wrong with a bad one. For callers that report problems in their own
 * form (flow documents, REST bodies); options use `parseDuration`.
 *
 * @param input a text, milliseconds or an Effect `Duration`; anything else is refused, nothing is coerced
 * @param bounds what the option allows beyond the grammar
 * @returns whole milliseconds (a fraction rounds up), or `expected a duration (…), got …`
 *
 * Source: B11
 */
export const readDuration = (input: unknown, bounds: DurationBounds = {}): Result.Result<number, string> => {
  const ms = readMillis(input)
  const max = bounds.max === undefined ? MAX_MS : readMillis(bounds.max)
  if (max === undefined) throw new RangeError(`The bound of a duration option is no duration: ${show(bounds.max)}`)
  const refusesZero = bounds.zero === "refuse"
  if (ms !== undefined && ms <= max && !(ms === 0 && refusesZero)) return Result.succeed(ms)
  // Only what the value broke is named: a person who wrote "soon" need not read about limits.
  const broken = ms === undefined ? "" : ms > max ? `, at most ${formatDuration(max)}` : ", above zero"
  return Result.fail(`expected a duration ('500ms', '30s', '10m', '1h') or milliseconds${broken}, got ${show(input)}`)
}

/**
 * Reads a duration option.
 *
 * A text is one or more `number unit` parts: `"500ms"`, `"1h30m"`, `"1.5h"`, `"5 minutes"`. Units are `ms s m h d w`
 * in lower case, or their English words in any case. Parts add up; a fraction of a millisecond rounds up. White space
 * may stand around parts and between number and unit. A number is milliseconds. Refused: no unit, signs, exponents,
 * ISO 8601, months, years, digits other than 0–9, more than 36,500 days. Runs in time linear in the text.
 *
 * @param input a text, milliseconds or an Effect `Duration`
 * @param field the option's path, which a failure names (`durability.poll`)
 * @param bounds `zero: "refuse"` where a timeout or a lease is meant, `max` the longest span allowed
 * @returns the duration in whole milliseconds, or `ConfigValidationError`
 *
 * Pure, so safe to repeat. Source: B11
 */
export const parseDuration = (
  input: unknown,
  field = "duration",
  bounds: DurationBounds = {}
): Result.Result<Duration.Duration, ConfigValidationError> =>
  Result.mapBoth(readDuration(input, bounds), {
    onSuccess: Duration.millis,
    onFailure: (problem) => ConfigValidationError.of(field, problem)
  })

/**
 * `parseDuration` for places without a failure channel.
 *
 * @throws ConfigValidationError
 * Source: B11
 */
export const parseDurationUnsafe = (
  input: unknown,
  field = "duration",
  bounds: DurationBounds = {}
): Duration.Duration => Result.getOrThrow(parseDuration(input, field, bounds))

const printUnits = [...shortUnits].reverse()

/**
 * Prints a duration in the grammar of `parseDuration`, largest units first: `"1h30m"`, `"0ms"`.
 * `parseDuration(formatDuration(d))` gives `d` back for every whole number of milliseconds up to 36,500 days.
 *
 * @param input a valid duration; a fraction of a millisecond rounds up
 * @throws ConfigValidationError when `input` is no valid duration
 *
 * Source: B11
 */
export const formatDuration = (input: DurationInput): string => {
  const ms = readMillis(input)
  if (ms === undefined) throw ConfigValidationError.of("duration", `expected a duration, got ${show(input)}`)
  if (ms === 0) return "0ms"
  let left = ms
  let text = ""
  for (const [name, unit] of printUnits) {
    const count = Math.floor(left / unit)
    if (count > 0) text += `${count}${name}`
    left -= count * unit
  }
  return text
}

/**
 * Codec of a duration in JSON documents and REST bodies: a text or milliseconds on the wire, an Effect `Duration` in
 * code, written back as text. Same grammar as `parseDuration`.
 *
 * Source: B11, E1
 */
export const DurationText: Schema.Codec<Duration.Duration, string | number> = Schema.Union([
  Schema.String,
  Schema.Number
]).pipe(
  Schema.decodeTo(Schema.Duration, {
    decode: SchemaGetter.transformEffect((input) =>
      Result.match(readDuration(input), {
        onSuccess: (ms) => Effect.succeed(Duration.millis(ms)),
        onFailure: (message) => Effect.fail(new SchemaIssue.InvalidValue({ message }))
      })
    ),
    encode: SchemaGetter.transformEffect((duration) => {
      const ms = readMillis(duration)
      return ms === undefined
        ? Effect.fail(new SchemaIssue.InvalidValue({ message: `expected a finite duration, got ${show(duration)}` }))
        : Effect.succeed(formatDuration(ms))
    })
  })
)
