import { MemoryStore } from "@botmesh/core"
import { type CheckpointRow, fenceTtl, fromDriver, type MessageRow, unreadableFlow } from "@botmesh/core/spi"
import { StoreSuite } from "@botmesh/core/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

const bot = "t/memory"
const message = (id: string, chatId: string): MessageRow => ({
  id,
  chatId,
  sender: chatId,
  direction: "in",
  type: "text",
  body: "hola",
  at: 0
})
const row = (more: Partial<CheckpointRow> = {}): CheckpointRow => ({
  id: "a",
  revision: 1,
  fence: 1,
  expires: null,
  data: "{}",
  applied: "[]",
  wakeAt: null,
  ...more
})
const admit = (store: ReturnType<typeof MemoryStore.make>, chat: string, id = "m") =>
  Effect.map(
    store.admit(bot, { id: chat, isGroup: false }, { id: chat }, message(id, chat)),
    ({ firstContact }) => firstContact
  )
const kept = (store: ReturnType<typeof MemoryStore.make>, chat: string) =>
  Effect.map(store.messages(bot, chat, { limit: 200 }), ({ items }) => items.map(({ id }) => id))

describe("a memory store without room", () => {
  it.effect("I23 the least used chat goes, with its messages", () =>
    Effect.gen(function* () {
      const store = MemoryStore.make({ maxChats: 3 })
      for (const chat of ["a", "b", "c"]) expect(yield* admit(store, chat)).toBe(true)
      yield* admit(store, "a", "m2")
      expect(yield* admit(store, "d")).toBe(true)
      expect(yield* kept(store, "b")).toEqual([])
      expect(yield* kept(store, "a")).toEqual(["m2", "m"])
      yield* admit(store, "a", "m3")
      expect(yield* admit(store, "e")).toBe(true)
      expect(yield* kept(store, "c")).toEqual([])
      expect([yield* admit(store, "a"), yield* admit(store, "b")]).toEqual([false, true])
      // A flood of new chats does not push out the one that is used all the time.
      for (let index = 0; index < 1_000; index++) {
        yield* admit(store, `new${index}`)
        expect(yield* admit(store, "a", "again")).toBe(false)
      }
    })
  )

  it.effect("I23 a chat keeps its newest messages, all chats together a number of them", () =>
    Effect.gen(function* () {
      const store = MemoryStore.make({ maxMessagesPerChat: 3, maxMessages: 7 })
      for (let index = 0; index < 8; index++) yield* admit(store, "a", `m${index}`)
      expect(yield* kept(store, "a")).toEqual(["m7", "m6", "m5"])
      // Known, so stored once; forgotten, so stored again.
      yield* admit(store, "a", "m6")
      yield* admit(store, "a", "m0")
      expect(yield* kept(store, "a")).toEqual(["m0", "m7", "m6"])
      for (const chat of ["b", "c"]) for (const id of ["1", "2", "3"]) yield* admit(store, chat, id)
      const left = [yield* kept(store, "a"), yield* kept(store, "b"), yield* kept(store, "c")]
      expect(left.flat().length).toBeLessThanOrEqual(7)
      expect(left[2]).toEqual(["3", "2", "1"])
      // Its messages went, it did not: no first contact.
      expect([yield* admit(store, "a", "x"), yield* admit(store, "b", "x")]).toEqual([false, false])
    })
  )

  it.effect("I23 a single chat over the limit of all keeps its newest message", () =>
    Effect.gen(function* () {
      const store = MemoryStore.make({ maxMessages: 2 })
      for (let index = 0; index < 50; index++) yield* admit(store, "a", `m${index}`)
      const ids = yield* kept(store, "a")
      expect(ids[0]).toBe("m49")
      expect(ids.length).toBeLessThanOrEqual(2)
    })
  )

  it.effect("A6 a cursor survives the messages that were dropped behind it", () =>
    Effect.gen(function* () {
      const store = MemoryStore.make({ maxMessagesPerChat: 5 })
      for (let index = 0; index < 5; index++) yield* admit(store, "a", `m${index}`)
      const first = yield* store.messages(bot, "a", { limit: 2 })
      expect(first.items.map(({ id }) => id)).toEqual(["m4", "m3"])
      yield* admit(store, "a", "m5")
      yield* admit(store, "a", "m6")
      const second = yield* store.messages(bot, "a", { limit: 9, after: first.next ?? "" })
      expect(second).toEqual({ items: [message("m2", "a")] })
      for (let index = 7; index < 20; index++) yield* admit(store, "a", `m${index}`)
      expect(yield* store.messages(bot, "a", { limit: 9, after: first.next ?? "" })).toEqual({ items: [] })
    })
  )

  it.effect("I23 checkpoints, profiles, handoffs and values are refused, never evicted", () =>
    Effect.gen(function* () {
      const one = { maxCheckpoints: 1, maxProfiles: 1, maxProfileFields: 1, maxHandoffs: 1, maxValues: 1, maxBots: 1 }
      const store = MemoryStore.make(one)
      expect(yield* store.putCheckpoint(bot, "k1", row(), 0)).toBe(true)
      yield* store.setProfile(bot, "u1", "name", '"Ana"')
      yield* store.setHandoff(bot, "c1", "{}")
      yield* store.setValue(bot, "v1", "1", null)
      const writes: Record<string, Effect.Effect<unknown, unknown>> = {
        maxCheckpoints: store.putCheckpoint(bot, "k2", row(), 0),
        maxProfiles: store.setProfile(bot, "u2", "name", "1"),
        maxProfileFields: store.setProfile(bot, "u1", "city", "1"),
        maxHandoffs: store.setHandoff(bot, "c2", "{}"),
        maxValues: store.setValue(bot, "v2", "1", null),
        maxBots: store.setValue("t/other", "v", "1", null)
      }
      for (const [option, write] of Object.entries(writes)) {
        const error = yield* Effect.flip(write)
        const reason = option === "maxProfileFields" ? "invalid" : "busy"
        expect(error).toMatchObject({ _tag: "StoreError", reason, message: expect.stringContaining(`raise ${option}`) })
      }
      const fence = yield* Effect.flip(store.raiseFence(bot, "k2", 1))
      expect(fence.reason).toBe("busy")
      // What stands may still change, and room that was freed is room.
      expect(yield* store.putCheckpoint(bot, "k1", row({ revision: 2 }), 0)).toBe(true)
      yield* store.setProfile(bot, "u1", "name", '"Eva"')
      yield* store.setProfile(bot, "u1", "name", null)
      yield* store.setProfile(bot, "u2", "name", '"Ana"')
      yield* store.setHandoff(bot, "c1", null)
      yield* store.setHandoff(bot, "c2", "{}")
      yield* store.setValue(bot, "v1", null, null)
      yield* store.setValue(bot, "v2", "2", null)
      expect(yield* store.profile(bot, "u2")).toEqual([["name", '"Ana"']])
    })
  )

  it.effect("I23 rows that are gone by time make room for new ones", () =>
    Effect.gen(function* () {
      const store = MemoryStore.make({ maxCheckpoints: 50, maxValues: 50 })
      for (let round = 0; round < 20; round++) {
        const now = round * 2 * fenceTtl
        for (let key = 0; key < 50; key++) {
          expect(yield* store.putCheckpoint(bot, `${round}-${key}`, row({ expires: now + 1_000 }), now)).toBe(true)
          yield* store.setValue(bot, `${round}-${key}`, "1", now + 1_000)
        }
        yield* TestClock.setTime((round + 1) * 2 * fenceTtl)
      }
      expect((yield* store.getCheckpoint(bot, "0-0")) === undefined).toBe(true)
    })
  )

  it.effect("I23 deadlines that moved leave no more behind than there are rows", () =>
    Effect.gen(function* () {
      const store = MemoryStore.make()
      for (let revision = 1; revision <= 2_000; revision++) {
        for (const key of ["k1", "k2", "k3"]) {
          yield* store.putCheckpoint(bot, key, row({ revision, wakeAt: 10_000 - ((revision * 7) % 5_000) }), 0)
        }
      }
      const due = yield* store.due(bot, { before: 20_000, limit: 100, now: 0 })
      const wakeAt = 10_000 - ((2_000 * 7) % 5_000)
      expect([...due].sort((a, b) => a.key.localeCompare(b.key))).toEqual(
        ["k1", "k2", "k3"].map((key) => ({ key, wakeAt }))
      )
    })
  )

  it("B11 an option that is no whole number from 1 on is refused by name", () => {
    expect(() => MemoryStore.make({ maxChats: 0 })).toThrow(
      "MemoryStore: maxChats must be a whole number from 1 on, got 0"
    )
    expect(() => MemoryStore.make({ maxValues: 1.5 })).toThrow("maxValues")
  })
})

