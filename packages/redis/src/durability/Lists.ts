/** Lists over all parts of a bot: what is due, records and sends by number, counts. */
import { DurabilityError, type Page, type Pending } from "@botmesh/core/spi"
import { Effect } from "effect"
import type { RedisError } from "../client/RedisError.ts"
import type { RedisShape } from "../Redis.ts"
import { patiently, reasons } from "../store/Ask.ts"
import type { DurabilityKeys, DurabilityPart } from "./Keys.ts"
import { list, strings } from "./Replies.ts"

export type Ask = <A>(operation: string, act: Effect.Effect<A, RedisError>) => Effect.Effect<A, DurabilityError>

/** Runs what is safe to repeat: a break or a failover is tried through for two seconds. */
export const ask: Ask = (operation, act) =>
  Effect.mapError(
    patiently(act),
    ({ detail, reason }) => new DurabilityError({ operation, reason: reasons[reason], detail })
  )

const everyPart = <A>(
  keys: DurabilityKeys,
  each: (part: DurabilityPart, number: number) => Effect.Effect<A, RedisError>
): Effect.Effect<ReadonlyArray<A>, RedisError> => Effect.forEach(keys.all, each, { concurrency: "unbounded" })

/** As Redis orders the members of a set: by their bytes. */
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

interface Due {
  readonly key: string
  readonly due: number
  readonly part: DurabilityPart
}

/**
 * Keys by when they are due, part after part. The cursor is the part and how many of it were given: a key that comes or
 * goes meanwhile may shift another one past it, which the next look finds.
 */
export const duePage = Effect.fnUntraced(function* (
  redis: RedisShape,
  keys: DurabilityKeys,
  zset: (part: DurabilityPart) => string,
  { after, before, limit }: { readonly before: number; readonly limit: number; readonly after?: string }
): Effect.fn.Return<Page<Due>, RedisError> {
  const [from = 0, given = 0] = (after ?? "0 0").split(" ").map(Number)
  const found = yield* everyPart(keys, (part, number) =>
    number < from
      ? Effect.succeed([])
      : Effect.map(
          redis.command(
            "ZRANGEBYSCORE",
            ...[zset(part), "-inf", before, "WITHSCORES", "LIMIT", number === from ? given : 0, limit + 1]
          ),
          (reply) => pairs(strings(reply)).map(([key, due]) => ({ key, due, part }))
        )
  )
  const items: Array<Due> = []
  for (const [number, rows] of found.entries()) {
    const room = limit - items.length
    items.push(...rows.slice(0, room))
    if (rows.length > room) return { items, next: `${number} ${(number === from ? given : 0) + room}` }
  }
  return { items }
})

const pairs = (flat: ReadonlyArray<string>): ReadonlyArray<readonly [string, number]> =>
  flat.flatMap((member, at) => (at % 2 === 0 ? [[member, Number(flat[at + 1])] as const] : []))

/** Where something stands in a list by number: its number, its key and its id. */
export interface Place {
  readonly key: string
  readonly id: string
}

/** Places in the order of their numbers, below a prefix; the cursor is the last place as it is stored. */
export const placePage = Effect.fnUntraced(function* (
  redis: RedisShape,
  keys: DurabilityKeys,
  zset: (part: DurabilityPart) => string,
  { after, limit, prefix }: { readonly prefix: string; readonly limit: number; readonly after?: string }
): Effect.fn.Return<Page<Place>, RedisError> {
  const from = after === undefined ? `[${prefix}` : `(${after}`
  const lists = yield* everyPart(keys, (part) =>
    Effect.map(redis.command("ZRANGEBYLEX", zset(part), from, `(${prefix}\u007f`, "LIMIT", 0, limit + 1), strings)
  )
  const all = lists.flat().sort(byBytes)
  const taken = all.slice(0, limit)
  const items = taken.map((member) => placeOf(member.slice(prefix.length)))
  const last = taken.at(-1)
  return all.length > limit && last !== undefined ? { items, next: last } : { items }
})

const placeOf = (text: string): Place => {
  const name = text.slice(text.indexOf(" ") + 1)
  const end = name.lastIndexOf("\u0000")
  return { key: name.slice(0, end), id: name.slice(end + 1) }
}

/** The value of two fields of each place's hash: what changes of it, and what does not. */
export const fetchRows = <A>(
  redis: RedisShape,
  places: ReadonlyArray<Place>,
  hash: (key: string) => string,
  fixed: "e" | "c",
  read: (key: string, values: ReadonlyArray<unknown>) => A
): Effect.Effect<ReadonlyArray<A>, RedisError> =>
  Effect.map(
    Effect.forEach(
      places,
      ({ id, key }) =>
        Effect.map(redis.command("HMGET", hash(key), `s${id}`, `${fixed}${id}`), (reply) => {
          const [packed, whole] = list(reply)
          // It has gone since it was listed.
          return typeof packed === "string" ? [read(key, [id, whole, ...list(JSON.parse(packed))])] : []
        }),
      { concurrency: 64 }
    ),
    (rows) => rows.flat()
  )

/** How many there are, and when the oldest of what is pending came. */
export const countPart = Effect.fnUntraced(function* (
  redis: RedisShape,
  keys: DurabilityKeys,
  count: (part: DurabilityPart) => ReadonlyArray<readonly [name: string, ...args: ReadonlyArray<string>]>,
  age: (part: DurabilityPart) => string
): Effect.fn.Return<Pending, RedisError> {
  const found = yield* everyPart(keys, (part) =>
    Effect.all(
      [
        Effect.forEach(count(part), (command) => redis.command(...command), { concurrency: "unbounded" }),
        Effect.map(redis.command("ZCARD", age(part)), Number),
        Effect.map(redis.command("ZRANGE", age(part), 0, 0, "WITHSCORES"), strings)
      ],
      { concurrency: "unbounded" }
    )
  )
  const dead = found.flatMap(([numbers]) => numbers.map(Number)).reduce((sum, n) => sum + n, 0)
  const pending = found.reduce((sum, [, n]) => sum + n, 0)
  const ages = found.flatMap(([, , [, score]]) => (score === undefined ? [] : [Number(score)]))
  return ages.length === 0 ? { pending, dead } : { pending, dead, oldest: Math.min(...ages) }
})
