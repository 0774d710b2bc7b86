/** Checkpoints as rows: the statements of both databases (ST1 to ST5, each write one of them) and their reader. */
import { type CheckpointRow, fenceTtl } from "@botmesh/core/spi"
import { number, numberOrNull, type Row, text, textOrNull, whole } from "./Column.ts"

export const columns = "bot, key, run, revision, fence, expires, data, applied, wake_at"
/** Parameters of both writes: bot, key, run, revision, fence, expires, data, applied, wake_at, now. */
const isSame = (row: string) => `${row}.run = ?3 AND ${row}.revision = ?4 AND ${row}.fence = ?5
  AND ${row}.data IS NOT DISTINCT FROM ?7 AND ${row}.applied = ?8`

/**
 * The first write of a run. It may take the place of a row that is gone with its fence, of an expired one, and of another
 * run's tombstone or a bare fence; or be a repeat, which writes what stands.
 */
const start = `
INSERT INTO botmesh_checkpoint AS stands (${columns}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
ON CONFLICT (bot, key) DO UPDATE SET
  run = excluded.run, revision = excluded.revision, fence = excluded.fence, expires = excluded.expires,
  data = excluded.data, applied = excluded.applied, wake_at = excluded.wake_at
WHERE stands.expires + ${fenceTtl} <= ?10
  OR (stands.fence <= excluded.fence AND (
    stands.expires <= ?10
    OR (stands.data IS NULL AND stands.run <> excluded.run)
    OR (${isSame("stands")})))`

/** Every other write, a tombstone included: the same run, alive, at the revision before; or a repeat, which keeps its expiry. */
const follow = `
UPDATE botmesh_checkpoint AS stands SET
  revision = ?4, fence = ?5, expires = CASE WHEN stands.revision = ?4 THEN stands.expires ELSE ?6 END,
  data = ?7, applied = ?8, wake_at = ?9
WHERE stands.bot = ?1 AND stands.key = ?2 AND stands.run = ?3 AND stands.fence <= ?5
  AND (stands.expires IS NULL OR stands.expires > ?10)
  AND ((stands.data IS NOT NULL AND stands.revision = ?4 - 1) OR (${isSame("stands")}))`

/** Keeps a live row or tombstone and lifts its fence; else leaves a bare fence, which ends an hour from now. Answers the fence that stands. */
const raise = `
INSERT INTO botmesh_checkpoint AS stands (${columns}) VALUES (?1, ?2, '', 0, ?3, ?4, NULL, '[]', NULL)
ON CONFLICT (bot, key) DO UPDATE SET
  fence = CASE WHEN stands.fence > ?3 AND (stands.expires IS NULL OR stands.expires + ${fenceTtl} > ?4)
    THEN stands.fence ELSE ?3 END,
  run = CASE WHEN stands.expires <= ?4 THEN '' ELSE stands.run END,
  revision = CASE WHEN stands.expires <= ?4 THEN 0 ELSE stands.revision END,
  expires = CASE WHEN stands.expires <= ?4 THEN ?4 ELSE stands.expires END,
  data = CASE WHEN stands.expires <= ?4 THEN NULL ELSE stands.data END,
  applied = CASE WHEN stands.expires <= ?4 THEN '[]' ELSE stands.applied END,
  wake_at = CASE WHEN stands.expires <= ?4 THEN NULL ELSE stands.wake_at END
RETURNING fence`

const find = `SELECT ${columns} FROM botmesh_checkpoint WHERE bot = ?1 AND key = ?2`
const list = `SELECT ${columns} FROM botmesh_checkpoint WHERE bot = ?1 AND key > ?2 ORDER BY key LIMIT ?3`
const due = `
SELECT key, wake_at FROM botmesh_checkpoint
WHERE bot = ?1 AND wake_at <= ?2 AND (expires IS NULL OR expires > ?3)
ORDER BY wake_at LIMIT ?4`

/** What this file runs, for the test that no statement scans a table. */
export const checkpointStatements = { start, follow, raise, find, list, due }

export const readCheckpoint = (row: Row): CheckpointRow => ({
  id: text(row, "run"),
  revision: number(row, "revision"),
  fence: number(row, "fence"),
  expires: numberOrNull(row, "expires"),
  data: textOrNull(row, "data"),
  applied: text(row, "applied"),
  wakeAt: numberOrNull(row, "wake_at")
})

/** The write of a row, and its parameters. `now` is ms since the epoch. */
export const putStatement = (
  bot: string,
  key: string,
  { applied, data, expires, fence, id, revision, wakeAt }: CheckpointRow,
  now: number
): readonly [string, ReadonlyArray<string | number | null>] => [
  revision === 1 && data !== null ? start : follow,
  [bot, key, id, revision, fence, whole(expires), data, applied, whole(wakeAt), now]
]
