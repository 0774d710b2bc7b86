/** Chats, contacts and messages as rows: the statements of both databases and their readers. */
import type { MessageRow } from "@botmesh/core/spi"
import { number, type Row, text, textOrNull } from "./Column.ts"

const newChat = `
INSERT INTO botmesh_chat (bot, id, is_group, name) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (bot, id) DO NOTHING`
const renameChat = `
UPDATE botmesh_chat SET name = ?3 WHERE bot = ?1 AND id = ?2 AND name IS DISTINCT FROM ?3`
const meet = `
INSERT INTO botmesh_contact AS known (bot, id, name) VALUES (?1, ?2, ?3)
ON CONFLICT (bot, id) DO UPDATE SET name = excluded.name
WHERE excluded.name IS NOT NULL AND known.name IS DISTINCT FROM excluded.name`
const keep = `
INSERT INTO botmesh_message (bot, chat, id, sender, direction, type, body, at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (bot, chat, id) DO NOTHING`
const page = `
SELECT seq, id, sender, direction, type, body, at FROM botmesh_message
WHERE bot = ?1 AND chat = ?2 AND seq < ?3 ORDER BY seq DESC LIMIT ?4`

/** What this file runs, for the test that no statement scans a table. */
export const chatStatements = { newChat, renameChat, meet, keep, page }

/** Parameters of `keep`: bot, chat, id, sender, direction, type, body, at. */
export const messageValues = (bot: string, message: MessageRow): ReadonlyArray<string | number | null> => {
  const { at, body, chatId, direction, id, sender, type } = message
  return [bot, chatId, id === "" ? null : id, sender, direction, type, body, Math.ceil(at)]
}

export const readMessage = (chatId: string, row: Row): MessageRow => ({
  id: textOrNull(row, "id") ?? "",
  chatId,
  sender: text(row, "sender"),
  direction: text(row, "direction") === "in" ? "in" : "out",
  type: text(row, "type"),
  body: text(row, "body"),
  at: number(row, "at")
})

/** A cursor is the number of the last row given; one that is no number of ours ends the list. */
export const below = (after: string | undefined): number => {
  if (after === undefined) return Number.MAX_SAFE_INTEGER
  const seq = Number(after)
  return Number.isSafeInteger(seq) ? seq : 0
}
