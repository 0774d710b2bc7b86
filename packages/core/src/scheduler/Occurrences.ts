/** When a durable job comes: pure. All times in ms since the epoch. */
import { Cron, DateTime, Option } from "effect"
import type { Json } from "../model/Json.ts"
import type { MissedRuns } from "../spi/ScheduleStore.ts"

/** What says when a job comes. `every` counts from the job's first occurrence. */
export type Rhythm =
  | { readonly _tag: "at"; readonly time: number }
  | { readonly _tag: "every"; readonly period: number }
  | { readonly _tag: "cron"; readonly cron: Cron.Cron }

/** The rhythm as it is stored: by it a changed definition is told from the same one. */
export const specOf = (rhythm: Rhythm): Json => {
  switch (rhythm._tag) {
    case "at":
      return { at: rhythm.time }
    case "every":
      return { every: rhythm.period }
    default: {
      const zone = Option.map(rhythm.cron.tz, DateTime.zoneToString)
      return { cron: Cron.format(rhythm.cron), zone: Option.getOrElse(zone, () => "UTC") }
    }
  }
}

/** `Cron` throws for an expression that never comes (the 30th of February). */
const tryCron = (find: () => Date): number | undefined => {
  try {
    return find().getTime()
  } catch {
    return undefined
  }
}

/** The first occurrence after `time`; `from` is one of the job's. */
const after = (rhythm: Rhythm, from: number, time: number): number | undefined => {
  switch (rhythm._tag) {
    case "at":
      return undefined
    case "every":
      return from + (Math.floor((time - from) / rhythm.period) + 1) * rhythm.period
    default:
      return tryCron(() => Cron.next(rhythm.cron, time))
  }
}

/** The first occurrence of a job that is defined now. */
export const firstOf = (rhythm: Rhythm, now: number): number | undefined =>
  rhythm._tag === "at" ? rhythm.time : after(rhythm, now, now)

/** The last occurrence at or before `now`, no earlier than `from`, which is one. */
const lastBy = (rhythm: Rhythm, from: number, now: number): number => {
  switch (rhythm._tag) {
    case "at":
      return from
    case "every":
      return from + Math.floor((now - from) / rhythm.period) * rhythm.period
    default:
      // What is before now and a millisecond is at now or before it.
      return Math.max(from, tryCron(() => Cron.prev(rhythm.cron, now + 1)) ?? from)
  }
}

/** What to do about a job whose occurrence `at` has come: run `at`, or leave it out; and where it goes on. */
export interface Decision {
  readonly act: "run" | "skip"
  readonly at: number
  readonly next: number | undefined
}

/**
 * `skip`: what is later than `grace` is left out. `once`: of several that passed only the last is run. `all`: each is run,
 * one after the other.
 */
export const decide = (rhythm: Rhythm, policy: MissedRuns, at: number, now: number, grace: number): Decision => {
  if (policy === "all") return { act: "run", at, next: after(rhythm, at, at) }
  const last = lastBy(rhythm, at, now)
  // Of several the last one counts: the job is brought to it first.
  if (last > at) return { act: "skip", at, next: last }
  const next = after(rhythm, at, at)
  return policy === "skip" && now - at > grace ? { act: "skip", at, next } : { act: "run", at, next }
}
