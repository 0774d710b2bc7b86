import { type BotScope, decidable, type Decision, fenceTtl, markTtl, type OutboxDriver } from "@botmesh/core/spi"
import { Clock, Effect } from "effect"
import { attemptSend, decideSend, planSends, reportSend } from "../lua/scripts.generated.ts"
import type { RedisShape } from "../Redis.ts"
import type { DurabilityKeys } from "./Keys.ts"
import { type Ask, countPart, duePage, fetchRows, placePage } from "./Lists.ts"
import { attemptedRow, planRows, sendRow, writeDetail } from "./Replies.ts"

const lost = "the attempt ended without a word"
const next = { resend: "planned", hold: "held", requeue: "planned", drop: "dropped" } as const satisfies Record<
  Decision,
  string
>
const gone = ["refused", "dead", "held"] as const

export const outboxDriver = (redis: RedisShape, ask: Ask, keysOf: (bot: BotScope) => DurabilityKeys): OutboxDriver => {
  const own = (bot: BotScope, lane: string) => keysOf(bot).of(lane).sendKeys(lane)
  const yes = (reply: unknown): boolean => reply === 1
  const hash = (bot: BotScope) => (lane: string) => keysOf(bot).of(lane).sends(lane)
  return {
    plan: (bot, lane, fence, sends, now) =>
      ask(
        "plan",
        Effect.map(redis.run(planSends, own(bot, lane), { key: lane, fence, now, fenceTtl, markTtl }, sends), planRows)
      ),
    attempt: (bot, lane, { token, until }, now) => {
      const args = { key: lane, token, deadline: until, lost, now, fenceTtl, markTtl }
      return ask(
        "attempt",
        Effect.map(redis.run(attemptSend, own(bot, lane), args), (reply) => attemptedRow(lane, reply))
      )
    },
    report: (bot, lane, id, token, { detail, due, receipt, tag }, now) => {
      const said = { report: tag, receipt: receipt ?? "", detail: writeDetail(detail), later: due }
      const args = { key: lane, id, token, ...said, now, fenceTtl, markTtl }
      return ask("report", Effect.map(redis.run(reportSend, own(bot, lane), args), yes))
    },
    decide: (bot, lane, id, decision, now) => {
      const allowed = ` ${[...decidable[decision]].join(" ")} `
      const args = { key: lane, id, decision, allowed, next: next[decision], now, fenceTtl, markTtl }
      return ask(decision, Effect.map(redis.run(decideSend, own(bot, lane), args), yes))
    },
    due: (bot, options) =>
      ask(
        "due",
        Effect.map(
          duePage(redis, keysOf(bot), (part) => part.outboxDue, options),
          (page) => {
            const items = page.items.map(({ due, key }) => ({ lane: key, due }))
            return page.next === undefined ? { items } : { items, next: page.next }
          }
        )
      ),
    list: (bot, { state, ...options }) =>
      ask(
        "list",
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const prefix = `${state} `
          const page = yield* placePage(redis, keysOf(bot), (part) => part.sendIndex, { ...options, prefix })
          const rows = yield* fetchRows(redis, page.items, hash(bot), "c", sendRow)
          // One that ended, or moved on since it was listed, is none of these.
          const items = rows.flatMap(([row, ends]) =>
            row.state === state && (ends === null || ends > now) ? [row] : []
          )
          return page.next === undefined ? { items } : { items, next: page.next }
        })
      ),
    find: (bot, lane, id) =>
      ask(
        "find",
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const [found] = yield* fetchRows(redis, [{ key: lane, id }], hash(bot), "c", sendRow)
          return found === undefined || (found[1] !== null && found[1] <= now) ? undefined : found[0]
        })
      ),
    counts: (bot) =>
      ask(
        "counts",
        countPart(
          redis,
          keysOf(bot),
          (part) => gone.map((state) => ["ZLEXCOUNT", part.sendIndex, `[${state} `, `(${state} \u007f`]),
          (part) => part.outboxAge
        )
      )
  }
}
