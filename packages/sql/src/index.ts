/** Stores on SQL databases. */
export * as PostgresClient from "./postgres/Client.ts"
export * as PostgresDurability from "./PostgresDurability.ts"
export * as PostgresStore from "./PostgresStore.ts"
export * as SqliteClient from "./sqlite/Client.ts"
export * as SqliteDurability from "./SqliteDurability.ts"
export * as SqliteStore from "./SqliteStore.ts"
