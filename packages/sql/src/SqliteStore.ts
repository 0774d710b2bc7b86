/**
 * The embedded store: one SQLite file, shared by as many processes of one machine as you like, nothing to install.
 *
 * `layer` prepares the file and runs on it. Where the process that runs may not create tables, run `layerMigrations` once
 * with rights that may, and `layerStore` from then on.
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
import type { SqlClient } from "effect/sql"
import * as Migrations from "./Migrations.ts"
import { number } from "./rows/Column.ts"
import { sweeping } from "./rows/Sweep.ts"
import { readSetting, type Setting } from "./Setting.ts"
import { chatMethods } from "./sqlite/Chats.ts"
import { checkpointMethods } from "./sqlite/Checkpoints.ts"
import { layer as layerClient, SqliteClient, type SqliteClientOptions } from "./sqlite/Client.ts"
import { storeError } from "./sqlite/Failure.ts"
import { fieldMethods } from "./sqlite/Fields.ts"

export interface SqliteStoreOptions {
  /** How often expired checkpoints, tombstones and values are deleted. Default 5 min. */
  readonly sweepEvery?: Setting<DurationInput>
  /** Messages older than this are deleted. Kept for ever when absent: then the file grows with the talk. */
  readonly keepMessages?: Setting<DurationInput>
}

type OptionError = ConfigValidationError | Config.ConfigError

/** Refuses a file whose tables are not those this release was written for. */
const checkSchema = Effect.fnUntraced(function* (client: SqliteClient["Service"]) {
  const found = yield* client
    .use("open", (prepare) => {
      const row = prepare(Migrations.found).get()
      return row === undefined || row.version === null ? 0 : number(row, "version")
    })
    .pipe(
      Effect.catchIf(
        (error) => error.reason === "invalid",
        () => Effect.succeed(0)
      )
    )
  const problem = Migrations.problem(
    found,
    "run SqliteStore.layerMigrations on it once, or use SqliteStore.layer, which does"
  )
  if (problem !== undefined)
    return yield* new StoreError({
      store: "sqlite",
      operation: "open",
      reason: "invalid",
      detail: `${client.filename} ${problem}`
    })
})

/**
 * A driver on an open file, its sweep running until the scope closes. Fails with `StoreError` `invalid` when the file is
 * not migrated, or by a newer release. Source: H SQLite
 */
export const make = Effect.fn("SqliteStore.make")(function* (
  options: SqliteStoreOptions = {}
): Effect.fn.Return<StoreDriver, StoreError | OptionError, SqliteClient | Scope.Scope> {
  const client = yield* SqliteClient
  const every = yield* Effect.fromResult(
    parseDuration(yield* readSetting<DurationInput>(options.sweepEvery ?? "5m"), "sqlite.sweepEvery", {
      zero: "refuse"
    })
  )
  const keepMessages =
    options.keepMessages === undefined
      ? undefined
      : yield* Effect.fromResult(
          parseDuration(yield* readSetting(options.keepMessages), "sqlite.keepMessages", { zero: "refuse" })
        )
  yield* checkSchema(client)
  const run = (statement: string, before: number) =>
    client.use("sweep", (prepare) => Number(prepare(statement).run(before).changes))
  yield* sweeping(run, every, keepMessages)
  return {
    name: "sqlite",
    persistent: client.persistent,
    ...chatMethods(client),
    ...checkpointMethods(client),
    ...fieldMethods(client)
  }
})

/** The store on a file that is migrated already. Creates nothing. Source: H SQLite */
export const layerStore = (
  options: SqliteStoreOptions = {}
): Layer.Layer<Store, StoreError | OptionError, SqliteClient> =>
  Layer.effect(Store, Effect.map(make(options), fromDriver))

/** Creates or updates the tables. Safe to repeat, also by several processes at once. Source: H SQLite */
export const layerMigrations: Layer.Layer<never, StoreError, SqliteClient | SqlClient.SqlClient> = Layer.effectDiscard(
  Effect.flatMap(SqliteClient, ({ filename }) =>
    Effect.mapError(Migrations.run, (error) => storeError(filename, "migrate", nativeCause(error)))
  )
)

/** Both errors of a migration wrap what the driver said, one layer or two deep. */
const nativeCause = (error: unknown): unknown => {
  let cause = error
  for (let depth = 0; depth < 8; depth++) {
    if (typeof cause !== "object" || cause === null || "errcode" in cause) break
    const inner: unknown = "reason" in cause ? cause.reason : "cause" in cause ? cause.cause : undefined
    if (inner === undefined) break
    cause = inner
  }
  return cause
}

/**
 * Migrates the file and keeps the store in it.
 *
 * Fails with `StoreError`, its detail says what to do: `unavailable` (directory, permission, disk), `busy` (locked for longer
 * than `busyTimeout`), `corrupt` (damaged, or no SQLite file; left as it is), `invalid` (a newer botmesh wrote it).
 * Source: H SQLite
 */
export const layer = (
  options: SqliteStoreOptions & SqliteClientOptions
): Layer.Layer<Store, StoreError | OptionError> =>
  layerStore(options).pipe(Layer.provide(layerMigrations), Layer.provide(layerClient(options)))
