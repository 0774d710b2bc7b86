import { type BotScope, crashDetail, crashesDead, fenceTtl, type InboxDriver, markTtl } from "@botmesh/core/spi"
import { Clock, Effect } from "effect"
import { claimRecord, decideRecord, recordInbox, signOff } from "../lua/scripts.generated.ts"
import type { RedisShape } from "../Redis.ts"
import { type Ask, countPart, duePage, fetchRows, placePage } from "./Lists.ts"
import type { DurabilityKeys } from "./Keys.ts"
import { claimedRow, inboxRow, list } from "./Replies.ts"

export const inboxDriver = (redis: RedisShape, ask: Ask, keysOf: (bot: BotScope) => DurabilityKeys): InboxDriver => {
  const own = (bot: BotScope, key: string) => keysOf(bot).of(key).recordKeys(key)
  const yes = (reply: unknown): boolean => reply === 1
  const sign = (
    operation: "ack" | "release" | "dead",
    bot: BotScope,
    key: string,
    given: { readonly id: string; readonly fence: number },
    more: { readonly failed?: boolean; readonly due?: number; readonly reason?: string; readonly detail?: string },
    now: number
  ) => {
    const { detail = "", due = 0, failed = false, reason = "" } = more
    const args = { ...given, act: operation, failed: failed ? 1 : 0, later: due, reason, detail }
    return ask(operation, Effect.map(redis.run(signOff, own(bot, key), { key, ...args, now, fenceTtl, markTtl }), yes))
  }
  const decide = (decision: "requeue" | "drop", bot: BotScope, key: string, id: string) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      ask(
        decision,
        Effect.map(redis.run(decideRecord, own(bot, key), { key, id, decision, now, fenceTtl, markTtl }), yes)
      )
    )
  return {
    record: (bot, key, row, now) =>
      ask(
        "record",
        Effect.map(redis.run(recordInbox, own(bot, key), { key, ...row, now, fenceTtl }), (reply) => {
          const [isNew, id] = list(reply)
          return { isNew: isNew === 1, id: String(id) }
        })
      ),
    claim: (bot, key, { fence, owner }, now) => {
      const args = { key, fence, owner, crashesDead, death: crashDetail(crashesDead), now, fenceTtl }
      return ask(
        "claim",
        Effect.map(redis.run(claimRecord, own(bot, key), args), (reply) => claimedRow(key, reply))
      )
    },
    ack: (bot, key, id, fence, now) => sign("ack", bot, key, { id, fence }, {}, now),
    release: (bot, key, id, { due, failed, fence }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => sign("release", bot, key, { id, fence }, { due, failed }, now)),
    dead: (bot, key, id, fence, death, now) => sign("dead", bot, key, { id, fence }, death, now),
    due: (bot, options) =>
      ask(
        "due",
        Effect.gen(function* () {
          const page = yield* duePage(redis, keysOf(bot), (part) => part.inboxDue, options)
          const items = yield* Effect.forEach(
            page.items,
            ({ due, key, part }) =>
              Effect.map(redis.command("HGET", part.keyRow(key), "owner"), (owner) =>
                typeof owner === "string" && owner !== "" ? { key, due, owner } : { key, due }
              ),
            { concurrency: 64 }
          )
          return page.next === undefined ? { items } : { items, next: page.next }
        })
      ),
    list: (bot, { state, ...options }) =>
      ask(
        "list",
        Effect.gen(function* () {
          const keys = keysOf(bot)
          const zset = state === "open" ? "openIndex" : "deadIndex"
          const page = yield* placePage(redis, keys, (part) => part[zset], { ...options, prefix: "" })
          const items = yield* fetchRows(redis, page.items, (key) => keys.of(key).inbox(key), "e", inboxRow)
          return page.next === undefined ? { items } : { items, next: page.next }
        })
      ),
    find: (bot, key, id) =>
      ask(
        "find",
        Effect.map(
          fetchRows(redis, [{ key, id }], () => keysOf(bot).of(key).inbox(key), "e", inboxRow),
          ([row]) => row
        )
      ),
    requeue: (bot, key, id) => decide("requeue", bot, key, id),
    drop: (bot, key, id) => decide("drop", bot, key, id),
    counts: (bot) =>
      ask(
        "counts",
        countPart(
          redis,
          keysOf(bot),
          (part) => [["ZCARD", part.deadIndex]],
          (part) => part.inboxAge
        )
      )
  }
}
