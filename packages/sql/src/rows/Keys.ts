/**
 * One row a conversation key, which every act on the key locks: its fence, the numbers it gave, and when its oldest record
 * and its oldest send are due. A bare row, with neither, may go once its fence has stood an hour (R5).
 */
import { fenceTtl } from "@botmesh/core/spi"
import { number, type Row, whole } from "./Column.ts"
import { lock } from "./Dialect.ts"
import { all, first, type Script } from "./Script.ts"

const columns = "fence, touched, record, send, spent, inbox_due, lane_due"
// Written even when it is there: that is what locks it.
const upsert = `
INSERT INTO botmesh_key AS stands (bot, key, fence, touched, record, send, spent) VALUES (?1, ?2, 0, ?3, 0, 0, 0)
ON CONFLICT (bot, key) DO UPDATE SET touched = stands.touched
RETURNING ${columns}`
const find = `SELECT ${columns} FROM botmesh_key WHERE bot = ?1 AND key = ?2 ${lock}`
const oldestRecord = (column: string) => `
  (SELECT ${column} FROM botmesh_inbox WHERE bot = ?1 AND key = ?2 AND dead = 0 ORDER BY number LIMIT 1)`
const update = `
UPDATE botmesh_key SET fence = ?3, touched = ?4, record = ?5, send = ?6, spent = ?7,
  inbox_due = ${oldestRecord("due")}, inbox_owner = ${oldestRecord("claim_owner")},
  lane_due = (
    SELECT CASE state WHEN 'planned' THEN due WHEN 'attempting' THEN until ELSE changed_at END
    FROM botmesh_outbox WHERE bot = ?1 AND lane = ?2 AND open = 1 ORDER BY number LIMIT 1)
WHERE bot = ?1 AND key = ?2`

/** What this file runs, for the test that no statement scans a table. */
export const keyStatements = { upsert, find, update }

export interface KeyState {
  fence: number
  touched: number
  /** The last number given to a record, and to a send. */
  record: number
  send: number
  /** The fence under which a record was taken last. */
  spent: number
}

const read = (row: Row): KeyState => ({
  fence: number(row, "fence"),
  touched: number(row, "touched"),
  record: number(row, "record"),
  send: number(row, "send"),
  spent: number(row, "spent")
})

/** The row of a key, locked; made where there is none. A bare one that is an hour old has no fence any more. */
export function* take(bot: string, key: string, now: number): Script<KeyState> {
  const row = yield* first(upsert, bot, key, whole(now))
  if (row === undefined) throw new Error("an upsert gives its row")
  const state = read(row)
  const isBare = row.inbox_due === null && row.lane_due === null
  if (isBare && state.touched + fenceTtl <= now) state.fence = 0
  return state
}

/** The row of a key, locked, if there is one. */
export function* look(bot: string, key: string): Script<KeyState | undefined> {
  const row = yield* first(find, bot, key)
  return row === undefined ? undefined : read(row)
}

/** Writes the row back, and when its oldest record and send are due by now. The last step of every act that changed one. */
export function* save(bot: string, key: string, state: KeyState): Script<void> {
  yield* all(update, bot, key, state.fence, whole(state.touched), state.record, state.send, state.spent)
}

/** Numbers grow, and stay apart when a row has gone in between. */
export const nextNumber = (last: number, now: number): number => Math.max(last + 1, Math.ceil(now))

export function* raise(bot: string, key: string, fence: number, now: number): Script<void> {
  const state = yield* take(bot, key, now)
  state.fence = Math.max(state.fence, fence)
  state.touched = now
  yield* save(bot, key, state)
}
