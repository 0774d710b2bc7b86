/** Profiles, handoffs and values as rows: the statements of both databases and their readers. */
import type { CheckpointRow, FencedRow, KeyRows } from "@botmesh/core/spi"
import { readCheckpoint } from "./Checkpoints.ts"
import { number, numberOrNull, type Row, text, textOrNull, whole } from "./Column.ts"
import { first, type Script } from "./Script.ts"

/** The three parts of a key in one statement, so that no write of another process comes between them. */
const open = `
SELECT 'checkpoint' AS part, NULL AS field, NULL AS value, run, revision, fence, expires, data, applied, wake_at
FROM botmesh_checkpoint WHERE bot = ?1 AND key = ?2
UNION ALL
SELECT 'handoff', NULL, value, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM botmesh_handoff WHERE bot = ?1 AND chat = ?3
UNION ALL
SELECT 'profile', field, value, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM botmesh_profile WHERE bot = ?1 AND person = ?4`

const profile = `SELECT field, value FROM botmesh_profile WHERE bot = ?1 AND person = ?2`
const setProfile = `
INSERT INTO botmesh_profile (bot, person, field, value) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (bot, person, field) DO UPDATE SET value = excluded.value`
const dropProfile = `DELETE FROM botmesh_profile WHERE bot = ?1 AND person = ?2 AND field = ?3`
const handoff = `SELECT value FROM botmesh_handoff WHERE bot = ?1 AND chat = ?2`
const setHandoff = `
INSERT INTO botmesh_handoff (bot, chat, value) VALUES (?1, ?2, ?3)
ON CONFLICT (bot, chat) DO UPDATE SET value = excluded.value`
const dropHandoff = `DELETE FROM botmesh_handoff WHERE bot = ?1 AND chat = ?2`
const getValue = `SELECT value, expires FROM botmesh_value WHERE bot = ?1 AND name = ?2`
const setValue = `
INSERT INTO botmesh_value (bot, name, value, expires) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (bot, name) DO UPDATE SET value = excluded.value, expires = excluded.expires`
const dropValue = `DELETE FROM botmesh_value WHERE bot = ?1 AND name = ?2`
const fenced = `SELECT fence, value, expires FROM botmesh_fenced WHERE bot = ?1 AND name = ?2`
const raiseFenced = `
INSERT INTO botmesh_fenced (bot, name, fence, value, expires) VALUES (?1, ?2, ?3, NULL, ?4)
ON CONFLICT (bot, name) DO UPDATE SET
  fence = CASE WHEN botmesh_fenced.fence < excluded.fence THEN excluded.fence ELSE botmesh_fenced.fence END,
  expires = CASE WHEN botmesh_fenced.value IS NULL OR botmesh_fenced.expires < excluded.expires
    THEN excluded.expires ELSE botmesh_fenced.expires END
RETURNING fence, value, expires`
const putFenced = `
INSERT INTO botmesh_fenced (bot, name, fence, value, expires) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (bot, name) DO UPDATE SET fence = excluded.fence, value = excluded.value, expires = excluded.expires
WHERE botmesh_fenced.fence <= excluded.fence
RETURNING fence`

/** What this file runs, for the test that no statement scans a table. */
export const fieldStatements = {
  open,
  profile,
  setProfile,
  dropProfile,
  handoff,
  setHandoff,
  dropHandoff,
  getValue,
  setValue,
  dropValue,
  fenced,
  raiseFenced,
  putFenced
}

export const readFenced = (row: Row): FencedRow => ({
  fence: number(row, "fence"),
  value: textOrNull(row, "value"),
  expires: numberOrNull(row, "expires")
})

/** Lifts the fence of a value, if it has to be lifted, and reads it (ST9). */
export function* takeFenced(bot: string, name: string, fence: number, now: number): Script<FencedRow> {
  const stands = yield* first(fenced, bot, name)
  if (stands !== undefined && number(stands, "fence") >= fence) return readFenced(stands)
  const raised = yield* first(raiseFenced, bot, name, fence, whole(now))
  return raised === undefined ? { fence, value: null, expires: now } : readFenced(raised)
}
/** Writes a value unless a higher fence stands; the fence that stands. */
export function* writeFenced(bot: string, name: string, row: FencedRow, now: number): Script<number> {
  const expires = whole(row.value === null ? now : row.expires)
  const written = yield* first(putFenced, bot, name, row.fence, row.value, expires)
  if (written !== undefined) return row.fence
  const stands = yield* first(fenced, bot, name)
  return stands === undefined ? row.fence : number(stands, "fence")
}

export const readField = (row: Row): readonly [string, string] => [text(row, "field"), text(row, "value")]

export const readParts = (rows: ReadonlyArray<Row>): KeyRows => {
  let handoffValue: string | null = null
  let checkpoint: CheckpointRow | undefined
  const fields: Array<readonly [string, string]> = []
  for (const row of rows) {
    if (row.part === "handoff") handoffValue = text(row, "value")
    else if (row.part === "profile") fields.push(readField(row))
    else checkpoint = readCheckpoint(row)
  }
  return { handoff: handoffValue, profile: fields, checkpoint }
}
