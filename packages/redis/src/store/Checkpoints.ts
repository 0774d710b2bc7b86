import { type BotScope, type CheckpointRow, fenceTtl, type StoreDriver } from "@botmesh/core/spi"
import { Clock, Effect } from "effect"
import type { RedisError } from "../client/RedisError.ts"
import { forgetKey, putCheckpoint, raiseFence } from "../lua/scripts.generated.ts"
import type { RedisShape } from "../Redis.ts"
import type { Ask } from "./Ask.ts"
import type { BotKeys, PartKeys } from "./Keys.ts"

const fields = ["id", "revision", "fence", "expires", "data", "applied", "wakeAt"] as const

/** The command that reads a row. */
export const readRow = (part: PartKeys, key: string) => ["HMGET", part.row(key), ...fields] as const

const text = (value: unknown): string | null => (typeof value === "string" ? value : null)
const number = (value: unknown): number | null => (typeof value === "string" ? Number(value) : null)

export const checkpointRow = (reply: unknown): CheckpointRow | undefined => {
  if (!Array.isArray(reply) || typeof reply[0] !== "string") return undefined
  const [id, revision, fence, expires, data, applied, wakeAt]: ReadonlyArray<unknown> = reply
  return {
    id: String(id),
    revision: Number(revision),
    fence: Number(fence),
    expires: number(expires),
    data: text(data),
    applied: text(applied) ?? "[]",
    wakeAt: number(wakeAt)
  }
}

const isLive = (row: CheckpointRow | undefined, now: number): row is CheckpointRow =>
  row !== undefined && row.data !== null && (row.expires === null || row.expires > now)

/** RESP3 pairs members with their scores, RESP2 does not. */
const strings = (reply: unknown): ReadonlyArray<string> => (Array.isArray(reply) ? reply.flat().map(String) : [])

/** As Redis orders the members of a set: by their bytes. */
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** How often `due` looks again after it met only keys whose rows had ended. */
const looks = 20

type Methods = Pick<StoreDriver, "getCheckpoint" | "putCheckpoint" | "raiseFence" | "checkpoints" | "due">

export const checkpointMethods = (redis: RedisShape, ask: Ask, keysOf: (bot: BotScope) => BotKeys): Methods => {
  const own = (part: PartKeys, key: string) => ({
    row: part.row(key),
    index: part.index,
    due: part.due,
    ending: part.ending
  })
  const everyPart = <A>(bot: BotScope, each: (part: PartKeys) => Effect.Effect<A, RedisError>) =>
    Effect.forEach(keysOf(bot).all, each, { concurrency: "unbounded" })
  const rowsOf = (keys: BotKeys, found: ReadonlyArray<string>) =>
    Effect.forEach(
      found,
      (key) =>
        Effect.map(redis.command(...readRow(keys.of(key), key)), (reply) => ({ key, row: checkpointRow(reply) })),
      { concurrency: 64 }
    )
  const forget = (keys: BotKeys, key: string, now: number) =>
    redis.run(forgetKey, own(keys.of(key), key), { key, now, fenceTtl })

  return {
    getCheckpoint: (bot, key) =>
      ask("getCheckpoint", Effect.map(redis.command(...readRow(keysOf(bot).of(key), key)), checkpointRow)),
    putCheckpoint: (bot, key, row, now) => {
      const { applied, data, fence, id, revision } = row
      const times = { expires: row.expires ?? "", wakeAt: row.wakeAt ?? "", now, fenceTtl }
      const written = { key, id, revision, fence, applied, live: data === null ? 0 : 1, data: data ?? "", ...times }
      const put = redis.run(putCheckpoint, own(keysOf(bot).of(key), key), written)
      return ask(
        "putCheckpoint",
        Effect.map(put, (reply) => reply === 1)
      )
    },
    raiseFence: (bot, key, fence) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        ask(
          "raiseFence",
          Effect.map(redis.run(raiseFence, own(keysOf(bot).of(key), key), { key, fence, now, fenceTtl }), Number)
        )
      ),
    checkpoints: (bot, { after, limit, now }) => {
      const keys = keysOf(bot)
      const from = after === undefined ? "-" : `(${after}`
      const page = Effect.gen(function* () {
        const lists = yield* everyPart(bot, (part) =>
          redis.command("ZRANGEBYLEX", part.index, from, "+", "LIMIT", 0, limit + 1)
        )
        const all = lists.flatMap(strings).sort(byBytes)
        const taken = all.slice(0, limit)
        const rows = yield* rowsOf(keys, taken)
        const dead = rows.filter(({ row }) => row === undefined)
        yield* Effect.forEach(dead, ({ key }) => forget(keys, key, now), { concurrency: 64, discard: true })
        const items = rows.flatMap(({ key, row }) => (isLive(row, now) ? [{ key, row }] : []))
        const last = taken.at(-1)
        return all.length > limit && last !== undefined ? { items, next: last } : { items }
      })
      return ask("checkpoints", page)
    },
    due: (bot, { before, limit, now }) => {
      const keys = keysOf(bot)
      const look = Effect.gen(function* () {
        const lists = yield* everyPart(bot, (part) =>
          redis.command("ZRANGEBYSCORE", part.due, "-inf", before, "WITHSCORES", "LIMIT", 0, limit)
        )
        const all = lists.flatMap((reply) => {
          const flat = strings(reply)
          return Array.from({ length: flat.length / 2 }, (_, at) => ({
            key: flat[2 * at] ?? "",
            wakeAt: Number(flat[2 * at + 1])
          }))
        })
        const taken = all.sort((a, b) => a.wakeAt - b.wakeAt).slice(0, limit)
        const rows = yield* rowsOf(
          keys,
          taken.map(({ key }) => key)
        )
        const live = new Set(rows.flatMap(({ key, row }) => (isLive(row, now) ? [key] : [])))
        const dead = taken.filter(({ key }) => !live.has(key))
        yield* Effect.forEach(dead, ({ key }) => forget(keys, key, now), { concurrency: 64, discard: true })
        return { found: taken.filter(({ key }) => live.has(key)), isDone: dead.length === 0 }
      })
      // Dead entries take places of living ones only until they were met once.
      const looked = Effect.repeat(look, { until: ({ isDone }) => isDone, times: looks })
      return ask(
        "due",
        Effect.map(looked, ({ found }) => found)
      )
    }
  }
}
