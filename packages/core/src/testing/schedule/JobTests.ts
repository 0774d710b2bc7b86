/** SC1 to SC6: durable jobs. */
import { expect } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { type MissedRuns, ScheduleStore, type StoredJob, type TakeOptions } from "../../spi/ScheduleStore.ts"
import type { Test } from "../Conformance.ts"

const unbounded = { concurrency: "unbounded" } as const
const times = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index)

const define = Effect.fnUntraced(function* (
  bot: string,
  id: string,
  next: number | undefined,
  more: { readonly spec?: StoredJob["spec"]; readonly policy?: MissedRuns } = {}
) {
  const store = yield* ScheduleStore
  return yield* store.define(bot, { id, spec: more.spec ?? { every: 60_000 }, policy: more.policy ?? "skip", next })
})

/** Takes an occurrence for a minute; the next is a minute later. */
const take = Effect.fnUntraced(function* (bot: string, id: string, at: number, more: Partial<TakeOptions> = {}) {
  const store = yield* ScheduleStore
  const until = (yield* Clock.currentTimeMillis) + 60_000
  return yield* store.take(bot, id, { at, next: at + 60_000, fence: 1, until, ...more })
})

const taken = Effect.fnUntraced(function* (bot: string, id: string, at: number, more: Partial<TakeOptions> = {}) {
  const answer = yield* take(bot, id, at, more)
  if (answer._tag !== "taken") throw new Error(`expected a run, got ${JSON.stringify(answer)}`)
  return answer.job.run
})

