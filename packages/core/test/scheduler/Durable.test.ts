import { describe, expect, it } from "@effect/vitest"
import { Clock, Context, Cron, DateTime, Duration, Effect, Exit, Layer, Logger, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as CoordinatorHub from "../../src/memory/CoordinatorHub.ts"
import * as LocalCoordinator from "../../src/memory/LocalCoordinator.ts"
import * as MemoryScheduleStore from "../../src/memory/MemoryScheduleStore.ts"
import { type DurableOptions, makeDurable, type Occurrence } from "../../src/scheduler/Durable.ts"
import { Coordinator } from "../../src/spi/Coordinator.ts"
import { fromDriver } from "../../src/spi/schedule/fromDriver.ts"

const bot = "t/shop"
const hour = 3_600_000
const quiet = Effect.provide(Logger.layer([]))

/** A store and a coordinator backend that outlive any replica. */
const world = () => ({ hub: CoordinatorHub.make(), store: fromDriver(MemoryScheduleStore.make()) })
type World = ReturnType<typeof world>

/** A replica: its coordinator and its scheduler, which end together. */
const replica = Effect.fnUntraced(function* ({ hub, store }: World, more: Partial<DurableOptions> = {}) {
  const scope = yield* Scope.make()
  yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
  const built = yield* Layer.buildWithScope(CoordinatorHub.layer(hub, { lease: 15_000 }), scope)
  const coordinator = Context.get(built, Coordinator)
  const scheduler = yield* Scope.provide(makeDurable({ bot, store, coordinator, ...more }), scope)
  const end = Scope.close(scope, Exit.void)
  /** As kill -9: nothing of it reaches the backend any more, and what it runs stops where it is. */
  const kill = Effect.andThen(hub.crash(coordinator.incarnation), end)
  return { scheduler, end, kill }
})

/** A task that notes for which occurrence it ran. */
const notes = (millis = 0) => {
  const ran: Array<Occurrence> = []
  const task = (occurrence: Occurrence) =>
    Effect.andThen(
      Effect.sync(() => ran.push(occurrence)),
      Effect.sleep(millis)
    )
  return { ran, task, times: () => ran.map(({ at }) => at) }
}
const iso = (times: ReadonlyArray<number>) => times.map((time) => DateTime.formatIso(DateTime.makeUnsafe(time)))
/** Lets time pass in steps, as it does: a jump would make every tick late. */
const pass = (millis: number, step = 500) =>
  Effect.forEach(Array.from({ length: millis / step }), () => TestClock.adjust(step), { discard: true })

describe("durable jobs", () => {
  it.effect("D4 each occurrence runs once across three replicas, whichever leads", () =>
    Effect.gen(function* () {
      const shared = world()
      const { task, times } = notes()
      const all = yield* Effect.forEach([1, 2, 3], () => replica(shared))
      for (const { scheduler } of all) yield* scheduler.every("each", Duration.seconds(10), task)
      yield* pass(35_000)
      expect(times()).toEqual([10_000, 20_000, 30_000])
      for (const { kill } of all.slice(0, 2)) {
        yield* kill
        yield* pass(40_000)
      }
      const due = times()
      expect(new Set(due).size).toBe(due.length)
      expect(due.length).toBeGreaterThan(6)
    }).pipe(quiet)
  )

  it.effect("D4 a leader killed at the tick: its occurrence is run by the next one, under the same key", () =>
    Effect.gen(function* () {
      const shared = world()
      const [first, second] = [notes(20_000), notes()]
      const one = yield* replica(shared)
      yield* one.scheduler.every("each", Duration.minutes(10), first.task)
      yield* pass(60_000)
      const other = yield* replica(shared)
      yield* other.scheduler.every("each", Duration.minutes(10), second.task)
      yield* pass(541_000)
      expect(first.times()).toEqual([600_000])
      yield* one.kill
      yield* pass(120_000)
      expect(second.ran).toEqual([{ id: "each", at: 600_000, key: `${bot}/each/600000`, attempt: 2 }])
      yield* pass(600_000)
      expect(second.times()).toEqual([600_000, 1_200_000])
      expect(first.times()).toEqual([600_000])
    }).pipe(quiet)
  )

  it.effect("D4 a run that takes long renews itself and is not taken over; never two at once", () =>
    Effect.gen(function* () {
      const shared = world()
      const { task, times } = notes(5 * 60_000)
      for (const _ of [1, 2]) {
        const { scheduler } = yield* replica(shared)
        yield* scheduler.every("slow", Duration.minutes(2), task)
      }
      yield* pass(16 * 60_000, 1_000)
      // Begun at 2, 7 and 12 minutes: what came while it ran is one missed occurrence, the last.
      expect(times().map((at) => at / 60_000)).toEqual([2, 6, 12])
    }).pipe(quiet)
  )

  it.effect("D4 missed while nobody was there: skip runs none, once the last one, all each of them", () =>
    Effect.gen(function* () {
      const shared = world()
      const jobs = { skip: notes(), once: notes(), all: notes() }
      const define = Effect.fnUntraced(function* ({ scheduler }: Effect.Success<ReturnType<typeof replica>>) {
        for (const missed of ["skip", "once", "all"] as const)
          yield* scheduler.every(missed, Duration.hours(1), jobs[missed].task, { missed })
      })
      const one = yield* replica(shared)
      yield* define(one)
      yield* pass(10_000)
      yield* one.end
      yield* TestClock.adjust(4.5 * hour)
      yield* define(yield* replica(shared))
      yield* pass(20_000)
      expect(jobs.skip.times()).toEqual([])
      expect(jobs.once.times()).toEqual([4 * hour])
      expect(jobs.all.times()).toEqual([hour, 2 * hour, 3 * hour, 4 * hour])
      yield* TestClock.adjust(hour / 2 - 31_000)
      yield* pass(10_000)
      for (const { times } of Object.values(jobs)) expect(times().at(-1)).toBe(5 * hour)
    }).pipe(quiet)
  )

  it.effect("D4 a date that passed is run at once and once for all, over restarts", () =>
    Effect.gen(function* () {
      const shared = world()
      const { task, times } = notes()
      for (const _ of [1, 2, 3]) {
        const one = yield* replica(shared)
        yield* one.scheduler.at("launch", DateTime.makeUnsafe(5_000), task)
        yield* pass(20_000)
        yield* one.end
      }
      expect(times()).toEqual([5_000])
    }).pipe(quiet)
  )

  it.effect(
    "D4 cron keeps its zone: each local time once over the hour that comes twice and the one that is left out",
    () =>
      Effect.gen(function* () {
        const { task, times } = notes()
        const nights = Cron.parseUnsafe("30 2 * * *", "Europe/Madrid")
        // Alone: the heartbeats of a shared coordinator would be most of two days.
        const { store } = world()
        const coordinator = yield* LocalCoordinator.make()
        const two = Effect.fnUntraced(function* (day: string) {
          // Nothing sleeps while the years pass.
          yield* TestClock.setTime(DateTime.toEpochMillis(DateTime.makeUnsafe(`${day}T12:00:00Z`)))
          const scheduler = yield* makeDurable({ bot, store, coordinator, tick: Duration.minutes(5) })
          yield* scheduler.cron(day, nights, task)
          yield* pass(48 * hour, 5 * 60_000)
          return yield* Effect.flip(scheduler.cron("never", Cron.parseUnsafe("0 0 30 2 *", "UTC"), task))
        }, Effect.scoped)
        const [never] = [yield* two("2026-03-28"), yield* two("2026-10-24")]
        expect(iso(times())).toEqual([
          "2026-03-29T01:30:00.000Z",
          "2026-03-30T00:30:00.000Z",
          "2026-10-25T00:30:00.000Z",
          "2026-10-26T01:30:00.000Z"
        ])
        expect(never.message).toBe('Job "never": it never comes')
      }).pipe(quiet)
  )

  it.effect("D4 paused, asked to run now, resumed, removed; listed by id", () =>
    Effect.gen(function* () {
      const shared = world()
      const { ran, task, times } = notes()
      const { scheduler } = yield* replica(shared)
      yield* scheduler.every("b", Duration.minutes(1), task)
      yield* scheduler.every("a", Duration.days(1), task)
      expect((yield* scheduler.list()).map(({ id }) => id)).toEqual(["a", "b"])
      expect(yield* scheduler.pause("b")).toBe(true)
      yield* pass(150_000)
      expect(ran).toEqual([])
      expect(yield* scheduler.runNow("b")).toBe(true)
      yield* pass(5_000)
      expect(times()).toEqual([150_000])
      expect(yield* scheduler.resume("b")).toBe(true)
      yield* pass(65_000)
      // A minute from when it was resumed.
      expect(times()).toEqual([150_000, 215_000])
      expect(yield* scheduler.remove("b")).toBe(true)
      yield* pass(130_000)
      expect(ran).toHaveLength(2)
      expect((yield* scheduler.list()).map(({ id }) => id)).toEqual(["a"])
      expect([yield* scheduler.pause("b"), yield* scheduler.resume("b"), yield* scheduler.runNow("b")]).toEqual([
        false,
        false,
        false
      ])
    }).pipe(quiet)
  )

  it.effect(
    "D4 I24 a task that fails is logged, its run ends, and the job goes on; one that ends its replicas is given up",
    () =>
      Effect.gen(function* () {
        const shared = world()
        let tries = 0
        const one = yield* replica(shared)
        yield* one.scheduler.every("fails", Duration.minutes(1), () =>
          Effect.andThen(
            Effect.sync(() => tries++),
            Effect.fail("no")
          )
        )
        yield* pass(130_000)
        expect(tries).toBe(2)
        expect((yield* shared.store.find(bot, "fails"))?.last).toMatchObject({ at: 120_000, ok: false })
        yield* one.end
        const { ran, task } = notes(hour)
        for (let life = 0; life < 7; life++) {
          const next = yield* replica(shared, { attempts: 3 })
          yield* next.scheduler.every("poison", Duration.days(1), task)
          yield* pass(life === 0 ? 1_000 : 100_000, 1_000)
          if (life === 0) yield* next.scheduler.runNow("poison")
          yield* pass(5_000)
          yield* next.kill
        }
        expect(ran.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
        expect((yield* shared.store.find(bot, "poison"))?.last).toMatchObject({ ok: false })
        expect((yield* Clock.currentTimeMillis) > 0).toBe(true)
      }).pipe(quiet)
  )
})
