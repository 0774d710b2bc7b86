import type { StoreDriver } from "@botmesh/core/spi"
import { Effect } from "effect"
import { below, chatStatements, messageValues, readMessage } from "../rows/Chats.ts"
import { number } from "../rows/Column.ts"
import type { PostgresClientShape } from "./Client.ts"

const { keep, page } = chatStatements

/** Chat, contact and message in one statement, so in one round trip. All its parts see the chats from before it. */
const admit = `
WITH fresh AS (
  INSERT INTO botmesh_chat (bot, id, is_group, name) VALUES (?1, ?2, ?3, ?4)
  ON CONFLICT (bot, id) DO NOTHING RETURNING 1
), renamed AS (
  UPDATE botmesh_chat SET name = ?4 WHERE bot = ?1 AND id = ?2 AND ?4 IS NOT NULL AND name IS DISTINCT FROM ?4
), met AS (
  INSERT INTO botmesh_contact AS known (bot, id, name) VALUES (?1, ?5, ?6)
  ON CONFLICT (bot, id) DO UPDATE SET name = excluded.name
  WHERE excluded.name IS NOT NULL AND known.name IS DISTINCT FROM excluded.name
), kept AS (
  INSERT INTO botmesh_message (bot, chat, id, sender, direction, type, body, at)
  VALUES (?1, ?7, ?8, ?9, ?10, ?11, ?12, ?13) ON CONFLICT (bot, chat, id) DO NOTHING
)
SELECT count(*) AS fresh FROM fresh`

export const chatMethods = (client: PostgresClientShape): Pick<StoreDriver, "admit" | "saveMessage" | "messages"> => ({
  admit: (bot, chat, contact, message) => {
    const [, ...rest] = messageValues(bot, message)
    const named = [chat.name ?? null, contact.id, contact.name ?? null]
    return Effect.map(
      client.query("admit", admit, [bot, chat.id, chat.isGroup ? 1 : 0, ...named, ...rest]),
      ([row]) => ({ firstContact: row !== undefined && number(row, "fresh") === 1 })
    )
  },
  saveMessage: (bot, message) => Effect.asVoid(client.query("saveMessage", keep, messageValues(bot, message))),
  messages: (bot, chatId, { after, limit }) =>
    Effect.map(client.query("messages", page, [bot, chatId, below(after), limit + 1]), (rows) => {
      const items = rows.slice(0, limit).map((row) => readMessage(chatId, row))
      const last = rows.length > limit ? rows[limit - 1] : undefined
      return last === undefined ? { items } : { items, next: String(number(last, "seq")) }
    })
})
