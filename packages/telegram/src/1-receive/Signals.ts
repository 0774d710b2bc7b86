/** Pressed buttons, reactions and votes. */
import type { InboundInteraction, InboundReaction } from "@botmesh/core/spi"
import { isToken } from "../Buttons.ts"
import type { CallbackQuery, MessageReaction, PollAnswer, Reaction } from "../native/Update.ts"
import { place, sender } from "./People.ts"
import type { Reading } from "./Reading.ts"

const label = (query: CallbackQuery, data: string): string =>
  query.message?.reply_markup?.inline_keyboard?.flat().find((button) => button.callback_data === data)?.text ?? data

export const callback = (query: CallbackQuery): Reading => {
  const { data, message } = query
  if (data === undefined || message === undefined) {
    return { _tag: "ignored", kind: "callback_query", reason: "no-chat", callbackId: query.id }
  }
  const event: InboundInteraction = {
    _tag: "interaction",
    interactionId: query.id,
    payload: data,
    body: label(query, data),
    ref: { id: String(message.message_id), chatId: String(message.chat.id) },
    ...place(message.chat, message),
    ...sender(message.chat, query.from, undefined)
  }
  return isToken(data) ? { _tag: "button", token: data, event } : { _tag: "event", event }
}

/** Custom emoji have no character: they are named by their id. */
const emojiOf = (reaction: Reaction): string => {
  if (reaction.type === "custom_emoji") return `custom:${reaction.custom_emoji_id ?? ""}`
  return reaction.type === "paid" ? "⭐" : (reaction.emoji ?? "")
}

/** The reaction that is new; "" when the change only took one back. */
export const reaction = (it: MessageReaction): InboundReaction => {
  const before = new Set(it.old_reaction.map(emojiOf))
  const added = it.new_reaction.map(emojiOf).findLast((emoji) => !before.has(emoji))
  return {
    _tag: "reaction",
    emoji: added ?? "",
    target: { id: String(it.message_id), chatId: String(it.chat.id) },
    ...place(it.chat),
    ...sender(it.chat, it.user, it.actor_chat),
    ...(it.date === undefined ? {} : { sentAt: it.date * 1000 })
  }
}

export const vote = (it: PollAnswer): Reading => {
  const nobody = { id: it.voter_chat?.id ?? it.user?.id ?? 0, type: "private" }
  return { _tag: "vote", pollId: it.poll_id, options: it.option_ids, ...sender(nobody, it.user, it.voter_chat) }
}
