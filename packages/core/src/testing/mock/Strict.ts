/** What a real transport refuses, so that a bot which passes on the mock does not fail on the first real one. */
import type { Content, MediaSource, Outgoing } from "../../model/Content.ts"
import type { Ref } from "../../model/Event.ts"
import { type Capabilities, InvalidContent, type SendReason, Unreachable, Unsupported } from "../../spi/Provider.ts"

/** What a check may ask of the mock. */
export interface Known {
  readonly capabilities: Capabilities
  /** Whether this message was seen, either way. */
  readonly seen: (ref: Ref) => boolean
  /** Whether the bot sent it. */
  readonly own: (ref: Ref) => boolean
}

const invalid = (detail: string): SendReason => new InvalidContent({ detail })
const blank = (text: string): boolean => text.trim() === ""

const checkSource = (source: MediaSource): SendReason | undefined => {
  if (source._tag === "bytes" && source.bytes.byteLength === 0) return invalid("a file without bytes")
  if (source._tag === "url" && !source.url.startsWith("https://")) return invalid(`not an https URL: ${source.url}`)
  return undefined
}

const checkOptions = (content: Content & { readonly _tag: "choices" }): SendReason | undefined => {
  const keys = new Set(content.options.map((option) => option.key))
  if (blank(content.text)) return invalid("choices without a text")
  if (content.options.length === 0) return invalid("choices without options")
  if (keys.size !== content.options.length) return invalid("two options with one key")
  return content.options.some((option) => blank(option.label)) ? invalid("an option without a label") : undefined
}

const checkPoll = (content: Content & { readonly _tag: "poll" }): SendReason | undefined => {
  if (blank(content.question)) return invalid("a poll without a question")
  if (content.options.length < 2 || content.options.length > 12) return invalid("a poll takes 2 to 12 options")
  return content.options.some(blank) ? invalid("a poll option without a text") : undefined
}

const checkContent = (content: Content, chatId: string, known: Known): SendReason | undefined => {
  switch (content._tag) {
    case "text":
      return blank(content.text) ? invalid("a text that is empty") : undefined
    case "media":
      return checkSource(content.source)
    case "choices":
      return checkOptions(content)
    case "poll":
      return checkPoll(content)
    case "location":
    case "contact":
      return undefined
    case "reaction":
      return known.seen(content.target) ? checkChat(content.target, chatId) : invalid("reaction to an unknown message")
    case "edit":
      if (blank(content.text)) return invalid("an edit to an empty text")
      return known.own(content.target) ? checkChat(content.target, chatId) : invalid("edit of a message not its own")
    case "delete":
      return known.own(content.target) ? checkChat(content.target, chatId) : invalid("delete of a message not its own")
  }
}

const checkChat = (ref: Ref, chatId: string): SendReason | undefined =>
  ref.chatId === chatId ? undefined : invalid(`message ${ref.id} is of chat ${ref.chatId}, not ${chatId}`)

/** Why a strict transport does not take this message; `undefined` when it does. */
export const refusal = (message: Outgoing, known: Known): SendReason | undefined => {
  if (!known.capabilities.contents.has(message.content._tag)) return new Unsupported({ content: message.content._tag })
  if (message.chatId === "") return new Unreachable({ detail: "no chat" })
  const wrongReply = message.replyTo === undefined ? undefined : checkChat(message.replyTo, message.chatId)
  return wrongReply ?? checkContent(message.content, message.chatId, known)
}
