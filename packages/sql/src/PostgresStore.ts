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
  type StoreError
} from "@botmesh/core/spi"
import { type Config, Effect, Layer, type Scope } from "effect"
import { chatMethods } from "./postgres/Chats.ts"
import { checkpointMethods } from "./postgres/Checkpoints.ts"
import { layer as layerClient, PostgresClient, type PostgresClientOptions } from "./postgres/Client.ts"
import { fieldMethods } from "./postgres/Fields.ts"
import { checkSchema, layerMigrations, sweepRun } from "./postgres/Schema.ts"
import { goneOfStore, sweeping } from "./rows/Sweep.ts"
import { readSetting, type Setting } from "./Setting.ts"

export { layerMigrations } from "./postgres/Schema.ts"

export interface PostgresStoreOptions {
  /** How often expired checkpoints, tombstones and values are deleted, by each replica. Default 5 min. */
  readonly sweepEvery?: Setting<DurationInput>
  /** Messages older than this are deleted. Kept for ever when absent. */
  readonly keepMessages?: Setting<DurationInput>
}

type OptionError = ConfigValidationError | Config.ConfigError

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
  yield* sweeping(sweepRun(client), every, goneOfStore(keepMessages))
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
