/** What changes a message that is there: reactions, edits, deletions. Each is safe to repeat. */
import {
  type DeleteContent,
  type EditContent,
  InvalidContent,
  type Outgoing,
  type ReactionContent
} from "@botmesh/core/spi"
import { Result } from "effect"
import { limits } from "../Limits.ts"
import type { Plan } from "./Call.ts"
import { chatId, messageId } from "./Target.ts"
import { inOrder } from "./Text.ts"

const custom = "custom:"

const reactionType = (emoji: string) =>
  emoji.startsWith(custom)
    ? { type: "custom_emoji", custom_emoji_id: emoji.slice(custom.length) }
    : { type: "emoji", emoji }

export const reaction = (message: Outgoing, content: ReactionContent): Result.Result<Plan, InvalidContent> =>
  Result.flatMap(messageId(content.target), (id) =>
    inOrder([
      {
        method: "setMessageReaction",
        target: content.target.id,
        params: {
          chat_id: chatId(message.chatId),
          message_id: id,
          reaction: content.emoji === "" ? [] : [reactionType(content.emoji)]
        }
      }
    ])
  )

const unchanged = "message is not modified"

/** A media has a caption instead of a text; which of the two, only the refusal tells. */
export const edit = (message: Outgoing, content: EditContent): Result.Result<Plan, InvalidContent> => {
  if (content.text.trim() === "") return Result.fail(new InvalidContent({ detail: "the text is empty" }))
  if (content.text.length > limits.text) {
    return Result.fail(
      new InvalidContent({
        detail: `an edit of ${content.text.length} characters, at most ${limits.text} fit one message`
      })
    )
  }
  return Result.flatMap(messageId(content.target), (id) => {
    const what = { chat_id: chatId(message.chatId), message_id: id }
    const common = { target: content.target.id, alreadySo: unchanged }
    const caption = { ...common, method: "editMessageCaption", params: { ...what, caption: content.text } }
    return inOrder([
      {
        ...common,
        method: "editMessageText",
        params: { ...what, text: content.text },
        otherwise: { on: "there is no text in the message to edit", call: caption }
      }
    ])
  })
}

export const remove = (message: Outgoing, content: DeleteContent): Result.Result<Plan, InvalidContent> =>
  Result.flatMap(messageId(content.target), (id) =>
    inOrder([
      {
        method: "deleteMessage",
        target: content.target.id,
        params: { chat_id: chatId(message.chatId), message_id: id },
        alreadySo: "message to delete not found"
      }
    ])
  )
