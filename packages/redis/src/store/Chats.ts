import type { BotScope, MessageRow, StoreDriver } from "@botmesh/core/spi"
import { Effect, Schema } from "effect"
import { RedisError } from "../client/RedisError.ts"
import { admitMessage, pageMessages, saveMessage } from "../lua/scripts.generated.ts"
import type { RedisShape } from "../Redis.ts"
import { type Ask, storeError } from "./Ask.ts"
import type { BotKeys } from "./Keys.ts"

/** What a message keeps beside its id and its chat. */
const Kept = Schema.fromJsonString(
  Schema.Struct({
    sender: Schema.String,
    direction: Schema.Literals(["in", "out"]),
    type: Schema.String,
    body: Schema.String,
    at: Schema.Number
  })
)
const decode = Schema.decodeUnknownEffect(Kept)

const kept = ({ at, body, direction, sender, type }: MessageRow): string =>
  JSON.stringify({ sender, direction, type, body, at })

/** "bytes:id" and the text. */
const readMessage = (chatId: string, entry: string): Effect.Effect<MessageRow, Schema.SchemaError> => {
  const bytes = Buffer.from(entry)
  const colon = bytes.indexOf(":")
  const end = colon + 1 + Number(bytes.subarray(0, colon).toString())
  const id = bytes.subarray(colon + 1, end).toString()
  return Effect.map(decode(bytes.subarray(end).toString()), (row) => ({ id, chatId, ...row }))
}

type Methods = Pick<StoreDriver, "admit" | "saveMessage" | "messages">

export const chatMethods = (
  redis: RedisShape,
  ask: Ask,
  keysOf: (bot: BotScope) => BotKeys,
  limit: number
): Methods => ({
  admit: (bot, chat, contact, message) => {
    const keys = keysOf(bot)
    const { contacts } = keys.of(contact.id)
    // The contact may live on another node, so it cannot be part of the one write; it is harmless without it.
    const met =
      contact.name === undefined
        ? redis.command("HSETNX", contacts, contact.id, "")
        : redis.command("HSET", contacts, contact.id, contact.name)
    const named = { isGroup: chat.isGroup ? 1 : 0, named: chat.name === undefined ? 0 : 1, name: chat.name ?? "" }
    const row = { ...named, id: message.id, text: kept(message), limit }
    const admitted = redis.run(admitMessage, keys.of(chat.id).chat(chat.id), row)
    // Not tried again: a repeat would no longer know whether this was the first contact.
    return Effect.mapError(
      Effect.zipWith(met, admitted, (_, first) => ({ firstContact: first === 1 }), { concurrent: true }),
      storeError("admit")
    )
  },
  saveMessage: (bot, message) => {
    const { chatId, id } = message
    const saved = redis.run(saveMessage, keysOf(bot).of(chatId).chat(chatId), { id, text: kept(message), limit })
    return ask("saveMessage", Effect.asVoid(saved))
  },
  messages: (bot, chatId, { after, limit: size }) => {
    const { chat, messages } = keysOf(bot).of(chatId).chat(chatId)
    const below = after === undefined ? Number.MAX_SAFE_INTEGER : Number(after)
    const page = redis.run(
      pageMessages,
      { chat, messages },
      { below: Number.isSafeInteger(below) ? below : 0, limit: size }
    )
    return ask(
      "messages",
      Effect.flatMap(page, (reply) => {
        const [next, entries]: ReadonlyArray<unknown> = Array.isArray(reply) ? reply : []
        const texts = Array.isArray(entries) ? entries.map(String).reverse() : []
        const rows = Effect.forEach(texts, (entry) => readMessage(chatId, entry))
        return Effect.mapBoth(rows, {
          onSuccess: (items) => (typeof next === "number" && next > 0 ? { items, next: String(next) } : { items }),
          onFailure: (error) => new RedisError({ operation: "messages", reason: "reply", detail: error.message })
        })
      })
    )
  }
})