describe("rows of a memory store", () => {
  it.effect("R1 a checkpoint of format 1 is read as it was meant", () =>
    Effect.gen(function* () {
      const driver = MemoryStore.make()
      const start = { ...StoreSuite.format1Row, revision: 1 }
      expect(yield* driver.putCheckpoint(bot, "k", start, 0)).toBe(true)
      expect(yield* driver.putCheckpoint(bot, "k", StoreSuite.format1Row, 0)).toBe(true)
      expect(yield* fromDriver(driver).getCheckpoint(bot, "k")).toEqual({ checkpoint: StoreSuite.format1Checkpoint })
    })
  )

  it.effect("I14 C18 a row that cannot be read stands as a flow nobody has, is left as it is, and can be cleared", () =>
    Effect.gen(function* () {
      const driver = MemoryStore.make()
      const store = fromDriver(driver)
      yield* driver.putCheckpoint(bot, "k", row({ data: '{"format":99}', fence: 7 }), 0)
      const { checkpoint } = yield* store.getCheckpoint(bot, "k")
      expect(checkpoint).toMatchObject({ id: "a", revision: 1, fence: 7, flow: unreadableFlow })
      expect((yield* store.checkpoints(bot, { limit: 9 })).items).toEqual([{ key: "k", checkpoint }])
      expect((yield* driver.getCheckpoint(bot, "k"))?.data).toBe('{"format":99}')
      expect(yield* store.clearCheckpointIf(bot, "k", { id: "a", revision: 2, fence: 7, applied: [] })).toBe(true)
      expect((yield* store.getCheckpoint(bot, "k")).checkpoint).toBeUndefined()
    })
  )

  it.effect("I19 what else cannot be read keeps the key usable: profile, handoff, tombstone", () =>
    Effect.gen(function* () {
      const driver = MemoryStore.make()
      const store = fromDriver(driver)
      yield* driver.setProfile(bot, "u", "good", "1")
      yield* driver.setProfile(bot, "u", "bad", "{")
      yield* driver.setHandoff(bot, "c", "{}")
      yield* driver.putCheckpoint(bot, "k", row(), 0)
      yield* driver.putCheckpoint(bot, "k", row({ revision: 2, data: null, applied: "{", expires: 1e12 }), 0)
      yield* TestClock.adjust(5)
      expect(yield* store.open(bot, "k", "c", "u")).toEqual({
        profile: { good: 1 },
        handoff: { since: 5 },
        checkpoint: undefined,
        tombstone: { id: "a", revision: 2, fence: 1, applied: [] }
      })
      expect(yield* store.profile(bot, "u")).toEqual({ good: 1 })
    })
  )

  it.effect("ST1 what a caller does to its own objects afterwards changes no row", () =>
    Effect.gen(function* () {
      const store = MemoryStore.make()
      const mutable = { ...message("m", "c") }
      yield* store.saveMessage(bot, mutable)
      mutable.body = "changed"
      expect((yield* store.messages(bot, "c", { limit: 1 })).items).toEqual([message("m", "c")])
    })
  )
})
