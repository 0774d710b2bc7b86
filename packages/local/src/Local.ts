/** Everything a bot needs besides its transport, in this process and with nothing to install. */
import {
  type ConfigValidationError,
  type Coordinator,
  type Durability,
  InProcessScheduler,
  LocalCoordinator,
  layerNoDurability,
  MemoryStore,
  type Scheduler,
  type Store,
  type StoreError
} from "@botmesh/core"
import { type SqliteClient, SqliteStore } from "@botmesh/sql"
import { type Config, Layer } from "effect"

/** What a bot needs besides its transport. */
export type LocalServices = Store | Coordinator | Durability | Scheduler

/** How the file is opened and kept: see `SqliteStore` and `SqliteClient`. */
export type LocalFileOptions = SqliteStore.SqliteStoreOptions & Omit<SqliteClient.SqliteClientOptions, "filename">

const inProcess = Layer.mergeAll(LocalCoordinator.layer(), layerNoDurability, InProcessScheduler.layer)

/**
 * A store in memory, turns and schedules of this process, no journal. A restart forgets it all. Provide it last: it fills
 * what other layers left open. Source: C1, H memory
 */
export const layer: Layer.Layer<LocalServices> = Layer.merge(MemoryStore.layer(), inProcess)

/**
 * The same with the store in a SQLite file: chats, profiles and persistent conversations are found again after a restart.
 *
 * @param path of the file, or a `Config` of it; it is created when missing, its directory is not
 *
 * Fails as `SqliteStore.layer` does: a `StoreError` whose detail says what to do. Source: C1, H SQLite
 */
export const layerFile = (
  path: string | Config.Config<string>,
  options: LocalFileOptions = {}
): Layer.Layer<LocalServices, StoreError | ConfigValidationError | Config.ConfigError> =>
  Layer.merge(SqliteStore.layer({ ...options, filename: path }), inProcess)
