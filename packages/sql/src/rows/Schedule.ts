/** The schedule driver on whatever runs a script in one transaction. */
import { type ScheduleDriver, ScheduleStoreError } from "@botmesh/core/spi"
import { Effect } from "effect"
import type { Scripts } from "./Durability.ts"
import { dueJobs, listJobs, readJob, writeJob } from "./Jobs.ts"
import type { Script } from "./Script.ts"

export const scheduleDriver = (name: string, persistent: boolean, scripts: Scripts): ScheduleDriver => {
  const run = <A>(
    by: keyof Scripts,
    operation: string,
    script: () => Script<A>
  ): Effect.Effect<A, ScheduleStoreError> =>
    Effect.mapError(
      scripts[by](operation, script),
      ({ detail, reason }) => new ScheduleStoreError({ operation, reason, detail })
    )
  return {
    name,
    persistent,
    read: (bot, id) => run("read", "read", () => readJob(bot, id)),
    writeIf: (bot, id, expected, row) => run("transact", "write", () => writeJob(bot, id, expected, row)),
    list: (bot, { after, limit }) => run("read", "list", () => listJobs(bot, limit, after)),
    due: (bot, { before, limit }) => run("read", "due", () => dueJobs(bot, before, limit))
  }
}
