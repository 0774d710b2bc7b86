/** What both modes can be told. Every field takes its value or a `Config` of it; a bad one fails with its path. */
import { Config, type Duration, Effect, Redacted, Result } from "effect"
import { ConfigValidationError, type DurationInput, parseDuration } from "@botmesh/core/spi"
import { limits } from "./Limits.ts"

/** Each field as its value or as a `Config` of its value. */
export type Wrapped<A> = {
  readonly [K in keyof A]:
    | A[K]
    | Config.Config<NonNullable<A[K]>>
    | (undefined extends A[K] ? Config.Config<A[K]> : never)
}

export interface CommonOptions {
  /** The token @BotFather gave. It is part of every URL of the API and is never logged. */
  readonly token: Redacted.Redacted
  /** Another root of the Bot API, such as a server of your own. Default `https://api.telegram.org`. */
  readonly apiUrl?: string | undefined
  /** The provider's id, part of its leadership and of metrics. Default `telegram`. */
  readonly id?: string | undefined
  /** How long one call may take before it counts as ambiguous. Default `30s`. */
  readonly requestTimeout?: DurationInput | undefined
  /** How long the full key behind a shortened button is kept. Default `30d`. */
  readonly buttonTtl?: DurationInput | undefined
  /** How long votes of a poll find their chat. Default `90d`. */
  readonly pollTtl?: DurationInput | undefined
}

/** What is validated: durations parsed, defaults filled. */
export interface Settings {
  readonly id: string
  readonly token: Redacted.Redacted
  readonly apiUrl: string
  readonly requestTimeout: Duration.Duration
  readonly buttonTtl: Duration.Duration
  readonly pollTtl: Duration.Duration
}

/**
 * Reads each field that is a `Config`. The casts stand because TypeScript cannot follow a mapped type through
 * `Object.entries`; a field's type does not change but for the `Config` around it.
 */
export const unwrap = <A extends object>(options: Wrapped<A>): Effect.Effect<A, Config.ConfigError> =>
  Effect.map(
    Effect.forEach(Object.entries(options), ([name, value]: [string, unknown]) =>
      Config.isConfig(value)
        ? Effect.map(value, (read): [string, unknown] => [name, read])
        : Effect.succeed<[string, unknown]>([name, value])
    ),
    (fields) => Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as A
  )

const shown = (value: unknown): string =>
  typeof value === "string" ? `string (${JSON.stringify(value)})` : typeof value

const invalid = (field: string, expected: string, got: string) =>
  Result.fail(ConfigValidationError.of(`telegram.${field}`, `expected ${expected}, got ${got}`))

export const duration = (
  field: string,
  value: DurationInput | undefined,
  fallback: DurationInput,
  max?: DurationInput
): Result.Result<Duration.Duration, ConfigValidationError> =>
  parseDuration(value ?? fallback, `telegram.${field}`, { zero: "refuse", ...(max === undefined ? {} : { max }) })

/** A URL over http or https. Not shown when wrong: it may hold a password. */
export const url = (field: string, value: string): Result.Result<string, ConfigValidationError> => {
  const parsed = URL.canParse(value) ? new URL(value) : undefined
  return parsed?.protocol === "https:" || parsed?.protocol === "http:"
    ? Result.succeed(value)
    : invalid(field, "an http or https URL", typeof value)
}

const token = (value: Redacted.Redacted): Result.Result<Redacted.Redacted, ConfigValidationError> =>
  Redacted.isRedacted(value) && /^[A-Za-z0-9:_-]+$/u.test(Redacted.value(value))
    ? Result.succeed(value)
    : invalid("token", "the token @BotFather gave (digits, a colon, letters)", "something else")

export const secret = (value: Redacted.Redacted): Result.Result<Redacted.Redacted, ConfigValidationError> =>
  Redacted.isRedacted(value) && limits.secret.test(Redacted.value(value))
    ? Result.succeed(value)
    : invalid("secret", "1 to 256 characters of A-Z, a-z, 0-9, _ and -", "something else")

export const path = (value: string): Result.Result<`/${string}`, ConfigValidationError> =>
  /^\/[^?#\s*:]*$/u.test(value)
    ? Result.succeed<`/${string}`>(`/${value.slice(1)}`)
    : invalid("path", "a path such as /telegram", shown(value))

export const common = (options: CommonOptions): Result.Result<Settings, ConfigValidationError> =>
  Result.gen(function* () {
    return {
      id: options.id ?? "telegram",
      token: yield* token(options.token),
      apiUrl: yield* url("apiUrl", options.apiUrl ?? "https://api.telegram.org"),
      requestTimeout: yield* duration("requestTimeout", options.requestTimeout, "30s"),
      buttonTtl: yield* duration("buttonTtl", options.buttonTtl, "30d"),
      pollTtl: yield* duration("pollTtl", options.pollTtl, "90d")
    }
  })
