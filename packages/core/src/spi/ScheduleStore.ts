/**
 * Durable jobs: where each stands, so that every occurrence runs once however many replicas there are, and after all of
 * them restarted (D4). What a job does and when is the scheduler's; here it is opaque JSON (`spec`) and times.
 *
 * Invariants every store keeps (the conformance suite cites them):
 * SC1 a definition that is given again keeps the job where it stands; another `spec` or `policy` sets its next time anew.
 * SC2 an occurrence is taken by one of any number at once, and never again once it is finished.
 * SC3 a job has one run at a time; one whose `until` passed is taken over under its own time, and counted.
 * SC4 a fence never goes back: whoever leads under a lower one is refused (R5, I7).
 * SC5 only who runs it renews or finishes it; the same finish again is a repeat.
 * SC6 a paused job is not due; asked to run now it runs once, and its next time stays.
 */
import { Context, type Effect, Schema } from "effect"
import type { Json } from "../model/Json.ts"
import type { BotScope, Page } from "./Store.ts"

export class ScheduleStoreError extends Schema.TaggedError<ScheduleStoreError>()("ScheduleStoreError", {
  operation: Schema.String,
  reason: Schema.Literals(["unavailable", "busy", "corrupt", "invalid"]),
  detail: Schema.String
}) {
  override get message(): string {
    return `Schedule store ${this.operation} failed (${this.reason}): ${this.detail}`
  }
  get isRetryable(): boolean {
    return this.reason === "unavailable" || this.reason === "busy"
  }
}

/** What becomes of occurrences that passed while nobody was there: none is run, the last one, or each. */
export type MissedRuns = "skip" | "once" | "all"

/** A run in progress. Times in ms since the epoch. */
export interface JobRun {
  /** The occurrence it is for. */
  readonly at: number
  /** Names it: renewals and the finish give it back. */
  readonly token: string
  /** From then on it counts as lost. */
  readonly until: number
  /** From 1: how often this occurrence was begun. */
  readonly attempt: number
  /** Asked for by `runNow`: no occurrence of its own. */
  readonly forced: boolean
}

/** A job as it stands. Times in ms since the epoch. */
export interface StoredJob {
  readonly id: string
  readonly spec: Json
  readonly policy: MissedRuns
  readonly paused: boolean
  /** Its next occurrence; absent when there is none any more. */
  readonly next?: number
  /** When somebody asked for a run at once, until it is taken. */
  readonly asked?: number
  readonly run?: JobRun
  /** The last run that was finished. */
  readonly last?: { readonly at: number; readonly finishedAt: number; readonly token: string; readonly ok: boolean }
  /** The highest fence under which something was taken. */
  readonly fence: number
}

export type TakenJob =
  /** Do it, and finish it under `job.run.token`. */
  | { readonly _tag: "taken"; readonly job: StoredJob & { readonly run: JobRun } }
  /** Somebody runs it until then. */
  | { readonly _tag: "running"; readonly until: number }
  /** It does not stand where it was thought to: look again. */
  | { readonly _tag: "moved"; readonly job: StoredJob }
  | { readonly _tag: "superseded"; readonly fence: number }
  | { readonly _tag: "absent" }

export interface TakeOptions {
  /** The occurrence: the job's `next`, `asked`, or the `at` of a run that was lost. */
  readonly at: number
  /** The occurrence after it; absent when there is none. Of no matter for a run that was lost or asked for. */
  readonly next: number | undefined
  /** Of the lead under which the taker acts. */
  readonly fence: number
  /** When the run counts as lost. */
  readonly until: number
}

export interface ScheduleStoreShape {
  readonly name: string
  /** False for memory. */
  readonly persistent: boolean
  /** Makes or changes a job. Safe to repeat. SC1. Source: D4. */
  readonly define: (
    bot: BotScope,
    job: { readonly id: string; readonly spec: Json; readonly policy: MissedRuns; readonly next: number | undefined }
  ) => Effect.Effect<StoredJob, ScheduleStoreError>
  /** Takes an occurrence to run it. SC2 to SC4. */
  readonly take: (bot: BotScope, id: string, options: TakeOptions) => Effect.Effect<TakenJob, ScheduleStoreError>
  /** Leaves an occurrence out, by policy: the job goes on at `next`. False: it does not stand there, or the fence is old. */
  readonly skip: (
    bot: BotScope,
    id: string,
    options: { readonly at: number; readonly next: number | undefined; readonly fence: number }
  ) => Effect.Effect<boolean, ScheduleStoreError>
  /** Puts off when a run counts as lost. False: it is not ours any more. SC5. */
  readonly renew: (
    bot: BotScope,
    id: string,
    token: string,
    until: number
  ) => Effect.Effect<boolean, ScheduleStoreError>
  /** Ends a run. False: it is not ours any more. Safe to repeat. SC5. */
  readonly finish: (bot: BotScope, id: string, token: string, ok: boolean) => Effect.Effect<boolean, ScheduleStoreError>
  /** False: there is no such job. Safe to repeat. A run in progress goes on. SC6. */
  readonly pause: (bot: BotScope, id: string) => Effect.Effect<boolean, ScheduleStoreError>
  /** @param next the occurrence at which it goes on. False: there is no such job. Safe to repeat. */
  readonly resume: (bot: BotScope, id: string, next: number | undefined) => Effect.Effect<boolean, ScheduleStoreError>
  /** Asks for a run at once, paused or not. False: there is no such job. Asked again before it is taken: one run. SC6. */
  readonly runNow: (bot: BotScope, id: string) => Effect.Effect<boolean, ScheduleStoreError>
  /** False: there is none. */
  readonly remove: (bot: BotScope, id: string) => Effect.Effect<boolean, ScheduleStoreError>
  readonly find: (bot: BotScope, id: string) => Effect.Effect<StoredJob | undefined, ScheduleStoreError>
  /** By id. @param limit 1 to 1,000 */
  readonly list: (
    bot: BotScope,
    options: { readonly limit: number; readonly after?: string }
  ) => Effect.Effect<Page<StoredJob>, ScheduleStoreError>
  /** Jobs with something to do by `before` (ms since the epoch), the earliest first. @param limit 1 to 1,000 */
  readonly due: (
    bot: BotScope,
    options: { readonly before: number; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<StoredJob>, ScheduleStoreError>
}

/** Where a bot's durable jobs are kept. Source: D4. */
export class ScheduleStore extends Context.Service<ScheduleStore, ScheduleStoreShape>()(
  "@botmesh/core/ScheduleStore"
) {}
