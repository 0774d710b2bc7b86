/** A schedule store in memory: durable jobs for tests, and for bots whose jobs need not outlive them. */
import { Effect, Layer } from "effect"
import { fromDriver } from "../spi/schedule/fromDriver.ts"
import type { JobRow, ScheduleDriver } from "../spi/ScheduleDriver.ts"
import { ScheduleStore, ScheduleStoreError } from "../spi/ScheduleStore.ts"
import type { BotScope } from "../spi/Store.ts"

export interface MemoryScheduleStoreOptions {
  /** Jobs of one bot. Default 10,000; then `busy`. */
  readonly maxJobs?: number
  /** Bots. Default 10,000; then `busy`. */
  readonly maxBots?: number
}

const full = (detail: string) => Effect.fail(new ScheduleStoreError({ operation: "write", reason: "busy", detail }))

const isSame = (stands: JobRow | undefined, row: JobRow | null): boolean =>
  row === null
    ? stands === undefined
    : stands?.revision === row.revision && stands.data === row.data && stands.due === row.due

/** A driver over its own empty maps. Source: D4 memory. */
export const make = ({ maxBots = 10_000, maxJobs = 10_000 }: MemoryScheduleStoreOptions = {}): ScheduleDriver => {
  const bots = new Map<BotScope, Map<string, JobRow>>()
  const rowsOf = (bot: BotScope): ReadonlyMap<string, JobRow> => bots.get(bot) ?? new Map<string, JobRow>()
  return {
    name: "memory",
    persistent: false,
    read: (bot, id) => Effect.sync(() => rowsOf(bot).get(id)),
    writeIf: (bot, id, expected, row) =>
      Effect.suspend(() => {
        const jobs = bots.get(bot)
        const stands = jobs?.get(id)
        if (isSame(stands, row)) return Effect.succeed(true)
        if ((stands?.revision ?? null) !== expected) return Effect.succeed(false)
        if (row === null) {
          jobs?.delete(id)
          if (jobs?.size === 0) bots.delete(bot)
          return Effect.succeed(true)
        }
        if (jobs === undefined) {
          if (bots.size >= maxBots) return full(`there is no room for more than ${maxBots} bots: raise maxBots`)
          bots.set(bot, new Map([[id, row]]))
          return Effect.succeed(true)
        }
        if (stands === undefined && jobs.size >= maxJobs)
          return full(`there is no room for more than ${maxJobs} jobs: raise maxJobs`)
        jobs.set(id, row)
        return Effect.succeed(true)
      }),
    list: (bot, { after, limit }) =>
      Effect.sync(() => {
        const all = [...rowsOf(bot)]
          .map(([id, row]) => ({ id, row }))
          .filter(({ id }) => after === undefined || id > after)
          .sort((a, b) => (a.id < b.id ? -1 : 1))
        const items = all.slice(0, limit)
        const last = items.at(-1)
        return all.length > limit && last !== undefined ? { items, next: last.id } : { items }
      }),
    due: (bot, { before, limit }) =>
      Effect.sync(() =>
        [...rowsOf(bot)]
          .flatMap(([id, row]) => (row.due !== null && row.due <= before ? [{ id, row, due: row.due }] : []))
          .sort((a, b) => a.due - b.due)
          .slice(0, limit)
          .map(({ id, row }) => ({ id, row }))
      )
  }
}

/** A `ScheduleStore` in memory; each build starts empty. Source: D4 memory. */
export const layer = (options: MemoryScheduleStoreOptions = {}): Layer.Layer<ScheduleStore> =>
  Layer.sync(ScheduleStore, () => fromDriver(make(options)))
