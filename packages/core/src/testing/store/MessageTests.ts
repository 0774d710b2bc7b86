/** A4, A6, B10: messages in their order and pages, ids of any text, bounds of a page. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { Store } from "../../spi/Store.ts"
import { admit, chat, checkpoint, contact, everyPage, message, times } from "./Fixtures.ts"
import type { Test } from "../Conformance.ts"

export const messages = (test: Test<Store>): void => {
  test("A6 messages come newest first, in and out, each id once", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const bot = "a6/order"
      const rows = times(7).map((index) =>
        message(`m${index}`, "c1", index * 10, { direction: index % 2 === 0 ? "in" : "out", body: `¿${index}? 👋` })
      )
      for (const repeat of times(2)) {
        for (const row of rows) {
          if (row.direction === "out") yield* store.saveMessage(bot, row)
          else yield* store.admit(bot, chat("c1", `name ${repeat}`), contact("u1", "Ana"), row)
        }
      }
      yield* store.saveMessage(bot, message("m0", "c2", 5))
      expect(yield* store.messages(bot, "c1", { limit: 200 })).toEqual({ items: rows.toReversed() })
      expect((yield* store.messages(bot, "c2", { limit: 200 })).items).toHaveLength(1)
      expect(yield* store.messages(bot, "c3", { limit: 200 })).toEqual({ items: [] })
    }))

  test("B10 ids are opaque: every character counts, the last space too", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const bot = "b10/ids"
      const ids = [
        "a",
        "A",
        "a ",
        " a",
        "á",
        "a\u0301",
        "a%",
        "a_",
        "a'--",
        'a"',
        "a|b",
        "a:b",
        "👩‍👧",
        "x".repeat(500)
      ]
      for (const id of ids) {
        expect(yield* admit(store, bot, id, id)).toEqual({ firstContact: true })
        expect(yield* store.setCheckpointIf(bot, id, checkpoint(id, 1, 1))).toBe(true)
        yield* store.setProfile(bot, id, id, id)
        yield* store.setValue(bot, id, id)
      }
      for (const id of ids) {
        expect((yield* store.messages(bot, id, { limit: 9 })).items.map((row) => [row.id, row.chatId])).toEqual([
          [id, id]
        ])
        expect((yield* store.getCheckpoint(bot, id)).checkpoint?.id).toBe(id)
        expect(yield* store.profile(bot, id)).toEqual({ [id]: id })
        expect(yield* store.getValue(bot, id)).toBe(id)
      }
    }))

  test("A6 no text of a message stops it from being stored", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const bodies = ["", "\u0000", "half of a pair: \ud83d", "x".repeat(100_000)]
      for (const body of bodies) yield* store.saveMessage("a6/text", message(`m${body.length}`, "c1", 0, { body }))
      expect((yield* store.messages("a6/text", "c1", { limit: 9 })).items).toHaveLength(bodies.length)
    }))

  test("A4 messages without an id are never taken for one another", () =>
    Effect.gen(function* () {
      const store = yield* Store
      for (const at of times(3)) yield* store.saveMessage("a4/empty", message("", "c1", at))
      const { items } = yield* store.messages("a4/empty", "c1", { limit: 10 })
      expect(items.map(({ at, id }) => [id, at])).toEqual([
        ["", 2],
        ["", 1],
        ["", 0]
      ])
    }))

  test("A6 pages of messages give each once, also when new ones come in between", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const bot = "a6/pages"
      for (const index of times(25)) yield* store.saveMessage(bot, message(`m${index}`, "c1", index))
      let late = 100
      const items = yield* everyPage((after) =>
        Effect.tap(store.messages(bot, "c1", after === undefined ? { limit: 10 } : { limit: 10, after }), () =>
          store.saveMessage(bot, message(`m${late++}`, "c1", late))
        )
      )
      expect(items.map(({ id }) => id)).toEqual(times(25).map((index) => `m${24 - index}`))
      expect((yield* store.messages(bot, "c1", { limit: 10, after: "nonsense" })).items).toEqual([])
    }))

  test("I23 a page has a bound, and a store says so", () =>
    Effect.gen(function* () {
      const store = yield* Store
      for (const limit of [0, -1, 1.5, Number.NaN, 1_001]) {
        const refused = [
          yield* Effect.flip(store.messages("i23/a", "c1", { limit })),
          yield* Effect.flip(store.checkpoints("i23/a", { limit })),
          yield* Effect.flip(store.due("i23/a", { limit, before: 1 }))
        ]
        expect(refused.map(({ isRetryable, reason }) => [reason, isRetryable])).toEqual(
          Array(3).fill(["invalid", false])
        )
      }
    }))
}
