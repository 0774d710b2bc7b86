/** `message` and `edited_message` → a message event. */
import type { InboundMessage } from "@botmesh/core/spi"
import type { Identity } from "../Identity.ts"
import type { Message } from "../native/Update.ts"
import { body as bodyOf } from "./Body.ts"
import { mentions, withoutBotName } from "./Mentions.ts"
import { place, sender } from "./People.ts"

/** Every message of a forum topic "replies" to the one that opened it; only a real reply quotes. */
const quoted = (message: Message, bot: Identity): InboundMessage["quoted"] => {
  const reply = message.reply_to_message
  if (reply === undefined || reply.forum_topic_created !== undefined) return undefined
  return { id: String(reply.message_id), ...(reply.from?.id === bot.id ? { fromMe: true } : {}) }
}

export const message = (it: Message, raw: object, edited: boolean, bot: Identity): InboundMessage | undefined => {
  const held = bodyOf(it, raw)
  if (held === undefined) return undefined
  const entities = it.text === undefined ? it.caption_entities : it.entities
  const quote = quoted(it, bot)
  return {
    _tag: "message",
    ref: { id: String(it.message_id), chatId: String(it.chat.id) },
    ...place(it.chat, it),
    ...sender(it.chat, it.from, it.sender_chat),
    ...held,
    body: withoutBotName(held.body, entities, bot),
    sentAt: ((edited ? it.edit_date : undefined) ?? it.date) * 1000,
    ...(edited ? { edited: true } : {}),
    ...(it.sender_chat === undefined && it.from?.id === bot.id ? { fromMe: true } : {}),
    ...(mentions(held.body, entities, bot) ? { mentionsBot: true } : {}),
    ...(quote === undefined ? {} : { quoted: quote }),
    ...(it.media_group_id === undefined ? {} : { album: it.media_group_id })
  }
}
