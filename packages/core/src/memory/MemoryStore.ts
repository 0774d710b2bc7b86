/**
 * A store in memory, as strict as one on a disk: rows are kept encoded, every structure is bounded, and a restart forgets
 * it all. For tests, for the simulator and for bots that need not remember.
 */
import { Clock, Effect, Exit, Layer } from "effect"
import { Direct } from "../model/Direct.ts"
import { type BotScope, Store, StoreError } from "../spi/Store.ts"
import { type FencedRow, fenceTtl, fromDriver, type KeyRows, type StoreDriver } from "../spi/StoreDriver.ts"
import { CappedRows } from "./CappedRows.ts"
import { ChatRows } from "./ChatRows.ts"
import { CheckpointRows } from "./CheckpointRows.ts"

/**
 * How much a memory store keeps, per bot. Chats, contacts and messages go least used first when there is no room; a write
 * of anything else is then refused with a `StoreError`.
 */
export interface MemoryStoreOptions {
  /** Chats, and as many contacts. A chat that was dropped is a first contact again. Default 100,000. */
  readonly maxChats?: number
  /** Default 200; the oldest go. */
  readonly maxMessagesPerChat?: number
  /** Messages of all chats together. Default 1,000,000; those of the least used chats go. */
  readonly maxMessages?: number
  /** Conversation keys with a checkpoint, a tombstone or a fence. Default 1,000,000; then `busy`. */
  readonly maxCheckpoints?: number
  /** People with a profile. Default 1,000,000; then `busy`. */
  readonly maxProfiles?: number
  /** Fields of one profile. Default 1,000; then `invalid`. */
  readonly maxProfileFields?: number
  /** Chats held by a person at once. Default 100,000; then `busy`. */
  readonly maxHandoffs?: number
  /** Values of providers and plugins. Default 100,000; then `busy`. */
  readonly maxValues?: number
  /** Bots. Default 10,000; then `busy`. */
  readonly maxBots?: number
}

type Caps = Required<MemoryStoreOptions>

const defaults: Caps = {
  maxChats: 100_000,
  maxMessagesPerChat: 200,
  maxMessages: 1_000_000,
  maxCheckpoints: 1_000_000,
  maxProfiles: 1_000_000,
  maxProfileFields: 1_000,
  maxHandoffs: 100_000,
  maxValues: 100_000,
  maxBots: 10_000
}

interface ValueRow {
  readonly value: string
  readonly expires: number | null
}

/** What one bot keeps. Two bots share nothing, so neither can push the other's rows out (R21, I20). */
interface BotRows {
  readonly chats: ChatRows
  readonly checkpoints: CheckpointRows
  readonly profiles: CappedRows<Map<string, string>>
  readonly handoffs: CappedRows<string>
  readonly values: CappedRows<ValueRow>
  readonly fenced: CappedRows<FencedRow>
}

const name = "memory"
const never = () => false
const first = Exit.succeed({ firstContact: true })
const known = Exit.succeed({ firstContact: false })
const accepted = Effect.succeed(true)
const refused = Effect.succeed(false)
const noFields: KeyRows["profile"] = []

const full = (operation: string, what: string, option: keyof Caps, cap: number, reason: "busy" | "invalid" = "busy") =>
  Exit.fail(
    new StoreError({
      store: name,
      operation,
      reason,
      detail: `there is no room for more than ${cap} ${what}: raise ${option}, or use a store on a disk`
    })
  )

const capsOf = (options: MemoryStoreOptions): Caps => {
  const caps = { ...defaults, ...options }
  for (const [option, cap] of Object.entries(caps)) {
    if (!Number.isInteger(cap) || cap < 1)
      throw new RangeError(`MemoryStore: ${option} must be a whole number from 1 on, got ${cap}`)
  }
  return caps
}

const botRows = (caps: Caps): BotRows => ({
  chats: new ChatRows(caps),
  checkpoints: new CheckpointRows(caps.maxCheckpoints),
  profiles: new CappedRows(caps.maxProfiles, never),
  handoffs: new CappedRows(caps.maxHandoffs, never),
  values: new CappedRows(caps.maxValues, (row, now) => row.expires !== null && row.expires <= now),
  fenced: new CappedRows(caps.maxValues, (row, now) => row.expires !== null && row.expires + fenceTtl <= now)
})

