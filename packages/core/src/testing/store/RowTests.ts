/** ST7, ST8 and the rows beside checkpoints: profiles, handoffs, values, lists and due keys. */
import { expect } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Store } from "../../spi/Store.ts"
import { fenceTtl } from "../../spi/StoreDriver.ts"
import { admit, chat, checkpoint, contact, everyPage, message, times, tombstone } from "./Fixtures.ts"
import type { Test } from "../Conformance.ts"

const unbounded = { concurrency: "unbounded" } as const

export const races = (test: Test<Store>): void => {
  test("DUR-04 two replicas write different fields of one profile 1,000 times, ST7: both are kept", () =>
    Effect.gen(function* () {
      const store = yield* Store
      for (const round of times(1_000)) {
        yield* Effect.all(
          ["name", "city"].map((field) =>
            Effect.andThen(Effect.yieldNow, store.setProfile("dur04/profile", "u1", field, `${field}${round}`))
          ),
          unbounded
        )
        const expected = { name: `name${round}`, city: `city${round}` }
        expect(yield* store.profile("dur04/profile", "u1")).toEqual(expected)
      }
    }))

  test("DUR-04 two replicas write one checkpoint 1,000 times: one wins each time, the other is refused", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const won = [0, 0]
      for (const round of times(1_000)) {
        const accepted = yield* Effect.forEach(
          // Now one is first to try, now the other.
          round % 2 === 0 ? [0, 1] : [1, 0],
          (replica) =>
            Effect.andThen(
              Effect.yieldNow,
              store.setCheckpointIf("dur04/cas", "k", checkpoint("a", round + 1, 1, { state: { replica } }))
            ),
          unbounded
        )
        expect(accepted.filter((was) => was)).toHaveLength(1)
        const stands = (yield* store.getCheckpoint("dur04/cas", "k")).checkpoint
        expect(stands?.revision).toBe(round + 1)
        won[Number(stands?.state.replica)] = (won[Number(stands?.state.replica)] ?? 0) + 1
      }
      expect((won[0] ?? 0) + (won[1] ?? 0)).toBe(1_000)
    }))

  test("ST7 a field is set, replaced and removed without touching the others", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const bot = "st7/fields"
      const values = {
        text: "ñ\u0000",
        zero: 0,
        no: false,
        nothing: null,
        list: [1, { a: "b" }],
        "": "",
        ["__proto__"]: { admin: true }
      }
      for (const [field, value] of Object.entries(values)) yield* store.setProfile(bot, "u1", field, value)
      const found = yield* store.profile(bot, "u1")
      expect(Object.entries(found).sort()).toEqual(Object.entries(values).sort())
      expect(found.admin).toBeUndefined()
      yield* store.setProfile(bot, "u1", "text", "new")
      yield* store.setProfile(bot, "u1", "text", "new")
      yield* store.setProfile(bot, "u1", "list", undefined)
      yield* store.setProfile(bot, "u1", "list", undefined)
      const { list: _, ...rest } = { ...values, text: "new" }
      expect(yield* store.profile(bot, "u1")).toEqual(rest)
      expect((yield* store.open(bot, "c1:u1", "c1", "u1")).profile).toEqual(rest)
      expect(yield* store.profile(bot, "u2")).toEqual({})
      const refused = yield* Effect.flip(store.setProfile(bot, "u1", "bad", () => 1))
      expect([refused.reason, refused.isRetryable]).toEqual(["invalid", false])
    }))

  test("ST8 first contact is true for exactly one of 100 concurrent admits of a new chat", () =>
    Effect.gen(function* () {
      const store = yield* Store
      for (const round of times(20)) {
        const firsts = yield* Effect.forEach(
          times(100),
          (index) => Effect.andThen(Effect.yieldNow, admit(store, "st8/many", `c${round}`, `m${index}`)),
          unbounded
        )
        expect(firsts.filter(({ firstContact }) => firstContact)).toHaveLength(1)
      }
    }))

  test("ST8 a repeat is no first contact, a message of the bot is none, each bot and chat has its own", () =>
    Effect.gen(function* () {
      const store = yield* Store
      yield* store.saveMessage("st8/a", message("m0", "c1", 0, { direction: "out" }))
      expect(yield* admit(store, "st8/a", "c1", "m1")).toEqual({ firstContact: true })
      expect(yield* admit(store, "st8/a", "c1", "m1")).toEqual({ firstContact: false })
      expect(yield* admit(store, "st8/a", "c2", "m1")).toEqual({ firstContact: true })
      expect(yield* admit(store, "st8/b", "c1", "m1")).toEqual({ firstContact: true })
    }))
}

