/** The durability driver on whatever runs a script in one transaction. */
import { type DurabilityDriver, DurabilityError, type StoreError } from "@botmesh/core/spi"
import { Clock, Effect } from "effect"
import * as Inbox from "./Inbox.ts"
import * as Keys from "./Keys.ts"
import * as Outbox from "./Outbox.ts"
import type { Script } from "./Script.ts"

type RunScript = <A>(operation: string, script: () => Script<A>) => Effect.Effect<A, StoreError>

/** What runs scripts. */
export interface Scripts {
  /** Runs all of a script or nothing of it. */
  readonly transact: RunScript
  /** Runs one that only reads. */
  readonly read: RunScript
}

export const durabilityDriver = (name: string, scripts: Scripts): DurabilityDriver => {
  const named =
    (by: RunScript) =>
    <A>(operation: string, script: () => Script<A>): Effect.Effect<A, DurabilityError> =>
      Effect.mapError(by(operation, script), ({ detail, reason }) => new DurabilityError({ operation, reason, detail }))
  const run = named(scripts.transact)
  const look = named(scripts.read)
  const timed = <A>(operation: string, script: (now: number) => Script<A>): Effect.Effect<A, DurabilityError> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => run(operation, () => script(now)))
  const seen = <A>(operation: string, script: (now: number) => Script<A>): Effect.Effect<A, DurabilityError> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => look(operation, () => script(now)))
  return {
    name,
    inbox: {
      record: (...given) => run("record", () => Inbox.record(...given)),
      claim: (...given) => run("claim", () => Inbox.claim(...given)),
      ack: (...given) => run("ack", () => Inbox.ack(...given)),
      release: (...given) => run("release", () => Inbox.release(...given)),
      dead: (...given) => run("dead", () => Inbox.dead(...given)),
      due: (bot, { after, before, limit }) => look("due", () => Inbox.dueKeys(bot, before, limit, after)),
      list: (bot, options) => look("list", () => Inbox.listRecords(bot, options)),
      find: (bot, key, id) => look("find", () => Inbox.findRecord(bot, key, id)),
      requeue: (bot, key, id) => timed("requeue", (now) => Inbox.requeue(bot, key, id, now)),
      drop: (bot, key, id) => timed("drop", (now) => Inbox.drop(bot, key, id, now)),
      counts: (bot) => look("counts", () => Inbox.countRecords(bot))
    },
    outbox: {
      plan: (...given) => run("plan", () => Outbox.plan(...given)),
      attempt: (...given) => run("attempt", () => Outbox.attempt(...given)),
      report: (...given) => run("report", () => Outbox.report(...given)),
      decide: (bot, lane, id, decision, now) => run(decision, () => Outbox.decide(bot, lane, id, decision, now)),
      due: (bot, { after, before, limit }) => look("due", () => Outbox.dueLanes(bot, before, limit, after)),
      list: (bot, { after, limit, state }) => seen("list", (now) => Outbox.listSends(bot, state, limit, after, now)),
      find: (bot, lane, id) => seen("find", (now) => Outbox.findSend(bot, lane, id, now)),
      counts: (bot) => look("counts", () => Outbox.countSends(bot))
    },
    raiseFence: (bot, key, fence, now) => run("raiseFence", () => Keys.raise(bot, key, fence, now))
  }
}
