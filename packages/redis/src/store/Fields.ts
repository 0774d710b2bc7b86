import { type BotScope, fenceTtl, type KeyRows, type StoreDriver } from "@botmesh/core/spi"
import { Clock, Effect } from "effect"
import { putValue, takeValue } from "../lua/scripts.generated.ts"
import type { RedisShape } from "../Redis.ts"
import type { Ask } from "./Ask.ts"
import { checkpointRow, readRow } from "./Checkpoints.ts"
import type { BotKeys } from "./Keys.ts"

/** ms: Redis drops a value this long after its end, so that its clock and ours may differ. */
const grace = 60 * 60_000

const pairs = (reply: unknown): KeyRows["profile"] => {
  const flat = Array.isArray(reply) ? reply.map(String) : []
  return Array.from({ length: flat.length / 2 }, (_, at) => [flat[2 * at] ?? "", flat[2 * at + 1] ?? ""] as const)
}
const text = (reply: unknown): string | null => (typeof reply === "string" ? reply : null)

/** Its end, or nothing, and a line break before the value. */
const readValue = (reply: unknown) => {
  const stored = text(reply)
  if (stored === null) return undefined
  const at = stored.indexOf("\n")
  return { value: stored.slice(at + 1), expires: at === 0 ? null : Number(stored.slice(0, at)) }
}

const fencedRow = (reply: unknown) => {
  const [fence, value, expires]: ReadonlyArray<unknown> = Array.isArray(reply) ? reply : []
  return { fence: Number(fence), value: text(value), expires: text(expires) === null ? null : Number(expires) }
}

type Methods = Pick<
  StoreDriver,
  "open" | "profile" | "setProfile" | "handoff" | "setHandoff" | "getValue" | "setValue" | "takeValue" | "putValue"
>

export const fieldMethods = (redis: RedisShape, ask: Ask, keysOf: (bot: BotScope) => BotKeys): Methods => {
  /** Reads in one round trip; on a Cluster they go to several nodes at once. */
  const together = (commands: ReadonlyArray<readonly [string, ...ReadonlyArray<string>]>) =>
    redis.kind === "cluster"
      ? Effect.forEach(commands, (command) => redis.command(...command), { concurrency: "unbounded" })
      : redis.pipeline(commands)
  return {
    open: (bot, key, chatId, userId) => {
      const keys = keysOf(bot)
      const reads = together([
        ["HGET", keys.of(chatId).handoffs, chatId],
        ["HGETALL", keys.of(userId).profile(userId)],
        readRow(keys.of(key), key)
      ])
      const read = Effect.map(reads, ([handoff, profile, row]) => ({
        handoff: text(handoff),
        profile: pairs(profile),
        checkpoint: checkpointRow(row)
      }))
      return ask("open", read)
    },
    profile: (bot, userId) =>
      ask("profile", Effect.map(redis.command("HGETALL", keysOf(bot).of(userId).profile(userId)), pairs)),
    setProfile: (bot, userId, field, json) => {
      const profile = keysOf(bot).of(userId).profile(userId)
      const set = json === null ? redis.command("HDEL", profile, field) : redis.command("HSET", profile, field, json)
      return ask("setProfile", Effect.asVoid(set))
    },
    handoff: (bot, chatId) =>
      ask("handoff", Effect.map(redis.command("HGET", keysOf(bot).of(chatId).handoffs, chatId), text)),
    setHandoff: (bot, chatId, json) => {
      const { handoffs } = keysOf(bot).of(chatId)
      const set =
        json === null ? redis.command("HDEL", handoffs, chatId) : redis.command("HSET", handoffs, chatId, json)
      return ask("setHandoff", Effect.asVoid(set))
    },
    getValue: (bot, name) =>
      ask("getValue", Effect.map(redis.command("GET", keysOf(bot).of(name).value(name)), readValue)),
    setValue: (bot, name, value, expires) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const key = keysOf(bot).of(name).value(name)
        const ends = expires === null ? [] : ["PX", Math.ceil(Math.max(0, expires - now)) + grace]
        const set =
          value === null ? redis.command("DEL", key) : redis.command("SET", key, `${expires ?? ""}\n${value}`, ...ends)
        return ask("setValue", Effect.asVoid(set))
      }),
    takeValue: (bot, name, fence, now) => {
      const taken = redis.run(takeValue, { row: keysOf(bot).of(name).fenced(name) }, { fence, now, fenceTtl })
      return ask("takeValue", Effect.map(taken, fencedRow))
    },
    putValue: (bot, name, { expires, fence, value }, now) => {
      const row = { fence, live: value === null ? 0 : 1, value: value ?? "", expires: expires ?? "", now, fenceTtl }
      const put = redis.run(putValue, { row: keysOf(bot).of(name).fenced(name) }, row)
      return ask("putValue", Effect.map(put, Number))
    }
  }
}
