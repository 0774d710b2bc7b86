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
export const version = 3

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
  `CREATE INDEX botmesh_value_expires ON botmesh_value (expires) WHERE expires IS NOT NULL`,
  // A value that only leaders write, and its fence; null is a bare fence, which goes an hour after `expires`.
  `CREATE TABLE botmesh_fenced (
    bot TEXT NOT NULL, name TEXT NOT NULL, fence INTEGER NOT NULL, value TEXT, expires INTEGER,
    PRIMARY KEY (bot, name)) STRICT, WITHOUT ROWID`,
  `CREATE INDEX botmesh_fenced_expires ON botmesh_fenced (expires) WHERE expires IS NOT NULL`
]

const second = [
  // One row a conversation key: every act on the key locks it.
  `CREATE TABLE botmesh_key (
    bot TEXT NOT NULL, key TEXT NOT NULL, fence INTEGER NOT NULL, touched INTEGER NOT NULL, record INTEGER NOT NULL,
    send INTEGER NOT NULL, spent INTEGER NOT NULL, inbox_due INTEGER, inbox_owner TEXT, lane_due INTEGER,
    PRIMARY KEY (bot, key)) STRICT, WITHOUT ROWID`,
  `CREATE INDEX botmesh_key_inbox ON botmesh_key (bot, key) WHERE inbox_due IS NOT NULL`,
  `CREATE INDEX botmesh_key_lane ON botmesh_key (bot, key) WHERE lane_due IS NOT NULL`,
  `CREATE INDEX botmesh_key_bare ON botmesh_key (touched) WHERE inbox_due IS NULL AND lane_due IS NULL`,
  `CREATE TABLE botmesh_inbox (
    bot TEXT NOT NULL, id TEXT NOT NULL, key TEXT NOT NULL, number INTEGER NOT NULL, dedupe TEXT NOT NULL,
    event TEXT NOT NULL, recorded_at INTEGER NOT NULL, attempts INTEGER NOT NULL, crashes INTEGER NOT NULL,
    due INTEGER NOT NULL, claim_fence INTEGER, claim_owner TEXT, claimed_at INTEGER, dead INTEGER NOT NULL, reason TEXT,
    detail TEXT, died_at INTEGER,
    PRIMARY KEY (bot, id)) STRICT`,
  `CREATE INDEX botmesh_inbox_queue ON botmesh_inbox (bot, key, number) WHERE dead = 0`,
  `CREATE INDEX botmesh_inbox_state ON botmesh_inbox (bot, dead, number, key)`,
  `CREATE TABLE botmesh_mark (
    bot TEXT NOT NULL, key TEXT NOT NULL, dedupe TEXT NOT NULL, record TEXT NOT NULL, expires INTEGER,
    PRIMARY KEY (bot, key, dedupe)) STRICT, WITHOUT ROWID`,
  `CREATE INDEX botmesh_mark_expires ON botmesh_mark (expires) WHERE expires IS NOT NULL`,
  // open is 1 while it is in its lane; ends is set once it is only kept so that it is known.
  `CREATE TABLE botmesh_outbox (
    bot TEXT NOT NULL, lane TEXT NOT NULL, id TEXT NOT NULL, number INTEGER NOT NULL, content TEXT NOT NULL,
    hash TEXT NOT NULL, state TEXT NOT NULL, open INTEGER NOT NULL, attempts INTEGER NOT NULL, resends INTEGER NOT NULL,
    due INTEGER NOT NULL, until INTEGER, token TEXT NOT NULL, receipt TEXT, detail TEXT, planned_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL, ends INTEGER,
    PRIMARY KEY (bot, lane, id)) STRICT`,
  `CREATE INDEX botmesh_outbox_lane ON botmesh_outbox (bot, lane, number) WHERE open = 1`,
  `CREATE INDEX botmesh_outbox_state ON botmesh_outbox (bot, state, number, lane, id)`,
  `CREATE INDEX botmesh_outbox_ends ON botmesh_outbox (ends) WHERE ends IS NOT NULL`
]

const third = [
  `CREATE TABLE botmesh_job (
    bot TEXT NOT NULL, id TEXT NOT NULL, revision INTEGER NOT NULL, due INTEGER, data TEXT NOT NULL,
    PRIMARY KEY (bot, id)) STRICT`,
  `CREATE INDEX botmesh_job_due ON botmesh_job (bot, due) WHERE due IS NOT NULL`
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
export const run = Migrator.make({})({
  table,
  loader: Migrator.fromRecord({
    "0001_store": runAll(first),
    "0002_durability": runAll(second),
    "0003_schedule": runAll(third)
  })
})

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
