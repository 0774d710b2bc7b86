/**
 * A pool of connections to one Postgres, as Effect's `SqlClient` and as the few calls the drivers of this package make.
 * What these do is safe to repeat: a break, a failover or a deadlock is tried through for two seconds.
 */
import { ConfigValidationError, type DurationInput, parseDuration, StoreError } from "@botmesh/core/spi"
import { PgClient } from "@effect/sql-pg"
import { type Config, Context, Duration, Effect, Layer, Redacted, Schedule, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlError } from "effect/sql"
import type { Row } from "../rows/Column.ts"
import { forPostgres } from "../rows/Dialect.ts"
import type { Param, Script } from "../rows/Script.ts"
import { readSetting, type Setting } from "../Setting.ts"
import { storeError } from "./Failure.ts"
import { decodeText, encodeText } from "./Text.ts"

export interface PostgresClientOptions {
  /** `postgres://user:password@host:port/database`; `?sslmode=require` for TLS. */
  readonly url: Setting<string | Redacted.Redacted>
  /** The schema of the tables. Default: the first of the user's search path, which is `public` unless it was changed. */
  readonly schema?: Setting<string>
  /** Connections at most. Default 10. */
  readonly maxConnections?: Setting<number>
  /** How long a connection is kept that nobody uses. Default 1 min. */
  readonly idleTimeout?: Setting<DurationInput>
  /** How long to wait for a connection, and for any reply; then the call fails as `unavailable`. Default 5 s. */
  readonly timeout?: Setting<DurationInput>
  /** False behind a pooler that does not keep named statements between queries. Default true. */
  readonly prepare?: Setting<boolean>
}

export interface PostgresClientShape {
  /** Undefined: that of the user's search path. */
  readonly schema: string | undefined
  /** One statement, with numbered parameters as `?1`; its rows. */
  readonly query: (
    operation: string,
    statement: string,
    params: ReadonlyArray<Param>
  ) => Effect.Effect<ReadonlyArray<Row>, StoreError>
  /** All of a script or nothing of it. It is begun again when it has to be tried again. */
  readonly transact: <A>(operation: string, script: () => Script<A>) => Effect.Effect<A, StoreError>
  /** A script that only reads: each of its statements sees what stands when it runs. */
  readonly read: <A>(operation: string, script: () => Script<A>) => Effect.Effect<A, StoreError>
}

/** A Postgres to work with. Source: H Postgres. */
export class PostgresClient extends Context.Service<PostgresClient, PostgresClientShape>()(
  "@botmesh/sql/PostgresClient"
) {}

const schemaForm = /^[a-z_][a-z0-9_]{0,62}$/u

