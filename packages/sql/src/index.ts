/** Stores on SQL databases. */
export * as SqliteClient from "./sqlite/Client.ts"
export * as SqliteStore from "./SqliteStore.ts"
