import type { MessageRow, StoreDriver } from "@botmesh/core/spi"
import type { Prepare, SqliteClientShape } from "./Client.ts"
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

const save = (prepare: Prepare, bot: string, message: MessageRow): void => {
  const { at, body, chatId, direction, id, sender, type } = message
  prepare(keep).run(bot, chatId, id === "" ? null : id, sender, direction, type, body, Math.ceil(at))
}

const readMessage = (chatId: string, row: Row): MessageRow => ({
  id: textOrNull(row, "id") ?? "",
  chatId,
  sender: text(row, "sender"),
  direction: text(row, "direction") === "in" ? "in" : "out",
  type: text(row, "type"),
  body: text(row, "body"),
  at: number(row, "at")
})

/** A cursor is the number of the last row given; one that is no number of ours ends the list. */
const below = (after: string | undefined): number => {
  if (after === undefined) return Number.MAX_SAFE_INTEGER
  const seq = Number(after)
  return Number.isSafeInteger(seq) ? seq : 0
}

export const chatMethods = (client: SqliteClientShape): Pick<StoreDriver, "admit" | "saveMessage" | "messages"> => ({
  admit: (bot, chat, contact, message) =>
    client.transaction("admit", (prepare) => {
      const name = chat.name ?? null
      const firstContact = prepare(newChat).run(bot, chat.id, chat.isGroup ? 1 : 0, name).changes === 1
      if (!firstContact && name !== null) prepare(renameChat).run(bot, chat.id, name)
      prepare(meet).run(bot, contact.id, contact.name ?? null)
      save(prepare, bot, message)
      return { firstContact }
    }),
  saveMessage: (bot, message) => client.use("saveMessage", (prepare) => save(prepare, bot, message)),
  messages: (bot, chatId, { after, limit }) =>
    client.use("messages", (prepare) => {
      const rows = prepare(page).all(bot, chatId, below(after), limit + 1)
      const items = rows.slice(0, limit).map((row) => readMessage(chatId, row))
      const last = rows.length > limit ? rows[limit - 1] : undefined
      return last === undefined ? { items } : { items, next: String(number(last, "seq")) }
    })
})
