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
  type StoreError
} from "@botmesh/core/spi"
import { type Config, Effect, Layer, type Scope } from "effect"
import { goneOfStore, sweeping } from "./rows/Sweep.ts"
import { readSetting, type Setting } from "./Setting.ts"
import { chatMethods } from "./sqlite/Chats.ts"
import { checkpointMethods } from "./sqlite/Checkpoints.ts"
import { layer as layerClient, SqliteClient, type SqliteClientOptions } from "./sqlite/Client.ts"
import { fieldMethods } from "./sqlite/Fields.ts"
import { checkSchema, layerMigrations, sweepRun } from "./sqlite/Schema.ts"

export { layerMigrations } from "./sqlite/Schema.ts"

export interface SqliteStoreOptions {
  /** How often expired checkpoints, tombstones and values are deleted. Default 5 min. */
  readonly sweepEvery?: Setting<DurationInput>
  /** Messages older than this are deleted. Kept for ever when absent: then the file grows with the talk. */
  readonly keepMessages?: Setting<DurationInput>
}

type OptionError = ConfigValidationError | Config.ConfigError

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
  yield* sweeping(sweepRun(client), every, goneOfStore(keepMessages))
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
