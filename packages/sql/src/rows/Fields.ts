/** Profiles, handoffs and values as rows: the statements of both databases and their readers. */
import type { CheckpointRow, KeyRows } from "@botmesh/core/spi"
import { readCheckpoint } from "./Checkpoints.ts"
import { type Row, text } from "./Column.ts"

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
  dropValue
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
