/**
 * The store on Postgres, for as many replicas as you like.
 *
 * `layer` creates the tables and works on them. Where the process that runs may not create tables, run `layerMigrations`
 * once with rights that may, and `layerStore` from then on: it needs SELECT, INSERT, UPDATE and DELETE, no more.
 */
import {
  type ConfigValidationError,
  type DurationInput,
  fromDriver,
  parseDuration,
  Store,
  type StoreDriver,
  StoreError
} from "@botmesh/core/spi"
import { type Config, Effect, Layer, type Scope } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import * as Migrations from "./Migrations.ts"
import { chatMethods } from "./postgres/Chats.ts"
import { checkpointMethods } from "./postgres/Checkpoints.ts"
import { layer as layerClient, PostgresClient, type PostgresClientOptions } from "./postgres/Client.ts"
import { storeError } from "./postgres/Failure.ts"
import { fieldMethods } from "./postgres/Fields.ts"
import { numberOrNull } from "./rows/Column.ts"
import { sweeping } from "./rows/Sweep.ts"
import { readSetting, type Setting } from "./Setting.ts"

export interface PostgresStoreOptions {
  /** How often expired checkpoints, tombstones and values are deleted, by each replica. Default 5 min. */
  readonly sweepEvery?: Setting<DurationInput>
  /** Messages older than this are deleted. Kept for ever when absent. */
  readonly keepMessages?: Setting<DurationInput>
}

type OptionError = ConfigValidationError | Config.ConfigError

const migrate = "run PostgresStore.layerMigrations on it once, or use PostgresStore.layer, which does"

/** Refuses a database whose tables are not those this release was written for. */
export const checkSchema = Effect.fnUntraced(function* (client: PostgresClient["Service"]) {
  const found = yield* client.query("open", Migrations.found, []).pipe(
    Effect.map(([row]) => (row === undefined ? 0 : (numberOrNull(row, "version") ?? 0))),
    // There is no such table.
    Effect.catchIf(
      (error) => error.reason === "invalid" && error.detail.includes("does not exist"),
      () => Effect.succeed(0)
    )
  )
  const problem = Migrations.problem(found, migrate)
  if (problem !== undefined)
    return yield* new StoreError({
      store: "postgres",
      operation: "open",
      reason: "invalid",
      detail: `the database ${problem}`
    })
})

/**
 * A driver on a database, its sweep running until the scope closes. Fails with `StoreError` `invalid` when the database is
 * not migrated, or by a newer release. Source: H Postgres
 */
export const make = Effect.fn("PostgresStore.make")(function* (
  options: PostgresStoreOptions = {}
): Effect.fn.Return<StoreDriver, StoreError | OptionError, PostgresClient | Scope.Scope> {
  const client = yield* PostgresClient
  const every = yield* Effect.fromResult(
    parseDuration(yield* readSetting<DurationInput>(options.sweepEvery ?? "5m"), "postgres.sweepEvery", {
      zero: "refuse"
    })
  )
  const keepMessages =
    options.keepMessages === undefined
      ? undefined
      : yield* Effect.fromResult(
          parseDuration(yield* readSetting(options.keepMessages), "postgres.keepMessages", { zero: "refuse" })
        )
  yield* checkSchema(client)
  const run = (statement: string, before: number) =>
    Effect.map(client.query("sweep", `${statement} RETURNING 1`, [before]), (rows) => rows.length)
  yield* sweeping(run, every, keepMessages)
  return {
    name: "postgres",
    persistent: true,
    ...chatMethods(client),
    ...checkpointMethods(client),
    ...fieldMethods(client)
  }
})

/** The store on a database that is migrated already. Creates nothing. Source: H Postgres */
export const layerStore = (
  options: PostgresStoreOptions = {}
): Layer.Layer<Store, StoreError | OptionError, PostgresClient> =>
  Layer.effect(Store, Effect.map(make(options), fromDriver))

/** Creates or updates the tables, and their schema when one is named. Safe to repeat, also by several processes at once. */
const prepare = Effect.gen(function* () {
  const { schema } = yield* PostgresClient
  const sql = yield* SqlClient.SqlClient
  if (schema !== undefined) {
    // Two that create it at once: the second fails, and finds it there.
    yield* Effect.retry(sql`CREATE SCHEMA IF NOT EXISTS ${sql(schema)}`, { times: 1 })
  }
  yield* Migrations.run
})

/** What the server said lies at the bottom of a migration's error. */
const causeOf = (error: unknown): unknown => {
  let cause = error
  for (let depth = 0; depth < 8 && !(cause instanceof SqlError.SqlError); depth++) {
    if (typeof cause !== "object" || cause === null || !("cause" in cause)) break
    cause = cause.cause
  }
  return cause
}

/** Creates or updates the tables. Safe to repeat, also by several processes at once. Source: H Postgres */
export const layerMigrations: Layer.Layer<never, StoreError, PostgresClient | SqlClient.SqlClient> =
  Layer.effectDiscard(Effect.mapError(prepare, (error) => storeError("migrate")(causeOf(error))))

/**
 * Migrates the database and keeps the store in it.
 *
 * Fails with `StoreError`, its detail says what to do: `unavailable` (cannot be reached), `busy` (locked), `invalid` (login
 * or rights refused, or a newer botmesh wrote it). Source: H Postgres
 */
export const layer = (
  options: PostgresStoreOptions & PostgresClientOptions
): Layer.Layer<Store, StoreError | OptionError> =>
  layerStore(options).pipe(Layer.provide(layerMigrations), Layer.provide(layerClient(options)))
