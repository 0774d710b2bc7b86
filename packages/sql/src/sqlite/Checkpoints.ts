import { type CheckpointRow, fenceTtl, type StoreDriver } from "@botmesh/core/spi"
import { Clock, Effect } from "effect"
import type { SqliteClientShape } from "./Client.ts"
import { number, numberOrNull, type Row, text, textOrNull } from "./Column.ts"

const columns = "bot, key, run, revision, fence, expires, data, applied, wake_at"
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

/** Keeps a live row or tombstone and lifts its fence; else leaves a bare fence, which ends an hour from now. */
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
  wake_at = CASE WHEN stands.expires <= ?4 THEN NULL ELSE stands.wake_at END`

const find = `SELECT ${columns} FROM botmesh_checkpoint WHERE bot = ?1 AND key = ?2`
const list = `SELECT ${columns} FROM botmesh_checkpoint WHERE bot = ?1 AND key > ?2 ORDER BY key LIMIT ?3`
const due = `
SELECT key, wake_at FROM botmesh_checkpoint
WHERE bot = ?1 AND wake_at <= ?2 AND (expires IS NULL OR expires > ?3)
ORDER BY wake_at LIMIT ?4`

/** What this file runs, for the test that no statement scans a table. */
export const checkpointStatements = { start, follow, raise, find, list, due }

/** How many rows one page looks at before it stops short of its limit: tombstones are skipped, not walked without end. */
const scanned = 5_000

export const readCheckpoint = (row: Row): CheckpointRow => ({
  id: text(row, "run"),
  revision: number(row, "revision"),
  fence: number(row, "fence"),
  expires: numberOrNull(row, "expires"),
  data: textOrNull(row, "data"),
  applied: text(row, "applied"),
  wakeAt: numberOrNull(row, "wake_at")
})

/** A time column holds whole milliseconds: later rather than sooner. */
export const whole = (time: number | null): number | null => (time === null ? null : Math.ceil(time))

type Methods = Pick<StoreDriver, "getCheckpoint" | "putCheckpoint" | "raiseFence" | "checkpoints" | "due">

export const checkpointMethods = (client: SqliteClientShape): Methods => ({
  getCheckpoint: (bot, key) =>
    client.use("getCheckpoint", (prepare) => {
      const row = prepare(find).get(bot, key)
      return row === undefined ? undefined : readCheckpoint(row)
    }),
  putCheckpoint: (bot, key, { applied, data, expires, fence, id, revision, wakeAt }, now) =>
    client.use("putCheckpoint", (prepare) => {
      const write = prepare(revision === 1 && data !== null ? start : follow)
      return write.run(bot, key, id, revision, fence, whole(expires), data, applied, whole(wakeAt), now).changes === 1
    }),
  raiseFence: (bot, key, fence) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      client.use("raiseFence", (prepare) => {
        prepare(raise).run(bot, key, fence, now)
      })
    ),
  checkpoints: (bot, { after, limit, now }) =>
    client.use("checkpoints", (prepare) => {
      const items: Array<{ readonly key: string; readonly row: CheckpointRow }> = []
      let seen = 0
      let last = ""
      for (const row of prepare(list).iterate(bot, after ?? "", scanned)) {
        if (items.length === limit) return { items, next: last }
        last = text(row, "key")
        seen++
        const expires = numberOrNull(row, "expires")
        if (row.data !== null && (expires === null || expires > now))
          items.push({ key: last, row: readCheckpoint(row) })
      }
      return seen === scanned ? { items, next: last } : { items }
    }),
  due: (bot, { before, limit, now }) =>
    client.use("due", (prepare) =>
      prepare(due)
        .all(bot, before, now, limit)
        .map((row) => ({ key: text(row, "key"), wakeAt: number(row, "wake_at") }))
    )
})
