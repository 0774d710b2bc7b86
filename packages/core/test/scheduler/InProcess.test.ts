import { describe, expect, it } from "@effect/vitest"
import { Clock, Cron, DateTime, Duration, Effect, ErrorReporter, Exit, Logger, Scope } from "effect"
import { TestClock } from "effect/testing"
import { inProcess, layer } from "../../src/scheduler/InProcess.ts"
import { Scheduler } from "../../src/spi/Scheduler.ts"
import { forAllSeeds } from "../../src/testing/Sim.ts"

const day = 86_400_000

/** A task that notes when it ran. */
const notes = (ms = 0) => {
  const ran: Array<number> = []
  const task = Effect.andThen(
    Effect.map(Clock.currentTimeMillis, (now) => ran.push(now)),
    Effect.sleep(ms)
  )
  return { ran, task }
}
const iso = (times: ReadonlyArray<number>) => times.map((time) => DateTime.formatIso(DateTime.makeUnsafe(time)))

describe("InProcess scheduler", () => {
  it.effect("schedule runs once, at its time", () =>
    Effect.gen(function* () {
      const scheduler = yield* Scheduler
      const { ran, task } = notes()
      const job = yield* scheduler.schedule("once", Duration.seconds(10), task)
      expect(job.name).toBe("once")
      yield* TestClock.adjust(9_999)
      expect(ran).toEqual([])
      yield* TestClock.adjust(day)
      expect(ran).toEqual([10_000])
    }).pipe(Effect.provide(layer))
  )

  it.effect("TIME-01 a delay of 40 days and a date in 4 weeks come at their time", () =>
    Effect.gen(function* () {
      const { ran, task } = notes()
      yield* inProcess.schedule("in 40 days", Duration.days(40), task)
      yield* inProcess.at("in 4 weeks", DateTime.makeUnsafe(28 * day), task)
      yield* TestClock.adjust(28 * day - 1)
      expect(ran).toEqual([])
      yield* TestClock.adjust(60 * day)
      expect(ran).toEqual([28 * day, 40 * day])
    })
  )

  it.effect("a date that has passed runs at once", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(day)
      const { ran, task } = notes()
      yield* inProcess.at("past", DateTime.makeUnsafe(5), task)
      yield* TestClock.adjust(0)
      expect(ran).toEqual([day])
    })
  )

  it.effect("a date keeps to the wall clock when that is set back", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(day)
      const { ran, task } = notes()
      yield* inProcess.at("date", DateTime.makeUnsafe(day + 60_000), task)
      yield* TestClock.adjust(0)
      yield* TestClock.setTime(day - 60_000)
      yield* TestClock.adjust(119_999)
      expect(ran).toEqual([])
      yield* TestClock.adjust(1)
      expect(ran).toEqual([day + 60_000])
    })
  )

  it.effect("TIME-04 every keeps its rhythm, and skips what fell due during a long run", () =>
    Effect.gen(function* () {
      const { ran, task } = notes(25_000)
      yield* inProcess.every("slow", Duration.seconds(10), task)
      yield* TestClock.adjust(100_000)
      expect(ran).toEqual([10_000, 40_000, 70_000, 100_000])
    })
  )

  it.effect("every goes on in its rhythm when the wall clock is set back an hour", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(day)
      const steady = yield* Clock.Clock
      let skew = 0
      const wall = () => steady.currentTimeMillisUnsafe() + skew
      const wallClock: Clock.Clock = {
        ...steady,
        currentTimeMillisUnsafe: wall,
        currentTimeMillis: Effect.sync(wall)
      }
      const ran: Array<number> = []
      const task = Effect.sync(() => ran.push(steady.currentTimeMillisUnsafe() - day))
      yield* Effect.provideService(inProcess.every("beat", Duration.seconds(10), task), Clock.Clock, wallClock)
      yield* TestClock.adjust(15_000)
      skew = -3_600_000
      yield* TestClock.adjust(25_000)
      expect(ran).toEqual([10_000, 20_000, 30_000, 40_000])
    })
  )

  it.effect("a period that is not over zero and finite is refused", () =>
    Effect.gen(function* () {
      for (const period of [Duration.zero, Duration.infinity]) {
        const error = yield* Effect.flip(inProcess.every("never", period, Effect.void))
        expect(error).toMatchObject({ _tag: "SchedulerError", job: "never" })
      }
    })
  )

  it.effect("cron runs by its time zone, over the change to summer time", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 2, 27, 12))
      const { ran, task } = notes()
      yield* inProcess.cron("morning", Cron.parseUnsafe("30 8 * * *", "Europe/Madrid"), task)
      yield* TestClock.adjust(Duration.days(4))
      expect(iso(ran)).toEqual([
        "2026-03-28T07:30:00.000Z",
        "2026-03-29T06:30:00.000Z",
        "2026-03-30T06:30:00.000Z",
        "2026-03-31T06:30:00.000Z"
      ])
    })
  )

  it.effect("cron skips what fell due while it ran", () =>
    Effect.gen(function* () {
      const { ran, task } = notes(150_000)
      yield* inProcess.cron("each minute", Cron.parseUnsafe("* * * * *", "UTC"), task)
      yield* TestClock.adjust(Duration.minutes(8))
      expect(ran).toEqual([1, 4, 7].map((minute) => minute * 60_000))
    })
  )

  it.effect("a cron that never comes is refused by name", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(inProcess.cron("leap", Cron.parseUnsafe("0 0 30 2 *", "UTC"), Effect.void))
      expect(error.message).toContain('Job "leap"')
    })
  )

  it.effect("I24 a task that fails or dies is logged and reported, and its job goes on", () =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      const reported: Array<string> = []
      const logger = Logger.make((options) => {
        logged.push(`${options.logLevel} ${String(options.message)}`)
      })
      const reporter = ErrorReporter.make(({ error }) => {
        reported.push(error.message)
      })
      let runs = 0
      const task = Effect.suspend(() => {
        runs++
        return runs === 1 ? Effect.fail(new Error("typed")) : runs === 2 ? Effect.die(new Error("defect")) : Effect.void
      })
      yield* Effect.gen(function* () {
        yield* inProcess.every("flaky", Duration.seconds(1), task)
        yield* TestClock.adjust(3_000)
      }).pipe(Effect.scoped, Effect.provide([Logger.layer([logger]), ErrorReporter.layer([reporter])]))
      expect(runs).toBe(3)
      expect(logged).toEqual(['Error Job "flaky" failed', 'Error Job "flaky" failed'])
      expect(reported).toEqual(["typed", "defect"])
    })
  )

  it.effect("cancel takes a waiting job back and does not cut a run in progress; it may be repeated", () =>
    Effect.gen(function* () {
      const finished: Array<string> = []
      const work = (name: string) =>
        Effect.andThen(
          Effect.sleep(5_000),
          Effect.sync(() => finished.push(name))
        )
      const waiting = yield* inProcess.schedule("waiting", Duration.seconds(10), work("waiting"))
      const running = yield* inProcess.every("running", Duration.seconds(2), work("running"))
      yield* TestClock.adjust(3_000)
      yield* waiting.cancel
      yield* running.cancel
      yield* running.cancel
      yield* TestClock.adjust(day)
      expect(finished).toEqual(["running"])
      yield* running.cancel
    })
  )

  it.effect("a job may cancel itself", () =>
    Effect.gen(function* () {
      const { ran, task } = notes()
      const self: { cancel: Effect.Effect<void> } = { cancel: Effect.void }
      const job = yield* inProcess.every(
        "self",
        Duration.seconds(1),
        Effect.andThen(
          task,
          Effect.suspend(() => self.cancel)
        )
      )
      self.cancel = job.cancel
      yield* TestClock.adjust(10_000)
      expect(ran).toEqual([1_000])
    })
  )

  it.effect("jobs end with their scope, a run in progress too", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { ran, task } = notes()
      let finished = false
      const long = Effect.andThen(
        Effect.sleep(5_000),
        Effect.sync(() => {
          finished = true
        })
      )
      yield* Scope.provide(inProcess.every("beat", Duration.seconds(1), task), scope)
      yield* Scope.provide(inProcess.schedule("long", Duration.seconds(2), long), scope)
      yield* TestClock.adjust(3_000)
      yield* Scope.close(scope, Exit.void)
      yield* TestClock.adjust(day)
      expect(ran).toEqual([1_000, 2_000, 3_000])
      expect(finished).toBe(false)
    })
  )

  it.effect("100 seeds: a job never runs twice at once, nor after a cancel that found it waiting", () =>
    forAllSeeds(100, (seed) =>
      Effect.gen(function* () {
        let inside = 0
        let cancelled = false
        const task = Effect.gen(function* () {
          expect(cancelled, "started after cancel").toBe(false)
          expect(++inside).toBe(1)
          yield* Effect.sleep(seed % 40)
          inside--
        })
        const job = yield* inProcess.every("beat", Duration.millis(10), task)
        yield* Effect.sleep(100 + seed)
        yield* job.cancel
        cancelled = true
        yield* Effect.sleep(1_000)
        expect(inside).toBe(0)
      })
    )
  )
})
