import { describe, expect, it } from "@effect/vitest"
import { Cause, Clock, Deferred, Effect, Exit, Fiber, Queue, Random, Ref, Semaphore } from "effect"
import * as Timers from "../../src/conversation/Timers.ts"
import { make as makeCoordinator } from "../../src/memory/LocalCoordinator.ts"
import { forAllSeeds, SimulationError, simulate } from "../../src/testing/Sim.ts"

/** Four deposits read, then write; without the lock some interleavings lose one. */
const deposits = (locked: boolean) =>
  Effect.gen(function* () {
    const trace: Array<string> = []
    const balance = yield* Ref.make(0)
    const lock = yield* Semaphore.make(1)
    const deposit = (who: string) => {
      const readAndWrite = Effect.gen(function* () {
        const seen = yield* Ref.get(balance)
        trace.push(`${who}:${seen}@${yield* Clock.currentTimeMillis}`)
        yield* Ref.set(balance, seen + 1)
      })
      return Effect.andThen(Effect.sleep("10 seconds"), locked ? lock.withPermit(readAndWrite) : readAndWrite)
    }
    yield* Effect.forEach(["a", "b", "c", "d"], deposit, { concurrency: "unbounded", discard: true })
    return { total: yield* Ref.get(balance), trace: trace.join(" "), dice: yield* Random.next }
  })

describe("Sim", () => {
  it.effect("finds a race under some seeds, none with the lock, and replays each seed exactly", () =>
    Effect.gen(function* () {
      const traces = new Set<string>()
      let losing = 0
      for (let seed = 0; seed < 100; seed++) {
        const run = yield* simulate(seed, deposits(false))
        expect(yield* simulate(seed, deposits(false))).toEqual(run)
        traces.add(run.trace)
        if (run.total !== 4) losing++
        expect((yield* simulate(seed, deposits(true))).total).toBe(4)
      }
      expect(losing).toBeGreaterThan(10)
      expect(traces.size).toBeGreaterThan(10)
    })
  )

  it.effect("forAllSeeds names the seed that broke, and that seed alone breaks again", () =>
    Effect.gen(function* () {
      const check = () => Effect.map(deposits(false), ({ total }) => expect(total).toBe(4))
      const error = yield* Effect.flip(forAllSeeds(100, check))
      expect(error.message).toMatch(/^seed \d+: .*expected \d to be 4/su)
      const again = yield* Effect.flip(forAllSeeds(1, check, { from: error.seed }))
      expect(again.message).toBe(error.message)
      yield* forAllSeeds(100, () => Effect.map(deposits(true), ({ total }) => expect(total).toBe(4)))
    })
  )

  it.effect("a typed failure and a defect come through as they are", () =>
    Effect.gen(function* () {
      expect(yield* Effect.flip(simulate(1, Effect.fail("typed")))).toBe("typed")
      const exit = yield* Effect.exit(simulate(1, Effect.die("defect")))
      expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toBe("defect")
    })
  )

  it.effect("TIME-01 virtual time has no limit of 2^31 ms and passes at once", () =>
    Effect.gen(function* () {
      const program = Effect.gen(function* () {
        const before = yield* Clock.monotonicTimeNanos
        yield* Effect.sleep("40 days")
        return [yield* Clock.currentTimeMillis, (yield* Clock.monotonicTimeNanos) - before]
      })
      const ms = 40 * 86_400_000
      expect(yield* simulate(7, program)).toEqual([ms, BigInt(ms) * 1_000_000n])
      expect(yield* simulate(7, Clock.currentTimeMillis, { start: 5_000 })).toBe(5_000)
    })
  )

  it.effect("a deadlock is reported with its time and seed", () =>
    Effect.gen(function* () {
      const program = Effect.gen(function* () {
        yield* Effect.sleep("3 seconds")
        yield* Queue.take(yield* Queue.unbounded<number>())
      })
      const error = yield* Effect.flip(simulate(12, program))
      expect(error).toBeInstanceOf(SimulationError)
      expect(error).toMatchObject({ reason: "deadlock", at: 3_000, seed: 12 })
      expect(error.message).toMatch(/deadlock at t=3000 ms .*seed 12/u)
    })
  )

  it.effect("a livelock ends at maxSteps", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(simulate(3, Effect.forever(Effect.yieldNow), { maxSteps: 1_000 }))
      expect(error).toMatchObject({ reason: "livelock", seed: 3, steps: 1_001 })
      const busy = Effect.forever(Effect.sleep("1 millis"))
      expect(yield* Effect.flip(simulate(3, busy, { maxSteps: 1_000 }))).toMatchObject({ reason: "livelock" })
    })
  )

  it.effect("a promise that needs no I/O is no deadlock, and time does not pass meanwhile", () =>
    Effect.gen(function* () {
      const program = Effect.gen(function* () {
        const sleeper = yield* Effect.forkChild(Effect.sleep("1 second"))
        const value = yield* Effect.promise(async () => {
          await Promise.resolve()
          await Promise.resolve()
          return 42
        })
        const at = yield* Clock.currentTimeMillis
        yield* Fiber.join(sleeper)
        return [value, at]
      })
      expect(yield* simulate(4, program)).toEqual([42, 0])
    })
  )

  it.effect("scopes close inside the simulation, in virtual time", () =>
    Effect.gen(function* () {
      const closed: Array<number> = []
      const program = Effect.gen(function* () {
        const done = yield* Deferred.make<void>()
        yield* Effect.addFinalizer(() =>
          Effect.sleep("1 second").pipe(
            Effect.andThen(Clock.currentTimeMillis),
            Effect.map((at) => closed.push(at))
          )
        )
        yield* Deferred.succeed(done, undefined)
      })
      yield* simulate(5, program)
      expect(closed).toEqual([1_000])
    })
  )

  it.effect("local fences are as repeatable as the rest", () =>
    Effect.gen(function* () {
      const program = Effect.gen(function* () {
        const coordinator = yield* makeCoordinator()
        const lease = yield* (yield* coordinator.enqueue("key")).granted
        return [lease.fence, coordinator.incarnation]
      })
      expect(yield* simulate(6, program)).toEqual(yield* simulate(6, program))
      expect((yield* simulate(7, program))[1]).not.toBe((yield* simulate(6, program))[1])
    })
  )

  it.effect("TIME-01 the deadline wheel keeps order and time under 100 seeds while others set and take back", () =>
    forAllSeeds(100, () =>
      Effect.gen(function* () {
        const timers = yield* Timers.make
        const fired: Array<readonly [time: number, at: number]> = []
        let kept = 0
        const worker = Effect.gen(function* () {
          for (let i = 0; i < 10; i++) {
            yield* Effect.sleep(yield* Random.nextIntBetween(0, 50))
            const time = timers.now() + (yield* Random.nextIntBetween(0, 100))
            const timer = timers.at(time, () => fired.push([time, timers.now()]))
            if (yield* Random.nextBoolean) kept++
            else timer.cancel()
          }
        })
        yield* Effect.forEach([1, 2, 3], () => worker, { concurrency: "unbounded", discard: true })
        yield* Effect.sleep("1 second")
        expect(timers.size()).toBe(0)
        for (const [time, at] of fired) expect(at).toBe(time)
        expect(fired.length).toBeGreaterThanOrEqual(kept)
      })
    )
  )
})