/** The rows of each bot. A read of an unknown bot makes none; the last bot is remembered, since most processes have one. */
const makeBots = (caps: Caps) => {
  const bots = new Map<BotScope, BotRows>()
  let lastBot: BotScope | undefined
  let lastRows: BotRows | undefined
  const find = (bot: BotScope): BotRows | undefined => {
    if (bot === lastBot) return lastRows
    const rows = bots.get(bot)
    if (rows === undefined) return undefined
    lastBot = bot
    lastRows = rows
    return rows
  }
  const add = (bot: BotScope): BotRows | undefined => {
    const found = find(bot)
    if (found !== undefined) return found
    if (bots.size >= caps.maxBots) return undefined
    const rows = botRows(caps)
    bots.set(bot, rows)
    return rows
  }
  return { find, add, full: (operation: string) => full(operation, "bots", "maxBots", caps.maxBots) }
}
type Bots = ReturnType<typeof makeBots>

const chatMethods = (bots: Bots): Pick<StoreDriver, "admit" | "saveMessage" | "messages"> => ({
  admit: (bot, chat, contact, message) =>
    new Direct(() => {
      const rows = bots.add(bot)
      if (rows === undefined) return bots.full("admit")
      return rows.chats.admit(chat, contact, message) ? first : known
    }),
  saveMessage: (bot, message) =>
    Effect.suspend(() => {
      const rows = bots.add(bot)
      if (rows === undefined) return bots.full("saveMessage")
      rows.chats.save(message)
      return Effect.void
    }),
  messages: (bot, chatId, options) =>
    Effect.sync(() => bots.find(bot)?.chats.page(chatId, options.limit, options.after) ?? { items: [] })
})

const keyMethods = (bots: Bots): Pick<StoreDriver, "open" | "profile" | "handoff" | "getCheckpoint"> => {
  const profile = (rows: BotRows | undefined, userId: string): KeyRows["profile"] => {
    const fields = rows?.profiles.rows.get(userId)
    return fields === undefined ? noFields : [...fields]
  }
  return {
    open: (bot, key, chatId, userId) =>
      Effect.sync(() => {
        const rows = bots.find(bot)
        return {
          handoff: rows?.handoffs.rows.get(chatId) ?? null,
          profile: profile(rows, userId),
          checkpoint: rows?.checkpoints.get(key)
        }
      }),
    profile: (bot, userId) => Effect.sync(() => profile(bots.find(bot), userId)),
    handoff: (bot, chatId) => Effect.sync(() => bots.find(bot)?.handoffs.rows.get(chatId) ?? null),
    getCheckpoint: (bot, key) => Effect.sync(() => bots.find(bot)?.checkpoints.get(key))
  }
}

const checkpointMethods = (
  bots: Bots,
  caps: Caps
): Pick<StoreDriver, "putCheckpoint" | "raiseFence" | "checkpoints" | "due"> => {
  const noRoom = (operation: string) => full(operation, "conversations", "maxCheckpoints", caps.maxCheckpoints)
  return {
    putCheckpoint: (bot, key, row, now) =>
      Effect.suspend(() => {
        const rows = bots.add(bot)
        if (rows === undefined) return bots.full("putCheckpoint")
        const put = rows.checkpoints.put(key, row, now)
        return put === "accepted" ? accepted : put === "refused" ? refused : noRoom("putCheckpoint")
      }),
    raiseFence: (bot, key, fence) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const rows = bots.add(bot)
        if (rows === undefined) return bots.full("raiseFence")
        const stands = rows.checkpoints.raise(key, fence, now)
        return stands === "full" ? noRoom("raiseFence") : Effect.succeed(stands)
      }),
    checkpoints: (bot, { after, limit, now }) =>
      Effect.sync(() => bots.find(bot)?.checkpoints.page(limit, after, now) ?? { items: [] }),
    due: (bot, { before, limit, now }) => Effect.sync(() => bots.find(bot)?.checkpoints.due(before, limit, now) ?? [])
  }
}

