import type { CheckpointRow, KeyRows, StoreDriver } from "@botmesh/core/spi"
import { readCheckpoint, whole } from "./Checkpoints.ts"
import type { SqliteClientShape } from "./Client.ts"
import { numberOrNull, type Row, text } from "./Column.ts"

/** The three parts of a key in one statement, so that no write of another process comes between them. */
const open = `
SELECT 'handoff' AS part, NULL AS field, value, NULL AS run, NULL AS revision, NULL AS fence, NULL AS expires,
  NULL AS data, NULL AS applied, NULL AS wake_at
FROM botmesh_handoff WHERE bot = ?1 AND chat = ?3
UNION ALL
SELECT 'profile', field, value, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM botmesh_profile WHERE bot = ?1 AND person = ?4
UNION ALL
SELECT 'checkpoint', NULL, NULL, run, revision, fence, expires, data, applied, wake_at
FROM botmesh_checkpoint WHERE bot = ?1 AND key = ?2`

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

const readField = (row: Row): readonly [string, string] => [text(row, "field"), text(row, "value")]

const readParts = (rows: ReadonlyArray<Row>): KeyRows => {
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

type Methods = Pick<StoreDriver, "open" | "profile" | "setProfile" | "handoff" | "setHandoff" | "getValue" | "setValue">

export const fieldMethods = (client: SqliteClientShape): Methods => {
  /** Writes or deletes one row. */
  const set = (operation: string, write: string, drop: string, id: ReadonlyArray<string>, values: Values) =>
    client.use(operation, (prepare) => {
      if (values === null) prepare(drop).run(...id)
      else prepare(write).run(...id, ...values)
    })
  return {
    open: (bot, key, chatId, userId) =>
      client.use("open", (prepare) => readParts(prepare(open).all(bot, key, chatId, userId))),
    profile: (bot, userId) => client.use("profile", (prepare) => prepare(profile).all(bot, userId).map(readField)),
    setProfile: (bot, userId, field, json) =>
      set("setProfile", setProfile, dropProfile, [bot, userId, field], json === null ? null : [json]),
    handoff: (bot, chatId) =>
      client.use("handoff", (prepare) => {
        const row = prepare(handoff).get(bot, chatId)
        return row === undefined ? null : text(row, "value")
      }),
    setHandoff: (bot, chatId, json) =>
      set("setHandoff", setHandoff, dropHandoff, [bot, chatId], json === null ? null : [json]),
    getValue: (bot, name) =>
      client.use("getValue", (prepare) => {
        const row = prepare(getValue).get(bot, name)
        return row === undefined ? undefined : { value: text(row, "value"), expires: numberOrNull(row, "expires") }
      }),
    setValue: (bot, name, value, expires) =>
      set("setValue", setValue, dropValue, [bot, name], value === null ? null : [value, whole(expires)])
  }
}

type Values = ReadonlyArray<string | number | null> | null
