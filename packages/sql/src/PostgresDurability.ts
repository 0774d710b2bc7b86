/**
 * Inbox and outbox in Postgres, for as many replicas as you like.
 *
 * `layer` creates the tables and works on them; `layerMigrations` and `layerDurability` do the two halves apart, and stand
 * beside `PostgresStore.layerStore` on one client.
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
import { layer as layerClient, PostgresClient, type PostgresClientOptions } from "./postgres/Client.ts"
import { checkSchema, layerMigrations, sweepRun } from "./postgres/Schema.ts"
import { durabilityDriver } from "./rows/Durability.ts"
import { goneOfDurability, sweeping } from "./rows/Sweep.ts"
import { readSetting, type Setting } from "./Setting.ts"

export { layerMigrations } from "./postgres/Schema.ts"

export interface PostgresDurabilityOptions {
  /** How often what need not be known any more is deleted. Default 5 min. */
  readonly sweepEvery?: Setting<DurationInput>
}

type OptionError = ConfigValidationError | Config.ConfigError

/**
 * A driver on a database, its sweep running until the scope closes. Fails with `StoreError` `invalid` when it is not
 * migrated, or by a newer release. Source: D3
 */
export const make = Effect.fn("PostgresDurability.make")(function* (
  options: PostgresDurabilityOptions = {}
): Effect.fn.Return<DurabilityDriver, StoreError | OptionError, PostgresClient | Scope.Scope> {
  const client = yield* PostgresClient
  const every = yield* Effect.fromResult(
    parseDuration(yield* readSetting<DurationInput>(options.sweepEvery ?? "5m"), "postgres.sweepEvery", {
      zero: "refuse"
    })
  )
  yield* checkSchema(client)
  yield* sweeping(sweepRun(client), every, goneOfDurability)
  return durabilityDriver("postgres", client)
})

/** Inbox and outbox on a database that is migrated already. Creates nothing. Source: D3 */
export const layerDurability = (
  options: PostgresDurabilityOptions = {}
): Layer.Layer<Durability, StoreError | OptionError, PostgresClient> =>
  Layer.effect(Durability, Effect.map(make(options), durabilityFromDriver))

/** Migrates and keeps inbox and outbox there, on a client of its own. Fails as `PostgresStore.layer` does. Source: D3 */
export const layer = (
  options: PostgresDurabilityOptions & PostgresClientOptions
): Layer.Layer<Durability, StoreError | OptionError> =>
  layerDurability(options).pipe(Layer.provide(layerMigrations), Layer.provide(layerClient(options)))
