/**
 * The durable scheduler: jobs with an id, each occurrence run once over all replicas, also after all of them restarted (D4).
 *
 * One replica leads and looks for what is due; the store decides who runs it (SC2), so two leaders at once run nothing
 * twice. A run renews itself while its task goes on; when its replica is gone, the next leader runs the occurrence again,
 * with the same key and a higher attempt: what must not happen twice is done under that key.
 */
import { Clock, type Cron, DateTime, Duration, Effect, FiberMap, type Scope } from "effect"
import type { CoordinatorShape } from "../spi/Coordinator.ts"
import { SchedulerError } from "../spi/Scheduler.ts"
import type { JobRun, MissedRuns, ScheduleStoreError, ScheduleStoreShape, StoredJob } from "../spi/ScheduleStore.ts"
import type { BotScope } from "../spi/Store.ts"
import { decide, firstOf, type Rhythm, specOf } from "./Occurrences.ts"

/** The run a task is called for. */
export interface Occurrence {
  readonly id: string
  /** ms since the epoch: the time it was due, not the time it is. */
  readonly at: number
  /** The same each time this occurrence is begun: the idempotency key of what the task does. */
  readonly key: string
  /** From 1. */
  readonly attempt: number
}

export type DurableTask = (occurrence: Occurrence) => Effect.Effect<unknown, unknown>

export interface DurableJobOptions {
  /** What becomes of occurrences that passed while nobody was there. Default `once`. */
  readonly missed?: MissedRuns
}

export interface DurableOptions {
  readonly bot: BotScope
  readonly store: ScheduleStoreShape
  readonly coordinator: Pick<CoordinatorShape, "lead">
  /** How often the leader looks. Default 1 s. */
  readonly tick?: Duration.Duration
  /** How long a run whose replica is gone keeps its job. Default 1 min. */
  readonly runLease?: Duration.Duration
  /** How late an occurrence may be run under `skip`. Default 1 min. */
  readonly grace?: Duration.Duration
  /** How often an occurrence is begun before it is given up: its replicas were gone each time. Default 5. */
  readonly attempts?: number
}

export type DurableError = SchedulerError | ScheduleStoreError

type Define<Time> = (
  id: string,
  time: Time,
  task: DurableTask,
  options?: DurableJobOptions
) => Effect.Effect<void, DurableError>

export interface DurableScheduler {
  /** Runs once, at the time given; at once when it has passed. Safe to repeat: the time of the first call stands. */
  readonly at: Define<DateTime.DateTime>
  /** Each period, the first one period from the first definition. Another period begins anew. Safe to repeat. */
  readonly every: Define<Duration.Duration>
  /** By the expression, in its time zone. Fails when it never comes. Safe to repeat. */
  readonly cron: Define<Cron.Cron>
  readonly pause: (id: string) => Effect.Effect<boolean, ScheduleStoreError>
  /** Goes on with the next occurrence from now. */
  readonly resume: (id: string) => Effect.Effect<boolean, ScheduleStoreError>
  /** Runs it at the next tick, paused or not; its time stays. */
  readonly runNow: (id: string) => Effect.Effect<boolean, ScheduleStoreError>
  readonly remove: (id: string) => Effect.Effect<boolean, ScheduleStoreError>
  /** By id, 1,000 at most from `after` on. */
  readonly list: (after?: string) => Effect.Effect<ReadonlyArray<StoredJob>, ScheduleStoreError>
}

interface Known {
  readonly rhythm: Rhythm
  readonly policy: MissedRuns
  readonly task: DurableTask
}

/** Jobs looked at in one tick. */
const batch = 100

const iso = (time: number): string => DateTime.formatIso(DateTime.makeUnsafe(time))