const readOptions = Effect.fnUntraced(function* (options: PostgresClientOptions) {
  const given = yield* readSetting<string | Redacted.Redacted>(options.url)
  const url = typeof given === "string" ? given : Redacted.value(given)
  const schema = options.schema === undefined ? undefined : yield* readSetting(options.schema)
  const maxConnections = yield* readSetting(options.maxConnections ?? 10)
  const prepare = yield* readSetting(options.prepare ?? true)
  const wait = yield* readSetting<DurationInput>(options.timeout ?? "5s")
  const timeout = yield* Effect.fromResult(parseDuration(wait, "postgres.timeout", { zero: "refuse" }))
  const idle = yield* readSetting<DurationInput>(options.idleTimeout ?? "1m")
  const idleTimeout = yield* Effect.fromResult(parseDuration(idle, "postgres.idleTimeout", { zero: "refuse" }))
  if (!/^postgres(?:ql)?:\/\//u.test(url) || !URL.canParse(url))
    return yield* ConfigValidationError.of("postgres.url", "expected postgres://[user:password@]host[:port]/database")
  if (schema !== undefined && !schemaForm.test(schema))
    return yield* ConfigValidationError.of("postgres.schema", `expected a name like 'bot_1', got "${schema}"`)
  if (!Number.isInteger(maxConnections) || maxConnections < 1)
    return yield* ConfigValidationError.of(
      "postgres.maxConnections",
      `expected a whole number from 1 on, got ${maxConnections}`
    )
  return { url, schema, maxConnections, prepare, idleTimeout, timeout }
})

const texts = new Map<string, string>()
/** Our statements are few and known: each is translated once. */
const translated = (statement: string): string => {
  const known = texts.get(statement)
  if (known !== undefined) return known
  const text = forPostgres(statement)
  texts.set(statement, text)
  return text
}

const encode = (param: Param): Param => (typeof param === "string" ? encodeText(param) : param)
const decode = (row: object): Row => {
  const read: Record<string, unknown> = {}
  for (const [column, value] of Object.entries(row))
    read[column] = typeof value === "string" ? decodeText(value) : value
  return read
}

type Run = (statement: string, params: ReadonlyArray<Param>) => Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>

const runScript = Effect.fnUntraced(function* <A>(run: Run, script: () => Script<A>) {
  const steps = script()
  let next = steps.next()
  while (next.done !== true) next = steps.next(yield* run(next.value.statement, next.value.params))
  return next.value
})

const again = Schedule.spaced(100).pipe(Schedule.upTo({ duration: 2_000 }))

/** The client on a pool of its own, closed with the scope. Nothing is connected before the first call. */
const make = Effect.fnUntraced(function* (
  options: PostgresClientOptions
): Effect.fn.Return<
  Context.Context<PostgresClient | SqlClient.SqlClient>,
  StoreError | ConfigValidationError | Config.ConfigError,
  Scope.Scope | Reactivity.Reactivity
> {
  const { idleTimeout, maxConnections, prepare, schema, timeout, url } = yield* readOptions(options)
  const client = yield* Effect.mapError(
    PgClient.make({
      url: Redacted.make(url),
      maxConnections,
      idleTimeout,
      prepare,
      connectTimeout: timeout,
      applicationName: "botmesh",
      ...(schema === undefined ? {} : { startupParameters: { search_path: schema } })
    }),
    storeError("open")
  )
  const run: Run = (statement, params) =>
    Effect.map(client.unsafe<object>(translated(statement), params.map(encode)), (rows) => rows.map(decode))
  const late = (operation: string) =>
    new StoreError({
      store: "postgres",
      operation,
      reason: "unavailable",
      detail: `no reply within ${Duration.toMillis(timeout)} ms`
    })
  const patient = <A>(operation: string, act: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, StoreError> => {
    const named = storeError(operation)
    const once = act.pipe(
      Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(late(operation)) }),
      // What is no failure of the database is thrown on, and stays a defect.
      Effect.catchDefect((defect) => Effect.suspend(() => Effect.fail(named(defect)))),
      Effect.mapError(named)
    )
    return Effect.catchIf(
      once,
      (error) => error.isRetryable,
      () => Effect.retry(once, { schedule: again, while: (error) => error.isRetryable })
    )
  }
  const shape: PostgresClientShape = {
    schema,
    query: (operation, statement, params) => patient(operation, run(statement, params)),
    transact: (operation, script) => patient(operation, client.withTransaction(runScript(run, script))),
    read: (operation, script) => patient(operation, runScript(run, script))
  }
  return Context.make(PostgresClient, shape).pipe(Context.add(SqlClient.SqlClient, client))
})

/**
 * Connects to a Postgres (15 or later). Fails with `ConfigValidationError` for an option out of range; a server that
 * cannot be reached is told by the first call. Source: H Postgres
 */
export const layer = (
  options: PostgresClientOptions
): Layer.Layer<PostgresClient | SqlClient.SqlClient, StoreError | ConfigValidationError | Config.ConfigError> =>
  Layer.effectContext(make(options)).pipe(Layer.provide(Reactivity.layer))
