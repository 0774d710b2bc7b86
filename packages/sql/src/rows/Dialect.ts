/**
 * Statements are written once, in what both databases take: numbered parameters (`?1`), and marks where Postgres needs a
 * word that SQLite, which has one writer, does not know.
 */

/** Rows another process is just deleting are passed over. */
export const skipLocked = "/*skip locked*/"
/** The row is locked until the transaction ends. */
export const lock = "/*lock*/"

/** A statement as Postgres takes it. */
export const forPostgres = (statement: string): string =>
  statement
    .replaceAll(/\?(\d+)/gu, "$$$1")
    .replaceAll(skipLocked, "FOR UPDATE SKIP LOCKED")
    .replaceAll(lock, "FOR UPDATE")

/** A statement that creates a table or an index, as Postgres takes it: texts compare by their bytes, as in SQLite. */
export const tablesForPostgres = (statement: string): string =>
  statement
    .replaceAll(/\) STRICT(?:, WITHOUT ROWID)?$/gu, ")")
    .replaceAll(/\bINTEGER PRIMARY KEY\b/gu, "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY")
    .replaceAll(/\bINTEGER\b/gu, "BIGINT")
    .replaceAll(/\bTEXT\b/gu, 'TEXT COLLATE "C"')