/** Starts a scheduler of one bot; it ends with the scope, and its runs in progress with it. Source: D4. */
export const makeDurable = Effect.fn("DurableScheduler.make")(function* (
  options: DurableOptions
): Effect.fn.Return<DurableScheduler, never, Scope.Scope> {
  const { attempts = 5, bot, coordinator, store } = options
  const tick = options.tick ?? Duration.seconds(1)
  const lease = Duration.toMillis(options.runLease ?? Duration.minutes(1))
  const grace = Duration.toMillis(options.grace ?? Duration.minutes(1))
  const known = new Map<string, Known>()
  const running = yield* FiberMap.make<string>()

  const renewing = ({ token }: JobRun, id: string): Effect.Effect<void> =>
    Effect.gen(function* () {
      for (;;) {
        yield* Effect.sleep(lease / 3)
        const until = (yield* Clock.currentTimeMillis) + lease
        // A store that does not answer is asked again: the run is ours until its time is over.
        const ours = yield* Effect.orElseSucceed(store.renew(bot, id, token, until), () => true)
        if (!ours) return yield* Effect.logWarning(`Job "${id}": another replica took its run over`)
      }
    })
  const perform = Effect.fnUntraced(function* (id: string, run: JobRun, task: DurableTask) {
    const occurrence = { id, at: run.at, key: `${bot}/${id}/${run.at}`, attempt: run.attempt }
    const work = Effect.suspend(() => task(occurrence)).pipe(
      Effect.withErrorReporting,
      Effect.as(true),
      Effect.catchCause((cause) => Effect.as(Effect.logError(`Job "${id}" failed`, cause), false))
    )
    const ok = yield* Effect.raceFirst(work, Effect.as(renewing(run, id), undefined))
    if (ok !== undefined) yield* finish(id, run, ok)
  })
  const finish = (id: string, { token }: JobRun, ok: boolean): Effect.Effect<void> =>
    Effect.retry(store.finish(bot, id, token, ok), { times: 3 }).pipe(
      Effect.asVoid,
      Effect.catch((error) => Effect.logError(`Job "${id}": its end is not stored, it may run again`, error))
    )

  const begin = Effect.fnUntraced(function* (
    { id }: StoredJob,
    { task }: Known,
    at: number,
    next: number | undefined,
    fence: number
  ) {
    const until = (yield* Clock.currentTimeMillis) + lease
    const taken = yield* store.take(bot, id, { at, next, fence, until })
    if (taken._tag !== "taken") return
    const { run } = taken.job
    if (run.attempt > attempts) {
      yield* Effect.logError(`Job "${id}": given up after ${attempts} replicas were gone while it ran`)
      return yield* finish(id, run, false)
    }
    // One of ours that was taken over is over before the next begins.
    yield* FiberMap.remove(running, id)
    yield* FiberMap.run(running, id, perform(id, run, task))
  })
  const look = Effect.fnUntraced(function* (job: StoredJob, fence: number) {
    const mine = known.get(job.id)
    // Defined by a release that runs elsewhere, or not yet by ours.
    if (mine === undefined) return
    if (job.run !== undefined) return yield* begin(job, mine, job.run.at, job.next, fence)
    if (job.asked !== undefined) return yield* begin(job, mine, job.asked, job.next, fence)
    if (job.next === undefined) return
    const now = yield* Clock.currentTimeMillis
    let decision = decide(mine.rhythm, mine.policy, job.next, now, grace)
    while (decision.act === "skip") {
      yield* Effect.logInfo(`Job "${job.id}": its occurrence of ${iso(decision.at)} was missed`)
      const skipped = yield* store.skip(bot, job.id, { at: decision.at, next: decision.next, fence })
      if (!skipped || decision.next === undefined || decision.next > now) return
      decision = decide(mine.rhythm, mine.policy, decision.next, now, grace)
    }
    yield* begin(job, mine, decision.at, decision.next, fence)
  })
  const leading = Effect.gen(function* () {
    const held = yield* coordinator.lead(`schedule:${bot}`)
    while (held.lost() === undefined) {
      const before = yield* Clock.currentTimeMillis
      const due = yield* store.due(bot, { before, limit: batch })
      yield* Effect.forEach(due, (job) => look(job, held.fence), { discard: true })
      yield* Effect.sleep(tick)
    }
  })
  yield* Effect.scoped(leading).pipe(
    Effect.catchCause((cause) => Effect.logWarning("The scheduler could not look for what is due", cause)),
    Effect.andThen(Effect.sleep(tick)),
    Effect.forever,
    Effect.forkScoped
  )

  const define = Effect.fnUntraced(function* (
    id: string,
    rhythm: Rhythm,
    task: DurableTask,
    { missed }: DurableJobOptions
  ) {
    const policy = missed ?? "once"
    const next = firstOf(rhythm, yield* Clock.currentTimeMillis)
    if (next === undefined) return yield* new SchedulerError({ job: id, detail: "it never comes" })
    yield* store.define(bot, { id, spec: specOf(rhythm), policy, next })
    known.set(id, { rhythm, policy, task })
  })
  return {
    at: (id, time, task, more = {}) => define(id, { _tag: "at", time: DateTime.toEpochMillis(time) }, task, more),
    every: (id, period, task, more = {}) =>
      Effect.suspend(() => {
        const millis = Duration.toMillis(period)
        return millis > 0 && millis < Number.POSITIVE_INFINITY
          ? define(id, { _tag: "every", period: millis }, task, more)
          : Effect.fail(
              new SchedulerError({ job: id, detail: `a period must be finite and over zero, got ${millis} ms` })
            )
      }),
    cron: (id, cron, task, more = {}) => define(id, { _tag: "cron", cron }, task, more),
    pause: (id) => store.pause(bot, id),
    resume: (id) =>
      Effect.gen(function* () {
        const job = yield* store.find(bot, id)
        if (job === undefined) return false
        const now = yield* Clock.currentTimeMillis
        const rhythm = known.get(id)?.rhythm
        // Unknown here: it goes on where it stood, and its policy says what becomes of what it missed.
        return yield* store.resume(bot, id, rhythm === undefined ? job.next : firstOf(rhythm, now))
      }),
    runNow: (id) => store.runNow(bot, id),
    remove: (id) =>
      Effect.andThen(
        Effect.sync(() => known.delete(id)),
        store.remove(bot, id)
      ),
    list: (after) =>
      Effect.map(
        store.list(bot, after === undefined ? { limit: 1_000 } : { limit: 1_000, after }),
        ({ items }) => items
      )
  }
})
