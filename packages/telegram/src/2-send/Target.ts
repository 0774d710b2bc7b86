/** Chat and message ids on the wire. */
import { InvalidContent, type Outgoing, type Ref } from "@botmesh/core/spi"
import { Result } from "effect"
import type { Params } from "../native/Api.ts"

/** Numbers as numbers; anything else (a public @name) as it is. */
export const chatId = (id: string): number | string => {
  const number = Number(id)
  return Number.isSafeInteger(number) && String(number) === id ? number : id
}

export const messageId = (ref: Ref): Result.Result<number, InvalidContent> => {
  const id = Number(ref.id)
  return Number.isSafeInteger(id) && id > 0
    ? Result.succeed(id)
    : Result.fail(new InvalidContent({ detail: `"${ref.id}" is not the id of a Telegram message` }))
}

const topicOf = (topic: string | undefined): Params => {
  const id = Number(topic)
  return topic !== undefined && Number.isSafeInteger(id) ? { message_thread_id: id } : {}
}

/** Where a message goes. */
export const target = (message: Outgoing): Params => ({ chat_id: chatId(message.chatId), ...topicOf(message.topic) })

export const typingIn = (chat: string, topic: string | undefined): Params => ({
  chat_id: chatId(chat),
  ...topicOf(topic)
})

/** What it answers; a quoted message that is gone does not stop the answer. */
export const quote = (message: Outgoing): Result.Result<Params, InvalidContent> =>
  message.replyTo === undefined
    ? Result.succeed({})
    : Result.map(messageId(message.replyTo), (id) => ({
        reply_parameters: { message_id: id, allow_sending_without_reply: true }
      }))