export const jobs = (test: Test<ScheduleStore>): void => {
  test("SC1 a definition given again keeps the job where it stands, another one sets its next time anew", () =>
    Effect.gen(function* () {
      const store = yield* ScheduleStore
      const bot = "sc1/define"
      const spec = { cron: "30 2 * * *", zone: "Europe/Madrid", note: 'ñ\u0000"' }
      const first = yield* define(bot, "j", 1_000, { spec })
      expect(first).toEqual({ id: "j", spec, policy: "skip", paused: false, next: 1_000, fence: 0 })
      yield* taken(bot, "j", 1_000, { next: 2_000 })
      expect(yield* define(bot, "j", 9_000, { spec })).toMatchObject({ next: 2_000, run: { at: 1_000 } })
      const changed = yield* define(bot, "j", 9_000, { spec, policy: "all" })
      expect(changed).toMatchObject({ next: 9_000, policy: "all", run: { at: 1_000 } })
      expect(yield* define(bot, "j", undefined, { spec: 1, policy: "all" })).not.toHaveProperty("next")
      expect(yield* store.find(bot, "j")).toMatchObject({ spec: 1, run: { at: 1_000 } })
      const refused = yield* Effect.flip(
        store.define(bot, { id: "k", spec: [Number.NaN], policy: "skip", next: undefined })
      )
      expect(refused.reason).toBe("invalid")
      expect(yield* store.find(bot, "k")).toBeUndefined()
    }))

  test("SC1 many replicas that define one job at once make one job", () =>
    Effect.gen(function* () {
      const store = yield* ScheduleStore
      yield* Effect.forEach(times(20), () => Effect.andThen(Effect.yieldNow, define("sc1/many", "j", 5)), unbounded)
      expect((yield* store.list("sc1/many", { limit: 9 })).items).toHaveLength(1)
    }))

  test("SC2 of 30 that take an occurrence at once one does, and it is never taken again, D4", () =>
    Effect.gen(function* () {
      const store = yield* ScheduleStore
      const bot = "sc2/one"
      yield* define(bot, "j", 1_000)
      for (const round of times(5)) {
        const at = 1_000 + round * 60_000
        const all = yield* Effect.forEach(
          times(30),
          () => Effect.andThen(Effect.yieldNow, take(bot, "j", at)),
          unbounded
        )
        const runs = all.flatMap((answer) => (answer._tag === "taken" ? [answer.job] : []))
        expect(runs).toHaveLength(1)
        const [job] = runs
        expect(job).toMatchObject({ next: at + 60_000, run: { at, attempt: 1, forced: false } })
        expect(yield* store.finish(bot, "j", job?.run.token ?? "", true)).toBe(true)
        expect((yield* take(bot, "j", at))._tag).toBe("moved")
      }
      expect((yield* take(bot, "none", 1))._tag).toBe("absent")
    }))

  test("SC3 a job has one run at a time; a lost one is taken over under its own time, and counted", () =>
    Effect.gen(function* () {
      const store = yield* ScheduleStore
      const bot = "sc3/lost"
      const now = yield* Clock.currentTimeMillis
      yield* define(bot, "j", now)
      const first = yield* taken(bot, "j", now, { until: now + 5_000 })
      expect(yield* take(bot, "j", now + 60_000)).toEqual({ _tag: "running", until: now + 5_000 })
      expect(yield* store.renew(bot, "j", first.token, now + 9_000)).toBe(true)
      yield* TestClock.adjust(8_999)
      expect((yield* take(bot, "j", now))._tag).toBe("running")
      yield* TestClock.adjust(1)
      expect((yield* take(bot, "j", now + 60_000))._tag).toBe("moved")
      const second = yield* taken(bot, "j", now)
      expect(second).toMatchObject({ at: now, attempt: 2 })
      expect((yield* store.find(bot, "j"))?.next).toBe(now + 60_000)
      expect(yield* store.renew(bot, "j", first.token, now + 99_000)).toBe(false)
      expect(yield* store.finish(bot, "j", first.token, true)).toBe(false)
      expect(yield* store.finish(bot, "j", second.token, true)).toBe(true)
    }))

  test("SC4 who leads under a lower fence takes and skips nothing, R5, I7", () =>
    Effect.gen(function* () {
      const store = yield* ScheduleStore
      const bot = "sc4/fence"
      const high = 1_767_225_600_000_123
      yield* define(bot, "j", 1_000)
      const run = yield* taken(bot, "j", 1_000, { fence: high })
      yield* store.finish(bot, "j", run.token, true)
      const stands = yield* store.find(bot, "j")
      const lower = { fence: high - 1 }
      expect(yield* take(bot, "j", 61_000, lower)).toEqual({ _tag: "superseded", fence: high })
      expect(yield* store.skip(bot, "j", { at: 61_000, next: 121_000, ...lower })).toBe(false)
      expect(yield* store.find(bot, "j")).toEqual(stands)
      expect(yield* store.skip(bot, "j", { at: 61_000, next: 121_000, fence: high })).toBe(true)
      expect(yield* store.skip(bot, "j", { at: 61_000, next: 181_000, fence: high })).toBe(false)
      expect((yield* store.find(bot, "j"))?.next).toBe(121_000)
      expect((yield* take(bot, "j", 121_000, { fence: high + 1 }))._tag).toBe("taken")
    }))

  test("SC5 only who runs it finishes it, and the same finish again is a repeat", () =>
    Effect.gen(function* () {
      const store = yield* ScheduleStore
      const bot = "sc5/finish"
      yield* define(bot, "j", 1_000)
      expect(yield* store.finish(bot, "j", "nobody", true)).toBe(false)
      const run = yield* taken(bot, "j", 1_000)
      expect(yield* store.finish(bot, "j", "nobody", true)).toBe(false)
      yield* TestClock.adjust(7)
      const finishedAt = yield* Clock.currentTimeMillis
      expect(yield* store.finish(bot, "j", run.token, false)).toBe(true)
      yield* TestClock.adjust(7)
      expect(yield* store.finish(bot, "j", run.token, false)).toBe(true)
      expect(yield* store.find(bot, "j")).toMatchObject({ last: { at: 1_000, ok: false, finishedAt } })
      expect(yield* store.renew(bot, "j", run.token, 9)).toBe(false)
    }))

  test("SC6 a paused job is not due until it is resumed; asked to run now it runs once and its time stays", () =>
    Effect.gen(function* () {
      const store = yield* ScheduleStore
      const bot = "sc6/pause"
      yield* TestClock.adjust(100)
      const now = yield* Clock.currentTimeMillis
      yield* define(bot, "j", now)
      const due = Effect.map(store.due(bot, { before: now + 1_000, limit: 9 }), (found) => found.map(({ id }) => id))
      expect(yield* due).toEqual(["j"])
      for (const _ of times(2)) expect(yield* store.pause(bot, "j")).toBe(true)
      expect(yield* due).toEqual([])
      expect((yield* take(bot, "j", now))._tag).toBe("moved")
      for (const _ of times(3)) expect(yield* store.runNow(bot, "j")).toBe(true)
      expect(yield* due).toEqual(["j"])
      const run = yield* taken(bot, "j", (yield* store.find(bot, "j"))?.asked ?? -1)
      expect(run).toMatchObject({ forced: true })
      // Asked while it runs: once more, afterwards.
      yield* store.runNow(bot, "j")
      expect(yield* due).toEqual([])
      yield* store.finish(bot, "j", run.token, true)
      expect(yield* due).toEqual(["j"])
      const again = yield* taken(bot, "j", (yield* store.find(bot, "j"))?.asked ?? -1)
      yield* store.finish(bot, "j", again.token, true)
      expect(yield* due).toEqual([])
      expect((yield* store.find(bot, "j"))?.next).toBe(now)
      expect(yield* store.resume(bot, "j", now + 500)).toBe(true)
      expect(yield* store.resume(bot, "j", now + 900)).toBe(true)
      expect(yield* store.find(bot, "j")).toMatchObject({ paused: false, next: now + 500 })
      expect(yield* due).toEqual(["j"])
      for (const act of [store.pause(bot, "x"), store.resume(bot, "x", 1), store.runNow(bot, "x")])
        expect(yield* act).toBe(false)
    }))

  test("D4 jobs are due earliest first: the next occurrence, a lost run, one that was asked for", () =>
    Effect.gen(function* () {
      const store = yield* ScheduleStore
      const bot = "d4/due"
      const now = yield* Clock.currentTimeMillis
      for (const n of times(9)) yield* define(bot, `j${n}`, now + ((n * 4) % 9) * 100)
      yield* define(bot, "never", undefined)
      const due = (before: number, limit = 20) =>
        Effect.map(store.due(bot, { before, limit }), (found) => found.map(({ id }) => id))
      const inOrder = times(9)
        .toSorted((a, b) => ((a * 4) % 9) - ((b * 4) % 9))
        .map((n) => `j${n}`)
      expect(yield* due(now + 800)).toEqual(inOrder)
      expect(yield* due(now + 300)).toEqual(inOrder.slice(0, 4))
      expect(yield* due(now + 800, 2)).toEqual(inOrder.slice(0, 2))
      const [first = ""] = inOrder
      yield* taken(bot, first, now, { until: now + 450 })
      expect(yield* due(now + 800)).toEqual([...inOrder.slice(1, 5), first, ...inOrder.slice(5)])
      expect(yield* due(now - 1)).toEqual([])
    }))

  test("D4 jobs are listed by id across pages, and removed; two bots share none, R21", () =>
    Effect.gen(function* () {
      const store = yield* ScheduleStore
      const bot = "d4/list"
      const ids = times(13).map((n) => `j${String(n).padStart(2, "0")}`)
      for (const id of ids.toReversed()) yield* define(bot, id, 5)
      yield* define("d4/other", "j00", 6)
      for (const limit of [1, 5, 12, 13, 1_000]) {
        const found: Array<string> = []
        let after: string | undefined
        do {
          const page: { readonly items: ReadonlyArray<StoredJob>; readonly next?: string } = yield* store.list(
            bot,
            after === undefined ? { limit } : { limit, after }
          )
          found.push(...page.items.map(({ id }) => id))
          after = page.next
        } while (after !== undefined)
        expect(found).toEqual(ids)
      }
      expect(yield* store.remove(bot, "j00")).toBe(true)
      expect(yield* store.remove(bot, "j00")).toBe(false)
      expect(yield* store.find(bot, "j00")).toBeUndefined()
      expect((yield* store.due(bot, { before: 5, limit: 50 })).map(({ id }) => id)).not.toContain("j00")
      expect(yield* store.find("d4/other", "j00")).toMatchObject({ next: 6 })
      expect(yield* define(bot, "j00", 7)).toMatchObject({ next: 7, fence: 0 })
      const refused = yield* Effect.flip(store.list(bot, { limit: 0 }))
      expect(refused.reason).toBe("invalid")
    }))

  test("SC2 many that act on one job at once lose no act of one another", () =>
    Effect.gen(function* () {
      const store = yield* ScheduleStore
      const bot = "sc2/acts"
      yield* define(bot, "j", 1_000)
      const run = yield* taken(bot, "j", 1_000)
      yield* Effect.all(
        [
          store.pause(bot, "j"),
          store.runNow(bot, "j"),
          store.finish(bot, "j", run.token, true),
          define(bot, "j", 4_000, { policy: "all" })
        ],
        unbounded
      )
      expect(yield* store.find(bot, "j")).toMatchObject({
        paused: true,
        asked: expect.any(Number),
        last: { at: 1_000, ok: true },
        policy: "all",
        next: 4_000
      })
    }))
}
