/**
 * The scheduler of one process: jobs live as long as their scope and are gone with the process (D4).
 *
 * One fiber a job. A job never runs twice at once: what falls due while it runs is skipped, and the next run is the first
 * one that is still to come. A task that fails is logged and reported, and its job goes on.
 */
import { Clock, Cron, DateTime, Duration, Effect, Fiber, Layer } from "effect"
import { type Job, Scheduler, SchedulerError, type SchedulerShape } from "../spi/Scheduler.ts"

type Task = Effect.Effect<unknown, unknown>

/** A corrected wall clock moves what is planned by date; so no sleep toward a date is longer than this, in ms. */
const longestSleep = 60 * 60 * 1000

const sleepUntil = (time: number): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    now >= time
      ? Effect.void
      : Effect.flatMap(Effect.sleep(Duration.millis(Math.min(time - now, longestSleep))), () => sleepUntil(time))
  )

/** Starts a job in the current scope: it waits, runs, and does so again unless it is `once`. */
const start = Effect.fnUntraced(function* (
  name: string,
  wait: Effect.Effect<void, SchedulerError>,
  task: Task,
  options: { readonly once: boolean }
) {
  let cancelled = false
  let running = false
  const run = Effect.suspend(() => {
    if (cancelled) return Effect.void
    running = true
    return Effect.withErrorReporting(task).pipe(
      Effect.catchCause((cause) => Effect.logError(`Job "${name}" failed`, cause)),
      Effect.ensuring(
        Effect.sync(() => {
          running = false
        })
      )
    )
  })
  const waitAndRun = Effect.andThen(wait, run)
  const whole = options.once ? waitAndRun : Effect.asVoid(Effect.repeat(waitAndRun, { while: () => !cancelled }))
  const supervised = Effect.catch(whole, (error) => Effect.logError(`Job "${name}" ended`, error))
  const fiber = yield* Effect.forkScoped(supervised)
  const job: Job = {
    name,
    cancel: Effect.suspend(() => {
      cancelled = true
      return running ? Effect.void : Fiber.interrupt(fiber)
    })
  }
  return job
})

const schedule: SchedulerShape["schedule"] = (name, delay, task) =>
  start(name, Effect.sleep(delay), task, { once: true })

const at: SchedulerShape["at"] = (name, time, task) =>
  start(name, sleepUntil(DateTime.toEpochMillis(time)), task, { once: true })

const every: SchedulerShape["every"] = Effect.fnUntraced(function* (name, period, task) {
  const ms = Duration.toMillis(period)
  if (!(ms > 0 && ms < Number.POSITIVE_INFINITY)) {
    return yield* new SchedulerError({ job: name, detail: `a period must be finite and over zero, got ${ms} ms` })
  }
  let planned = yield* Clock.currentTimeMillis
  const wait = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    // What fell due meanwhile is skipped, and the rhythm kept. A clock that was set back begins a new rhythm.
    const skipped = Math.max(0, Math.floor((now - planned) / ms))
    planned = planned - now > 2 * ms ? now + ms : planned + (skipped + 1) * ms
    return Effect.sleep(Duration.millis(planned - now))
  })
  return yield* start(name, wait, task, { once: false })
})

const nextTime = (name: string, expression: Cron.Cron): Effect.Effect<number, SchedulerError> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.try({
      try: () => Cron.next(expression, now).getTime(),
      catch: () => new SchedulerError({ job: name, detail: `"${Cron.format(expression)}" never comes` })
    })
  )

const cron: SchedulerShape["cron"] = Effect.fnUntraced(function* (name, expression, task) {
  yield* nextTime(name, expression)
  return yield* start(name, Effect.flatMap(nextTime(name, expression), sleepUntil), task, { once: false })
})

/** Jobs of this process. Cron expressions carry their own time zone. Source: D4. */
export const inProcess: SchedulerShape = { schedule, at, every, cron }

export const layer: Layer.Layer<Scheduler> = Layer.succeed(Scheduler, inProcess)