export const lists = (test: Test<Store>): void => {
  test("I14 live checkpoints are listed once each, in order of their keys, across pages", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const bot = "i14/list"
      const keys = times(57).map((index) => `k${String(index).padStart(3, "0")}`)
      for (const key of keys.toReversed()) yield* store.setCheckpointIf(bot, key, checkpoint(key, 1, 1))
      for (const key of keys.slice(10, 40)) yield* store.clearCheckpointIf(bot, key, tombstone(key, 2, 1))
      yield* store.raiseFence(bot, "k000a", 3)
      for (const limit of [1, 7, 27, 28, 1_000]) {
        const items = yield* everyPage((after) =>
          store.checkpoints(bot, after === undefined ? { limit } : { limit, after })
        )
        expect(items.map(({ key }) => key)).toEqual([...keys.slice(0, 10), ...keys.slice(40)])
        expect(items.every(({ checkpoint: { id }, key }) => id === key)).toBe(true)
      }
      expect(yield* store.checkpoints("i14/other", { limit: 5 })).toEqual({ items: [] })
    }))

  test("C23 keys are due at their wait's deadline, the earliest first", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const bot = "c23/due"
      const sleep = (run: string, revision: number, deadline: number) =>
        checkpoint(run, revision, 1, { wait: { kind: "sleep", op: "sleep", deadline } })
      for (const index of times(20)) {
        const deadline = 1_000 + ((index * 7) % 20)
        yield* store.setCheckpointIf(bot, `k${deadline}`, sleep("a", 1, deadline))
      }
      yield* store.setCheckpointIf(bot, "none", checkpoint("a", 1, 1))
      yield* store.setCheckpointIf("c23/other", "k", sleep("a", 1, 1))
      const due = (before: number, limit = 100) =>
        Effect.map(store.due(bot, { before, limit }), (found) => found.map(({ wakeAt }) => wakeAt))
      expect(yield* due(999)).toEqual([])
      expect(yield* store.due(bot, { before: 1_000, limit: 9 })).toEqual([{ key: "k1000", wakeAt: 1_000 }])
      expect(yield* due(1_004)).toEqual([1_000, 1_001, 1_002, 1_003, 1_004])
      expect(yield* due(9_999, 3)).toEqual([1_000, 1_001, 1_002])
      // Moved, cleared, and without a deadline from now on.
      yield* store.setCheckpointIf(bot, "k1000", sleep("a", 2, 1_050))
      yield* store.clearCheckpointIf(bot, "k1001", tombstone("a", 2, 1))
      yield* store.setCheckpointIf(bot, "k1002", checkpoint("a", 2, 1))
      expect(yield* due(1_004)).toEqual([1_003, 1_004])
      yield* store.setCheckpointIf(bot, "k1000", sleep("a", 3, 1_003))
      yield* store.setCheckpointIf(bot, "k1000", sleep("a", 4, 1_003))
      expect(yield* due(1_004)).toEqual([1_003, 1_003, 1_004])
      expect((yield* due(9_999)).length).toBe(18)
    }))
}

