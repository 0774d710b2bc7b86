/**
 * Update → what it says. Pure and total: whatever JSON comes in, one `Reading` comes out; nothing here throws.
 *
 * `channel_post`, business and inline updates are not asked for and ignored if they come all the same: a channel is not a
 * chat where people talk to the bot.
 */
import { Schema, SchemaIssue } from "effect"
import type { Identity } from "../Identity.ts"
import { CallbackQuery, Message, MessageReaction, PollAnswer, type UpdateKind, updateKinds } from "../native/Update.ts"
import { message } from "./Message.ts"
import type { Reading } from "./Reading.ts"
import { callback, reaction, vote } from "./Signals.ts"

const readMessage = Schema.decodeUnknownResult(Message)
const readCallback = Schema.decodeUnknownResult(CallbackQuery)
const readReaction = Schema.decodeUnknownResult(MessageReaction)
const readVote = Schema.decodeUnknownResult(PollAnswer)

const isRecord = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The `update_id`; only ever used to tell the server where to go on, never compared with an earlier one. */
export const updateId = (update: unknown): number | undefined => {
  const id: unknown = isRecord(update) ? Reflect.get(update, "update_id") : undefined
  return Number.isSafeInteger(id) ? Number(id) : undefined
}

const issues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Names the fields, not their values: what people wrote does not belong in a log. */
const malformed = (kind: string, error: Schema.SchemaError): Reading => {
  const paths = issues(error.issue).issues.map((issue) => issue.path?.map(String).join(".") ?? "")
  return { _tag: "malformed", kind, detail: `unreadable: ${kind}.${paths.join(", ")}` }
}

const readKind = (kind: UpdateKind, value: unknown, bot: Identity): Reading => {
  switch (kind) {
    case "message":
    case "edited_message": {
      const read = readMessage(value)
      if (read._tag === "Failure") return malformed(kind, read.failure)
      const event = message(read.success, Object(value), kind === "edited_message", bot)
      return event === undefined ? { _tag: "ignored", kind, reason: "service" } : { _tag: "event", event }
    }
    case "callback_query": {
      const read = readCallback(value)
      return read._tag === "Failure" ? malformed(kind, read.failure) : callback(read.success)
    }
    case "message_reaction": {
      const read = readReaction(value)
      return read._tag === "Failure" ? malformed(kind, read.failure) : { _tag: "event", event: reaction(read.success) }
    }
    case "poll_answer": {
      const read = readVote(value)
      return read._tag === "Failure" ? malformed(kind, read.failure) : vote(read.success)
    }
    case "my_chat_member":
      return { _tag: "ignored", kind, reason: "membership" }
  }
}

export const read = (update: unknown, bot: Identity): Reading => {
  if (!isRecord(update)) return { _tag: "malformed", kind: "none", detail: "not an object" }
  const kind = updateKinds.find((each) => each in update)
  if (kind !== undefined) return readKind(kind, Reflect.get(update, kind), bot)
  return updateId(update) === undefined
    ? { _tag: "malformed", kind: "none", detail: "no update_id and no known kind" }
    : { _tag: "ignored", kind: "other", reason: "unknown-kind" }
}
