/** The schedule driver on whatever runs a script in one transaction. */
import { type ScheduleDriver, ScheduleStoreError } from "@botmesh/core/spi"
import { Effect } from "effect"
import type { Transact } from "./Durability.ts"
import { dueJobs, listJobs, readJob, writeJob } from "./Jobs.ts"
import type { Script } from "./Script.ts"

export const scheduleDriver = (name: string, persistent: boolean, transact: Transact): ScheduleDriver => {
  const run = <A>(operation: string, script: () => Script<A>): Effect.Effect<A, ScheduleStoreError> =>
    Effect.mapError(
      transact(operation, script),
      ({ detail, reason }) => new ScheduleStoreError({ operation, reason, detail })
    )
  return {
    name,
    persistent,
    read: (bot, id) => run("read", () => readJob(bot, id)),
    writeIf: (bot, id, expected, row) => run("write", () => writeJob(bot, id, expected, row)),
    list: (bot, { after, limit }) => run("list", () => listJobs(bot, limit, after)),
    due: (bot, { before, limit }) => run("due", () => dueJobs(bot, before, limit))
  }
}
