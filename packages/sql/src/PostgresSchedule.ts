/**
 * Durable jobs in Postgres. `layer` creates the tables and works on them; `layerSchedule` stands beside the store and
 * durability on one client, once `layerMigrations` has run.
 */
import {
  type ConfigValidationError,
  type ScheduleDriver,
  ScheduleStore,
  scheduleStoreFromDriver,
  type StoreError
} from "@botmesh/core/spi"
import { type Config, Effect, Layer } from "effect"
import { layer as layerClient, PostgresClient, type PostgresClientOptions } from "./postgres/Client.ts"
import { checkSchema, layerMigrations } from "./postgres/Schema.ts"
import { scheduleDriver } from "./rows/Schedule.ts"

export { layerMigrations } from "./postgres/Schema.ts"

/** A driver. Fails with `StoreError` `invalid` when it is not migrated, or by a newer release. Source: D4 */
export const make = Effect.fn("PostgresSchedule.make")(function* (): Effect.fn.Return<
  ScheduleDriver,
  StoreError,
  PostgresClient
> {
  const client = yield* PostgresClient
  yield* checkSchema(client)
  return scheduleDriver("postgres", true, client)
})

/** Durable jobs on what is migrated already. Creates nothing. Source: D4 */
export const layerSchedule: Layer.Layer<ScheduleStore, StoreError, PostgresClient> = Layer.effect(
  ScheduleStore,
  Effect.map(make(), scheduleStoreFromDriver)
)

/** Migrates and keeps durable jobs there, on a client of its own. Fails as `PostgresStore.layer` does. Source: D4 */
export const layer = (
  options: PostgresClientOptions
): Layer.Layer<ScheduleStore, StoreError | ConfigValidationError | Config.ConfigError> =>
  layerSchedule.pipe(Layer.provide(layerMigrations), Layer.provide(layerClient(options)))