export const fields = (test: Test<Store>): void => {
  test("B14 a handoff is set, replaced and taken back", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const handoff = { since: 5, by: "Eva", note: "¿factura?" }
      expect(yield* store.handoff("b14/a", "c1")).toBeUndefined()
      yield* store.setHandoff("b14/a", "c1", { since: 1 })
      yield* store.setHandoff("b14/a", "c1", handoff)
      expect(yield* store.handoff("b14/a", "c1")).toEqual(handoff)
      expect((yield* store.open("b14/a", "c1:u1", "c1", "u1")).handoff).toEqual(handoff)
      expect(yield* store.handoff("b14/a", "c2")).toBeUndefined()
      yield* store.setHandoff("b14/a", "c1", undefined)
      yield* store.setHandoff("b14/a", "c1", undefined)
      expect((yield* store.open("b14/a", "c1:u1", "c1", "u1")).handoff).toBeUndefined()
    }))

  test("R13 a provider's value is kept until it is replaced, removed or expired", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const bot = "r13/values"
      const now = yield* Clock.currentTimeMillis
      yield* store.setValue(bot, "cursor", "1")
      yield* store.setValue(bot, "cursor", "2")
      yield* store.setValue(bot, "button", "pro", now + 1_000)
      yield* store.setValue(bot, "kept", "x", now + 1_000)
      yield* store.setValue(bot, "kept", "y")
      yield* TestClock.adjust(999)
      expect(yield* store.getValue(bot, "button")).toBe("pro")
      yield* TestClock.adjust(1)
      expect(yield* store.getValue(bot, "button")).toBeUndefined()
      yield* TestClock.adjust("400 days")
      expect([yield* store.getValue(bot, "cursor"), yield* store.getValue(bot, "kept")]).toEqual(["2", "y"])
      yield* store.setValue(bot, "cursor", undefined)
      yield* store.setValue(bot, "cursor", undefined)
      expect(yield* store.getValue(bot, "cursor")).toBeUndefined()
    }))

  test("ST9 a value under a fence is written under no lower one than it was written or read with, R13", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const bot = "st9/lower"
      expect(yield* store.takeValue(bot, "creds", 5)).toEqual({ value: undefined, fence: 5 })
      expect(yield* store.putValue(bot, "creds", "old", 5)).toBe(5)
      // The next leader reads before it writes: what the former one still pushes out is refused.
      expect(yield* store.takeValue(bot, "creds", 8)).toEqual({ value: "old", fence: 8 })
      expect(yield* store.putValue(bot, "creds", "late", 5)).toBe(8)
      expect(yield* store.putValue(bot, "creds", undefined, 7)).toBe(8)
      expect(yield* store.takeValue(bot, "creds", 5)).toEqual({ value: "old", fence: 8 })
      expect(yield* store.putValue(bot, "creds", "new", 9)).toBe(9)
      expect(yield* store.putValue(bot, "creds", "new", 9)).toBe(9)
      expect(yield* store.putValue(bot, "creds", "late", 8)).toBe(9)
      expect(yield* store.takeValue(bot, "creds", 9)).toEqual({ value: "new", fence: 9 })
      expect(yield* store.putValue(bot, "other", "x", 1)).toBe(1)
      expect(yield* store.getValue(bot, "creds")).toBeUndefined()
      expect(yield* store.takeValue("st9/bot", "creds", 1)).toEqual({ value: undefined, fence: 1 })
    }))

  test("ST9 the fence of a value that was removed, or is gone by time, stands an hour longer, R13", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const bot = "st9/gone"
      const now = yield* Clock.currentTimeMillis
      yield* store.putValue(bot, "removed", "x", 7)
      yield* store.putValue(bot, "removed", undefined, 7)
      yield* store.putValue(bot, "ended", "x", 7, now + 1_000)
      expect(yield* store.takeValue(bot, "ended", 8)).toEqual({ value: "x", fence: 8 })
      yield* TestClock.adjust(1_000)
      expect(yield* store.takeValue(bot, "ended", 8)).toEqual({ value: undefined, fence: 8 })
      yield* store.takeValue(bot, "read", 7)
      yield* TestClock.adjust(fenceTtl - 60_000)
      for (const name of ["removed", "ended", "read"]) {
        expect(yield* store.putValue(bot, name, "late", 6), name).toBeGreaterThan(6)
        expect(yield* store.takeValue(bot, name, 9), name).toEqual({ value: undefined, fence: 9 })
      }
      yield* TestClock.adjust(fenceTtl - 60_000)
      for (const name of ["removed", "ended", "read"]) {
        expect(yield* store.putValue(bot, name, "late", 8), name).toBe(9)
      }
      yield* store.putValue(bot, "kept", "x", 1)
      yield* TestClock.adjust("400 days")
      expect(yield* store.takeValue(bot, "kept", 1)).toEqual({ value: "x", fence: 1 })
    }))

  test("R21 two bots share nothing", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const [mine, other] = ["r21/mine", "r21/other"]
      yield* store.admit(mine, chat("c1"), contact("u1"), message("m1", "c1"))
      yield* store.setProfile(mine, "u1", "name", "Ana")
      yield* store.setHandoff(mine, "c1", { since: 1 })
      yield* store.setCheckpointIf(mine, "c1", checkpoint("a", 1, 1))
      yield* store.setValue(mine, "v", "1")
      yield* store.raiseFence(mine, "c2", 9)
      const nothing = { handoff: undefined, profile: {}, checkpoint: undefined, tombstone: undefined }
      expect(yield* store.open(other, "c1", "c1", "u1")).toEqual(nothing)
      expect((yield* store.messages(other, "c1", { limit: 1 })).items).toEqual([])
      expect(yield* store.getValue(other, "v")).toBeUndefined()
      expect(yield* store.setCheckpointIf(other, "c2", checkpoint("a", 1, 1))).toBe(true)
      expect((yield* store.open(mine, "c1", "c1", "u1")).profile).toEqual({ name: "Ana" })
    }))
}
