import type { MessageRow, StoreDriver } from "@botmesh/core/spi"
import { below, chatStatements, messageValues, readMessage } from "../rows/Chats.ts"
import { number } from "../rows/Column.ts"
import type { Prepare, SqliteClientShape } from "./Client.ts"

const { keep, meet, newChat, page, renameChat } = chatStatements

const save = (prepare: Prepare, bot: string, message: MessageRow): void => {
  prepare(keep).run(...messageValues(bot, message))
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
  saveMessage: (bot, message) => client.write("saveMessage", (prepare) => save(prepare, bot, message)),
  messages: (bot, chatId, { after, limit }) =>
    client.use("messages", (prepare) => {
      const rows = prepare(page).all(bot, chatId, below(after), limit + 1)
      const items = rows.slice(0, limit).map((row) => readMessage(chatId, row))
      const last = rows.length > limit ? rows[limit - 1] : undefined
      return last === undefined ? { items } : { items, next: String(number(last, "seq")) }
    })
})
