/**
 * The tables, in numbered steps that are never edited once released. They are written as SQLite takes them;
 * `tablesForPostgres` makes of each what Postgres takes.
 */
import { Effect } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { tablesForPostgres } from "./rows/Dialect.ts"

/** Where the applied steps are listed. */
export const table = "botmesh_migration"
/** The step the code of this release needs. */
export const version = 1

const first = [
  `CREATE TABLE botmesh_chat (
    bot TEXT NOT NULL, id TEXT NOT NULL, is_group INTEGER NOT NULL, name TEXT,
    PRIMARY KEY (bot, id)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE botmesh_contact (
    bot TEXT NOT NULL, id TEXT NOT NULL, name TEXT,
    PRIMARY KEY (bot, id)) STRICT, WITHOUT ROWID`,
  // id is null for a message whose transport gives none: a unique index takes any number of nulls.
  `CREATE TABLE botmesh_message (
    seq INTEGER PRIMARY KEY, bot TEXT NOT NULL, chat TEXT NOT NULL, id TEXT, sender TEXT NOT NULL,
    direction TEXT NOT NULL, type TEXT NOT NULL, body TEXT NOT NULL, at INTEGER NOT NULL) STRICT`,
  `CREATE UNIQUE INDEX botmesh_message_id ON botmesh_message (bot, chat, id)`,
  `CREATE INDEX botmesh_message_page ON botmesh_message (bot, chat, seq)`,
  `CREATE TABLE botmesh_profile (
    bot TEXT NOT NULL, person TEXT NOT NULL, field TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (bot, person, field)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE botmesh_handoff (
    bot TEXT NOT NULL, chat TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (bot, chat)) STRICT, WITHOUT ROWID`,
  // One row a key: a live checkpoint, a tombstone (data is null) or a bare fence (run is '').
  `CREATE TABLE botmesh_checkpoint (
    bot TEXT NOT NULL, key TEXT NOT NULL, run TEXT NOT NULL, revision INTEGER NOT NULL, fence INTEGER NOT NULL,
    expires INTEGER, data TEXT, applied TEXT NOT NULL, wake_at INTEGER,
    PRIMARY KEY (bot, key)) STRICT`,
  `CREATE INDEX botmesh_checkpoint_expires ON botmesh_checkpoint (expires) WHERE expires IS NOT NULL`,
  `CREATE INDEX botmesh_checkpoint_wake ON botmesh_checkpoint (bot, wake_at) WHERE wake_at IS NOT NULL`,
  `CREATE TABLE botmesh_value (
    bot TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, expires INTEGER,
    PRIMARY KEY (bot, name)) STRICT, WITHOUT ROWID`,
  `CREATE INDEX botmesh_value_expires ON botmesh_value (expires) WHERE expires IS NOT NULL`
]

const runAll = (statements: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => {
    const { text } = sql.onDialectOrElse({
      pg: () => ({ text: tablesForPostgres }),
      orElse: () => ({ text: (statement: string) => statement })
    })
    return Effect.forEach(statements, (statement) => sql.unsafe(text(statement)), { discard: true })
  })

/** Applies what is missing, all in one transaction; a second process waits for the first. Safe to repeat. */
export const run = Migrator.make({})({ table, loader: Migrator.fromRecord({ "0001_store": runAll(first) }) })

/** What is wrong with tables of version `found` (0: there are none), as the end of a sentence; undefined when nothing is. */
export const problem = (found: number, migrate: string): string | undefined => {
  if (found === 0) return `has no botmesh tables: ${migrate}`
  if (found < version) return `has tables of version ${found}, this release needs ${version}: ${migrate}`
  if (found > version)
    return `was prepared by a newer botmesh (version ${found}, this release knows ${version}): update @botmesh/sql`
  return undefined
}

/** The version of the tables; null where no step has been applied. */
export const found = `SELECT max(migration_id) AS version FROM ${table}`
