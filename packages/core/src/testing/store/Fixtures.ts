/** Rows and checkpoints for the tests of stores. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Checkpoint, Tombstone } from "../../model/Checkpoint.ts"
import { type ChatRow, type ContactRow, type MessageRow, Store, type StoreShape } from "../../spi/Store.ts"
import type { CheckpointRow } from "../../spi/StoreDriver.ts"

/** A checkpoint of run `id` at `revision`, written under `fence`. */
export const checkpoint = (
  id: string,
  revision: number,
  fence: number,
  more: Partial<Checkpoint> = {}
): Checkpoint => ({
  format: 1,
  id,
  visit: 1,
  flow: "registrar",
  version: "v1",
  stepId: "name",
  state: { revision },
  ops: [],
  pending: [],
  origin: saved("m0", "registrar"),
  trail: [],
  cuts: 0,
  applied: [],
  revision,
  fence,
  ...more
})

export const tombstone = (
  id: string,
  revision: number,
  fence: number,
  applied: ReadonlyArray<string> = []
): Tombstone => ({ id, revision, fence, applied })

export const chat = (id: string, name?: string): ChatRow =>
  name === undefined ? { id, isGroup: false } : { id, isGroup: false, name }
export const contact = (id: string, name?: string): ContactRow => (name === undefined ? { id } : { id, name })
export const message = (id: string, chatId: string, at = 0, more: Partial<MessageRow> = {}): MessageRow => ({
  id,
  chatId,
  sender: chatId,
  direction: "in",
  type: "text",
  body: `body of ${id}`,
  at,
  ...more
})

/** A checkpoint with every field in use, text outside ASCII and nested state. */
export const fullCheckpoint: Checkpoint = checkpoint("msg:44", 1, 1_767_225_600_000_123, {
  visit: 3,
  stepId: "padre/plan",
  state: { name: "Ñandú 👩‍👩‍👧", nested: { list: [1, 2.5, null, true, 'a\u0000b"\\'] }, "": "empty key" },
  ops: [
    { kind: "ask", name: "name", done: true, attempts: 2, answer: saved("m1", "Zoë") },
    { kind: "say", name: "say-1", done: true },
    { kind: "run", name: "charge", done: true, attempts: 1, result: { id: 7, at: null } },
    { kind: "ask", name: "plan", done: false, cut: true }
  ],
  wait: { kind: "ask", op: "plan", deadline: 1_767_225_999_999, idleAt: 1_767_225_700_000 },
  pending: [saved("m2", "hola\nmundo")],
  origin: saved("m0", "registrar"),
  trail: ["name", "age"],
  cuts: 2,
  applied: ["m0", "m1"],
  expires: 9_999_999_999_999
})

function saved(id: string, body: string) {
  return { id, from: "c1", sender: "u1", isGroup: true, type: "text", body, lang: "es", topic: "t" }
}

/**
 * A row as the first format wrote it, byte for byte. It is never edited: a later release must read it, through
 * `Store.fromDriver`, as `format1Checkpoint`.
 */
export const format1Row: CheckpointRow = {
  id: "msg:1",
  revision: 2,
  fence: 7,
  expires: null,
  data: '{"format":1,"id":"msg:1","visit":2,"flow":"registrar","version":"9c1f","stepId":"age","state":{"name":"Ana"},"ops":[{"kind":"ask","name":"age","done":false,"attempts":1}],"wait":{"kind":"ask","op":"age","deadline":1767225600000},"pending":[],"origin":{"id":"1","from":"c","sender":"u","isGroup":false,"type":"text","body":"registrar"},"trail":["name"],"cuts":0,"applied":["1"],"revision":2,"fence":7}',
  applied: "[]",
  wakeAt: 1_767_225_600_000
}

export const format1Checkpoint: Checkpoint = {
  format: 1,
  id: "msg:1",
  visit: 2,
  flow: "registrar",
  version: "9c1f",
  stepId: "age",
  state: { name: "Ana" },
  ops: [{ kind: "ask", name: "age", done: false, attempts: 1 }],
  wait: { kind: "ask", op: "age", deadline: 1_767_225_600_000 },
  pending: [],
  origin: { id: "1", from: "c", sender: "u", isGroup: false, type: "text", body: "registrar" },
  trail: ["name"],
  cuts: 0,
  applied: ["1"],
  revision: 2,
  fence: 7
}

/** What stands under a key, seen both ways. */
export const look = Effect.fnUntraced(function* (bot: string, key = "c1:u1") {
  const store = yield* Store
  const got = yield* store.getCheckpoint(bot, key)
  const view = yield* store.open(bot, key, "c1", "u1")
  expect([view.checkpoint, view.tombstone]).toEqual([got.checkpoint, got.tombstone])
  return got
})

export const times = (count: number) => Array.from({ length: count }, (_, index) => index)

/** A first or later message of a private chat. */
export const admit = (store: StoreShape, bot: string, chatId: string, messageId: string) =>
  store.admit(bot, chat(chatId), contact(chatId), message(messageId, chatId))

/** Follows `next` to the end. */
export const everyPage = Effect.fnUntraced(function* <A, E>(
  page: (after: string | undefined) => Effect.Effect<{ readonly items: ReadonlyArray<A>; readonly next?: string }, E>
) {
  const items: Array<A> = []
  let after: string | undefined
  for (let pages = 0; pages < 1_000; pages++) {
    const got: { readonly items: ReadonlyArray<A>; readonly next?: string } = yield* page(after)
    items.push(...got.items)
    if (got.next === undefined) return items
    after = got.next
  }
  return yield* Effect.die(new Error("the list has no end"))
})
