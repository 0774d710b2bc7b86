import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Logger, Random, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Timers from "../../src/conversation/Timers.ts"

const day = 86_400_000

describe("Timers", () => {
  it.effect("fires each deadline at its time, not before", () =>
    Effect.gen(function* () {
      const timers = yield* Timers.make
      const fired: Array<string> = []
      timers.at(2_000, () => fired.push(`b@${timers.now()}`))
      timers.at(1_000, () => fired.push(`a@${timers.now()}`))
      yield* TestClock.adjust(999)
      expect(fired).toEqual([])
      yield* TestClock.adjust(1)
      expect(fired).toEqual(["a@1000"])
      yield* TestClock.adjust(5_000)
      expect(fired).toEqual(["a@1000", "b@2000"])
      expect(timers.size()).toBe(0)
    })
  )

  it.effect("TIME-01 a deadline beyond 2^31 ms fires at its time", () =>
    Effect.gen(function* () {
      const timers = yield* Timers.make
      const fired: Array<number> = []
      timers.at(28 * day, () => fired.push(timers.now()))
      timers.at(40 * day, () => fired.push(timers.now()))
      yield* TestClock.adjust(28 * day - 1)
      expect(fired).toEqual([])
      yield* TestClock.adjust(1)
      expect(fired).toEqual([28 * day])
      yield* TestClock.adjust(12 * day)
      expect(fired).toEqual([28 * day, 40 * day])
    })
  )

  it.effect("equal times fire in the order of insertion", () =>
    Effect.gen(function* () {
      const timers = yield* Timers.make
      const fired: Array<string> = []
      for (const name of ["a", "b", "c", "d"]) timers.at(10, () => fired.push(name))
      yield* TestClock.adjust(10)
      expect(fired).toEqual(["a", "b", "c", "d"])
    })
  )

  it.effect("a deadline that has passed fires soon, never inside `at`", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust(1_000)
      const timers = yield* Timers.make
      const fired: Array<string> = []
      timers.at(500, () => fired.push("past"))
      timers.at(Number.POSITIVE_INFINITY, () => fired.push("never"))
      expect(fired).toEqual([])
      yield* TestClock.adjust(0)
      expect(fired).toEqual(["past"])
      yield* TestClock.adjust(100 * day)
      expect(fired).toEqual(["past"])
      expect(timers.size()).toBe(1)
    })
  )

  it.effect("I17 a cancelled deadline does not fire, also when cancelled by its neighbour", () =>
    Effect.gen(function* () {
      const timers = yield* Timers.make
      const fired: Array<string> = []
      const first = timers.at(10, () => {
        fired.push("first")
        second.cancel()
      })
      const second = timers.at(10, () => fired.push("second"))
      const third = timers.at(20, () => fired.push("third"))
      third.cancel()
      third.cancel()
      yield* TestClock.adjust(100)
      expect(fired).toEqual(["first"])
      first.cancel()
      expect(timers.size()).toBe(0)
    })
  )

  it.effect("deadlines set while firing: a later one waits, a passed one fires once more fibers had their turn", () =>
    Effect.gen(function* () {
      const timers = yield* Timers.make
      const fired: Array<string> = []
      let again = 1_000
      const loop = (): void => {
        if (again-- > 0) timers.at(timers.now(), loop)
      }
      timers.at(10, () => {
        timers.at(5, () => fired.push(`past@${timers.now()}`))
        timers.at(30, () => fired.push(`later@${timers.now()}`))
        loop()
      })
      yield* TestClock.adjust(50)
      expect(fired).toEqual(["past@10", "later@30"])
      expect(again).toBe(-1)
      expect(timers.size()).toBe(0)
    })
  )

  it.effect("I24 a `fire` that throws is logged and stops nothing", () =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      const logger = Logger.make((options) => {
        logged.push(`${options.logLevel} ${String(options.message)} ${String(options.cause)}`)
      })
      const fired: Array<string> = []
      yield* Effect.gen(function* () {
        const timers = yield* Timers.make
        timers.at(10, () => {
          throw new Error("broken timer")
        })
        timers.at(10, () => fired.push("same time"))
        timers.at(20, () => fired.push("later"))
        yield* TestClock.adjust(30)
      }).pipe(Effect.scoped, Effect.provide(Logger.layer([logger])))
      expect(fired).toEqual(["same time", "later"])
      expect(logged).toHaveLength(1)
      expect(logged[0]).toContain("Error A timer died")
      expect(logged[0]).toContain("broken timer")
    })
  )

  it.effect("closing the scope stops the wheel", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const timers = yield* Scope.provide(Timers.make, scope)
      const fired: Array<string> = []
      timers.at(10, () => fired.push("before"))
      yield* Scope.close(scope, Exit.void)
      timers.at(20, () => fired.push("after"))
      yield* TestClock.adjust(100)
      expect(fired).toEqual([])
    })
  )

  it.effect("a clock set back does not make a deadline early", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(10_000)
      const timers = yield* Timers.make
      const fired: Array<number> = []
      timers.at(12_000, () => fired.push(timers.now()))
      yield* TestClock.setTime(5_000)
      yield* TestClock.adjust(6_999)
      expect(fired).toEqual([])
      yield* TestClock.adjust(1)
      expect(fired).toEqual([12_000])
    })
  )

  it("refuses a time that is no number", () => {
    const program = Effect.scoped(Effect.map(Timers.make, (timers) => timers.at(Number.NaN, () => {})))
    expect(() => Effect.runSync(program)).toThrow("NaN")
  })

  it.effect("keeps its order over thousands of deadlines set and taken back in random order", () =>
    Effect.gen(function* () {
      const timers = yield* Timers.make
      let fired: Array<number> = []
      let standing: Array<readonly [time: number, id: number, timer: Timers.Timer]> = []
      for (let id = 0; id < 5_000; id++) {
        const time = yield* Random.nextIntBetween(0, 2_000)
        const timer = timers.at(time, () => fired.push(id))
        standing.push([time, id, timer])
        if (id % 3 === 0) {
          const [gone] = standing.splice(yield* Random.nextIntBetween(0, standing.length - 1), 1)
          gone?.[2].cancel()
        }
      }
      standing = standing.filter(([time]) => time > 0)
      yield* TestClock.adjust(0)
      fired = []
      yield* TestClock.adjust(2_000)
      expect(fired).toEqual(standing.sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, id]) => id))
      expect(timers.size()).toBe(0)
    }).pipe(Random.withSeed("timers"))
  )

  const Step = Schema.Union([
    Schema.Struct({ op: Schema.tag("at"), time: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 })) }),
    Schema.Struct({ op: Schema.tag("cancel"), which: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 })) }),
    Schema.Struct({ op: Schema.tag("pass"), ms: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 })) })
  ])
  const Steps = Schema.Array(Step)

  it.effect.prop(
    "behaves as a sorted array of (time, insertion), and is empty once all fired or were cancelled",
    { steps: Steps },
    ({ steps }) =>
      Effect.gen(function* () {
        const timers = yield* Timers.make
        const origin = timers.now()
        const fired: Array<string> = []
        const expected: Array<string> = []
        const handles: Array<Timers.Timer> = []
        let standing: Array<{ readonly time: number; readonly id: number }> = []
        let now = 0
        const passTo = (time: number) => {
          const due = standing
            .filter((entry) => entry.time <= time)
            .sort((a, b) => Math.max(a.time, now) - Math.max(b.time, now) || a.time - b.time || a.id - b.id)
          for (const entry of due) expected.push(`${entry.id}@${Math.max(entry.time, now)}`)
          standing = standing.filter((entry) => entry.time > time)
          now = time
        }
        for (const step of steps) {
          if (step.op === "at") {
            const id = handles.length
            handles.push(timers.at(origin + step.time, () => fired.push(`${id}@${timers.now() - origin}`)))
            standing.push({ time: step.time, id })
          } else if (step.op === "cancel") {
            handles[step.which]?.cancel()
            standing = standing.filter((entry) => entry.id !== step.which)
          } else {
            passTo(now + step.ms)
            yield* TestClock.adjust(step.ms)
          }
          expect(timers.size()).toBe(standing.length)
          expect(fired).toEqual(expected)
        }
        for (const handle of handles) handle.cancel()
        expect(timers.size()).toBe(0)
      }).pipe(Effect.scoped),
    { arbitrary: { runs: 300 } }
  )
})
