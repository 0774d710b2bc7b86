/**
 * Durable jobs on Redis. A bot's jobs stand on one node of a Cluster:
 *
 *   {prefix:bot:jobs}:rows  hash, id → revision, due and data · :ids zset in the order of ids · :due zset by due
 */
import {
  type BotScope,
  type JobRow,
  type ScheduleDriver,
  ScheduleStore,
  ScheduleStoreError,
  scheduleStoreFromDriver
} from "@botmesh/core/spi"
import { Effect, Layer } from "effect"
import type { RedisError } from "./client/RedisError.ts"
import { writeJob } from "./lua/scripts.generated.ts"
import { Redis, type RedisShape } from "./Redis.ts"
import { patiently, reasons } from "./store/Ask.ts"

const ask = <A>(operation: string, act: Effect.Effect<A, RedisError>): Effect.Effect<A, ScheduleStoreError> =>
  Effect.mapError(
    patiently(act),
    ({ detail, reason }) => new ScheduleStoreError({ operation, reason: reasons[reason], detail })
  )

const rowForm = /^(\d+) (\d*) ([\s\S]*)$/u
const readRow = (value: unknown): JobRow | undefined => {
  const [, revision, due, data] = rowForm.exec(String(value)) ?? []
  return data === undefined ? undefined : { revision: Number(revision), due: due === "" ? null : Number(due), data }
}

interface Named {
  readonly id: string
  readonly row: JobRow
}

const driver = (redis: RedisShape): ScheduleDriver => {
  const keysOf = (bot: BotScope) => {
    const tag = `{${redis.prefix}:${encodeURIComponent(bot)}:jobs}`
    return { rows: `${tag}:rows`, ids: `${tag}:ids`, due: `${tag}:due` }
  }
  const named = (rows: string, ids: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Named>, RedisError> =>
    ids.length === 0
      ? Effect.succeed([])
      : Effect.map(redis.command("HMGET", rows, ...ids), (reply) =>
          ids.flatMap((id, at) => {
            // One that was removed since it was listed is none.
            const row = Array.isArray(reply) ? readRow(reply[at]) : undefined
            return row === undefined ? [] : [{ id, row }]
          })
        )
  const ids = (reply: unknown): ReadonlyArray<string> => (Array.isArray(reply) ? reply.map(String) : [])
  return {
    name: "redis",
    persistent: true,
    read: (bot, id) =>
      ask(
        "read",
        Effect.map(redis.command("HGET", keysOf(bot).rows, id), (value) =>
          value === null ? undefined : readRow(value)
        )
      ),
    writeIf: (bot, id, expected, row) => {
      const values = {
        revision: row?.revision ?? "",
        at: typeof row?.due === "number" ? Math.ceil(row.due) : "",
        data: row?.data ?? ""
      }
      const args = { id, expected: expected ?? "", ...values, deletes: row === null ? 1 : 0 }
      return ask(
        "write",
        Effect.map(redis.run(writeJob, keysOf(bot), args), (reply) => reply === 1)
      )
    },
    list: (bot, { after, limit }) =>
      ask(
        "list",
        Effect.gen(function* () {
          const keys = keysOf(bot)
          const from = after === undefined ? "-" : `(${after}`
          const found = ids(yield* redis.command("ZRANGEBYLEX", keys.ids, from, "+", "LIMIT", 0, limit + 1))
          const taken = found.slice(0, limit)
          const items = yield* named(keys.rows, taken)
          const last = found.length > limit ? taken.at(-1) : undefined
          return last === undefined ? { items } : { items, next: last }
        })
      ),
    due: (bot, { before, limit }) =>
      ask(
        "due",
        Effect.gen(function* () {
          const keys = keysOf(bot)
          const found = yield* redis.command("ZRANGEBYSCORE", keys.due, "-inf", before, "LIMIT", 0, limit)
          return yield* named(keys.rows, ids(found))
        })
      )
  }
}

/** A driver on the client. Source: D4 */
export const make: Effect.Effect<ScheduleDriver, never, Redis> = Effect.map(Redis, driver)

/** Durable jobs on Redis. Source: D4 */
export const layer: Layer.Layer<ScheduleStore, never, Redis> = Layer.effect(
  ScheduleStore,
  Effect.map(make, scheduleStoreFromDriver)
)