const fieldMethods = (
  bots: Bots,
  caps: Caps
): Pick<StoreDriver, "setProfile" | "setHandoff" | "getValue" | "setValue" | "takeValue" | "putValue"> => ({
  setProfile: (bot, userId, field, json) =>
    Effect.suspend(() => {
      const rows = bots.add(bot)
      if (rows === undefined) return bots.full("setProfile")
      const fields = rows.profiles.rows.get(userId)
      if (json === null) {
        if (fields?.delete(field) === true && fields.size === 0) rows.profiles.rows.delete(userId)
        return Effect.void
      }
      if (fields === undefined) {
        return rows.profiles.set(userId, new Map([[field, json]]), 0)
          ? Effect.void
          : full("setProfile", "profiles", "maxProfiles", caps.maxProfiles)
      }
      if (fields.size >= caps.maxProfileFields && !fields.has(field))
        return full("setProfile", "fields a profile", "maxProfileFields", caps.maxProfileFields, "invalid")
      fields.set(field, json)
      return Effect.void
    }),
  setHandoff: (bot, chatId, json) =>
    Effect.suspend(() => {
      const rows = bots.add(bot)
      if (rows === undefined) return bots.full("setHandoff")
      if (json === null) rows.handoffs.rows.delete(chatId)
      else if (!rows.handoffs.set(chatId, json, 0))
        return full("setHandoff", "handoffs", "maxHandoffs", caps.maxHandoffs)
      return Effect.void
    }),
  getValue: (bot, key) => Effect.sync(() => bots.find(bot)?.values.rows.get(key)),
  setValue: (bot, key, value, expires) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const rows = bots.add(bot)
      if (rows === undefined) return bots.full("setValue")
      if (value === null) rows.values.rows.delete(key)
      else if (!rows.values.set(key, { value, expires }, now))
        return full("setValue", "values", "maxValues", caps.maxValues)
      return Effect.void
    }),
  takeValue: (bot, key, fence, now) =>
    Effect.suspend(() => {
      const rows = bots.add(bot)
      if (rows === undefined) return bots.full("takeValue")
      const stands = rows.fenced.rows.get(key)
      if (stands !== undefined && stands.fence >= fence) return Effect.succeed(stands)
      const { expires = now, value = null } = stands ?? {}
      // The fence of what is gone, or of nothing, stands an hour from now.
      const row = { fence, value, expires: value !== null && expires === null ? null : Math.max(expires ?? now, now) }
      return rows.fenced.set(key, row, now)
        ? Effect.succeed(row)
        : full("takeValue", "values", "maxValues", caps.maxValues)
    }),
  putValue: (bot, key, row, now) =>
    Effect.suspend(() => {
      const rows = bots.add(bot)
      if (rows === undefined) return bots.full("putValue")
      const stands = rows.fenced.rows.get(key)
      if (stands !== undefined && stands.fence > row.fence) return Effect.succeed(stands.fence)
      return rows.fenced.set(key, row.value === null ? { ...row, expires: now } : row, now)
        ? Effect.succeed(row.fence)
        : full("putValue", "values", "maxValues", caps.maxValues)
    })
})

/**
 * A driver over its own empty maps. Every method is synchronous: no other fiber runs between its compare and its write.
 *
 * @throws RangeError when an option is not a whole number from 1 on
 *
 * Source: H memory
 */
export const make = (options: MemoryStoreOptions = {}): StoreDriver => {
  const caps = capsOf(options)
  const bots = makeBots(caps)
  return {
    name,
    persistent: false,
    ...chatMethods(bots),
    ...keyMethods(bots),
    ...checkpointMethods(bots, caps),
    ...fieldMethods(bots, caps)
  }
}

/** A `Store` in memory; each build starts empty. Dies with a `RangeError` on an option out of range. Source: H memory. */
export const layer = (options: MemoryStoreOptions = {}): Layer.Layer<Store> =>
  Layer.sync(Store, () => fromDriver(make(options)))
