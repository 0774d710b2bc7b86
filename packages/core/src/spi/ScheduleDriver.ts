/**
 * What the author of a schedule store implements: a row a job, compared and set. `scheduleStoreFromDriver` lifts it once;
 * the rules (SC1 to SC6) stand in pure code there, so every store decides the same way.
 */
import type { Effect } from "effect"
import type { ScheduleStoreError, ScheduleStoreShape } from "./ScheduleStore.ts"
import type { BotScope, Page } from "./Store.ts"

export interface JobRow {
  /** Grows with each write, also over a job's removal. */
  readonly revision: number
  /** When there is something to do, in ms since the epoch; null when nothing is. */
  readonly due: number | null
  /** JSON text. */
  readonly data: string
}

export interface ScheduleDriver extends Pick<ScheduleStoreShape, "name" | "persistent"> {
  readonly read: (bot: BotScope, id: string) => Effect.Effect<JobRow | undefined, ScheduleStoreError>
  /**
   * Writes the row if one of revision `expected` stands (null: if none stands); `row` null deletes it. One atomic
   * statement. The very row that stands already is a repeat after a lost reply, and accepted.
   */
  readonly writeIf: (
    bot: BotScope,
    id: string,
    expected: number | null,
    row: JobRow | null
  ) => Effect.Effect<boolean, ScheduleStoreError>
  /** By id. */
  readonly list: (
    bot: BotScope,
    options: { readonly limit: number; readonly after?: string }
  ) => Effect.Effect<Page<{ readonly id: string; readonly row: JobRow }>, ScheduleStoreError>
  /** Rows whose `due` is at or before `before`, the earliest first. */
  readonly due: (
    bot: BotScope,
    options: { readonly before: number; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<{ readonly id: string; readonly row: JobRow }>, ScheduleStoreError>
}
