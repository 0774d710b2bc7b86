/**
 * Inbox and outbox in a SQLite file: what was answered survives the end of the process (of the machine: `synchronous: "full"`).
 *
 * `layer` creates the tables and works on them; `layerMigrations` and `layerDurability` do the two halves apart, and stand
 * beside `SqliteStore.layerStore` on one client.
 */
import {
  type ConfigValidationError,
  Durability,
  type DurabilityDriver,
  durabilityFromDriver,
  type DurationInput,
  parseDuration,
  type StoreError
} from "@botmesh/core/spi"
import { type Config, Effect, Layer, type Scope } from "effect"
import { layer as layerClient, SqliteClient, type SqliteClientOptions } from "./sqlite/Client.ts"
import { checkSchema, layerMigrations, sweepRun } from "./sqlite/Schema.ts"
import { durabilityDriver } from "./rows/Durability.ts"
import { goneOfDurability, sweeping } from "./rows/Sweep.ts"
import { readSetting, type Setting } from "./Setting.ts"

export { layerMigrations } from "./sqlite/Schema.ts"

export interface SqliteDurabilityOptions {
  /** How often what need not be known any more is deleted. Default 5 min. */
  readonly sweepEvery?: Setting<DurationInput>
}

type OptionError = ConfigValidationError | Config.ConfigError

/**
 * A driver on a file, its sweep running until the scope closes. Fails with `StoreError` `invalid` when it is not
 * migrated, or by a newer release. Source: D3
 */
export const make = Effect.fn("SqliteDurability.make")(function* (
  options: SqliteDurabilityOptions = {}
): Effect.fn.Return<DurabilityDriver, StoreError | OptionError, SqliteClient | Scope.Scope> {
  const client = yield* SqliteClient
  const every = yield* Effect.fromResult(
    parseDuration(yield* readSetting<DurationInput>(options.sweepEvery ?? "5m"), "sqlite.sweepEvery", {
      zero: "refuse"
    })
  )
  yield* checkSchema(client)
  yield* sweeping(sweepRun(client), every, goneOfDurability)
  return durabilityDriver("sqlite", client)
})

/** Inbox and outbox on a file that is migrated already. Creates nothing. Source: D3 */
export const layerDurability = (
  options: SqliteDurabilityOptions = {}
): Layer.Layer<Durability, StoreError | OptionError, SqliteClient> =>
  Layer.effect(Durability, Effect.map(make(options), durabilityFromDriver))

/** Migrates and keeps inbox and outbox there, on a client of its own. Fails as `SqliteStore.layer` does. Source: D3 */
export const layer = (
  options: SqliteDurabilityOptions & SqliteClientOptions
): Layer.Layer<Durability, StoreError | OptionError> =>
  layerDurability(options).pipe(Layer.provide(layerMigrations), Layer.provide(layerClient(options)))
