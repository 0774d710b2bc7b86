/** Durable jobs as rows, for both databases: each act one statement. */
import type { JobRow, Page } from "@botmesh/core/spi"
import { number, numberOrNull, type Row, text, whole } from "./Column.ts"
import { all, first, type Script } from "./Script.ts"

const find = `SELECT revision, due, data FROM botmesh_job WHERE bot = ?1 AND id = ?2`
const insert = `
INSERT INTO botmesh_job AS stands (bot, id, revision, due, data) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (bot, id) DO UPDATE SET revision = excluded.revision
WHERE stands.revision = excluded.revision AND stands.data = excluded.data
RETURNING 1`
// The second condition is the repeat of a write whose reply was lost.
const update = `
UPDATE botmesh_job SET revision = ?3, due = ?4, data = ?5
WHERE bot = ?1 AND id = ?2 AND (revision = ?6 OR (revision = ?3 AND data = ?5))
RETURNING 1`
const remove = `DELETE FROM botmesh_job WHERE bot = ?1 AND id = ?2 AND revision = ?3 RETURNING 1`
const list = `SELECT id, revision, due, data FROM botmesh_job WHERE bot = ?1 AND id > ?2 ORDER BY id LIMIT ?3`
const due = `
SELECT id, revision, due, data FROM botmesh_job WHERE bot = ?1 AND due <= ?2 ORDER BY due LIMIT ?3`

/** What this file runs, for the test that no statement scans a table. */
export const jobStatements = { find, insert, update, remove, list, due }

const read = (row: Row): JobRow => ({
  revision: number(row, "revision"),
  due: numberOrNull(row, "due"),
  data: text(row, "data")
})
const readNamed = (row: Row) => ({ id: text(row, "id"), row: read(row) })

export function* readJob(bot: string, id: string): Script<JobRow | undefined> {
  const row = yield* first(find, bot, id)
  return row === undefined ? undefined : read(row)
}

export function* writeJob(bot: string, id: string, expected: number | null, row: JobRow | null): Script<boolean> {
  if (row === null) {
    if ((yield* all(remove, bot, id, expected)).length === 1) return true
    return (yield* first(find, bot, id)) === undefined
  }
  const values = [bot, id, row.revision, whole(row.due), row.data]
  const written = expected === null ? yield* all(insert, ...values) : yield* all(update, ...values, expected)
  return written.length === 1
}

export function* listJobs(
  bot: string,
  limit: number,
  after: string | undefined
): Script<Page<{ readonly id: string; readonly row: JobRow }>> {
  const rows = yield* all(list, bot, after ?? "", limit + 1)
  const items = rows.slice(0, limit).map(readNamed)
  const last = rows.length > limit ? items.at(-1) : undefined
  return last === undefined ? { items } : { items, next: last.id }
}

export function* dueJobs(
  bot: string,
  before: number,
  limit: number
): Script<ReadonlyArray<{ readonly id: string; readonly row: JobRow }>> {
  return (yield* all(due, bot, before, limit)).map(readNamed)
}
