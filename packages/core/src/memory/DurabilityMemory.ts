/**
 * Durability in memory, as strict as one on a disk: rows are kept encoded, every structure is bounded, and a restart
 * forgets it all. For tests, the simulator, and as the reference of what a backend does.
 */
import { Clock, Effect, Layer } from "effect"
import { Durability, DurabilityError } from "../spi/Durability.ts"
import { fromDriver } from "../spi/durability/fromDriver.ts"
import type { DurabilityDriver, InboxDriver, OutboxDriver } from "../spi/DurabilityDriver.ts"
import type { BotScope } from "../spi/Store.ts"
import { InboxRows } from "./InboxRows.ts"
import { KeyRows } from "./KeyRows.ts"
import { OutboxRows } from "./OutboxRows.ts"

/** How much is kept, per bot. A write that finds no room fails with a `DurabilityError` `busy`. */
export interface DurabilityMemoryOptions {
  /** Open and dead records of the inbox. Default 100,000. */
  readonly maxRecords?: number
  /** Messages that are remembered so that a repeat is told. Default 1,000,000. */
  readonly maxMarks?: number
  /** Sends of the outbox, also those that went out in the last seven days. Default 1,000,000. */
  readonly maxSends?: number
  /** Conversation keys with open records, unfinished sends or a fence. Default 1,000,000. */
  readonly maxKeys?: number
  /** Bots. Default 10,000. */
  readonly maxBots?: number
}

type Caps = Required<DurabilityMemoryOptions>

const defaults: Caps = {
  maxRecords: 100_000,
  maxMarks: 1_000_000,
  maxSends: 1_000_000,
  maxKeys: 1_000_000,
  maxBots: 10_000
}

interface BotRows {
  readonly keys: KeyRows
  readonly inbox: InboxRows
  readonly outbox: OutboxRows
}

const full = (operation: string) =>
  Effect.fail(
    new DurabilityError({
      operation,
      reason: "busy",
      detail: "there is no room in memory: raise its limits, or use a backend on a disk"
    })
  )

const capsOf = (options: DurabilityMemoryOptions): Caps => {
  const caps = { ...defaults, ...options }
  for (const [option, cap] of Object.entries(caps)) {
    if (!Number.isInteger(cap) || cap < 1)
      throw new RangeError(`DurabilityMemory: ${option} must be a whole number from 1 on, got ${cap}`)
  }
  return caps
}

type Use = <A>(
  operation: string,
  bot: BotScope,
  f: (rows: BotRows, now: number) => A | "full"
) => Effect.Effect<A, DurabilityError>

const makeUse = (caps: Caps): Use => {
  const bots = new Map<BotScope, BotRows>()
  const rowsOf = (bot: BotScope): BotRows | undefined => {
    const found = bots.get(bot)
    if (found !== undefined) return found
    if (bots.size >= caps.maxBots) return undefined
    const keys = new KeyRows(caps.maxKeys)
    const rows = { keys, inbox: new InboxRows(keys, caps), outbox: new OutboxRows(keys, caps.maxSends) }
    bots.set(bot, rows)
    return rows
  }
  return (operation, bot, f) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const rows = rowsOf(bot)
      const result = rows === undefined ? "full" : f(rows, now)
      return result === "full" ? full(operation) : Effect.succeed(result)
    })
}

const inboxDriver = (use: Use): InboxDriver => ({
  record: (bot, key, row, now) => use("record", bot, ({ inbox }) => inbox.record(key, row, now)),
  claim: (bot, key, by, now) => use("claim", bot, ({ inbox }) => inbox.claim(key, by, now)),
  ack: (bot, key, id, fence, now) => use("ack", bot, ({ inbox }) => inbox.ack(key, id, fence, now)),
  release: (bot, key, id, options) => use("release", bot, ({ inbox }) => inbox.release(key, id, options)),
  dead: (bot, key, id, fence, { detail, reason }, now) =>
    use("dead", bot, ({ inbox }) => inbox.deadLetter(key, id, fence, reason, detail, now)),
  due: (bot, { after, before, limit }) => use("due", bot, ({ inbox }) => inbox.due(before, limit, after)),
  list: (bot, options) => use("list", bot, ({ inbox }) => inbox.list(options)),
  find: (bot, key, id) => use("find", bot, ({ inbox }) => inbox.find(key, id)),
  requeue: (bot, key, id) => use("requeue", bot, ({ inbox }, now) => inbox.requeue(key, id, now)),
  drop: (bot, key, id) => use("drop", bot, ({ inbox }, now) => inbox.drop(key, id, now)),
  counts: (bot) => use("counts", bot, ({ inbox }) => inbox.counts())
})

const outboxDriver = (use: Use): OutboxDriver => ({
  plan: (bot, lane, fence, sends, now) => use("plan", bot, ({ outbox }) => outbox.plan(lane, fence, sends, now)),
  attempt: (bot, lane, by, now) => use("attempt", bot, ({ outbox }) => outbox.attempt(lane, by, now)),
  report: (bot, lane, id, token, report, now) =>
    use("report", bot, ({ outbox }) => outbox.report(lane, id, token, report, now)),
  decide: (bot, lane, id, decision, now) => use(decision, bot, ({ outbox }) => outbox.decide(lane, id, decision, now)),
  due: (bot, { after, before, limit }) => use("due", bot, ({ outbox }) => outbox.due(before, limit, after)),
  list: (bot, { after, limit, state }) => use("list", bot, ({ outbox }, now) => outbox.list(state, limit, after, now)),
  find: (bot, lane, id) => use("find", bot, ({ outbox }, now) => outbox.find(lane, id, now)),
  counts: (bot) => use("counts", bot, ({ outbox }) => outbox.counts())
})

/**
 * A driver over its own empty maps.
 *
 * @throws RangeError when an option is not a whole number from 1 on
 *
 * Source: D3 memory
 */
export const make = (options: DurabilityMemoryOptions = {}): DurabilityDriver => {
  const use = makeUse(capsOf(options))
  return {
    name: "memory",
    inbox: inboxDriver(use),
    outbox: outboxDriver(use),
    raiseFence: (bot, key, fence, now) =>
      use("raiseFence", bot, ({ keys }) => {
        const row = keys.take(key, now)
        if (row === undefined) return "full"
        keys.raise(row, Math.max(row.fence, fence), now)
        return undefined
      })
  }
}

/** Durability in memory; each build starts empty. Dies with a `RangeError` on an option out of range. Source: D3 memory. */
export const layer = (options: DurabilityMemoryOptions = {}): Layer.Layer<Durability> =>
  Layer.sync(Durability, () => fromDriver(make(options)))
