/** What the tests of durability backends share. */
import { expect } from "@effect/vitest"
import { Clock, Effect } from "effect"
import type { InboundEvent, InboundMessage } from "../../model/Event.ts"
import { dedupeKey } from "../../model/StoredEvent.ts"
import { Durability, type DurabilityShape } from "../../spi/Durability.ts"
import type { Claimed, Inbox, InboxRecord } from "../../spi/Inbox.ts"
import type { Outbox, OutboxSend } from "../../spi/Outbox.ts"

export const unbounded = { concurrency: "unbounded" } as const

export const message = (id: string, body = `body of ${id}`): InboundMessage => ({
  _tag: "message",
  ref: { id, chatId: "c1" },
  from: "c1",
  sender: "u1",
  isGroup: true,
  type: "text",
  body
})

/** One event of each kind, with every field in use and text outside ASCII. */
export const everyEvent: ReadonlyArray<InboundEvent> = (() => {
  const common = {
    from: "c1",
    sender: "u1",
    isGroup: true,
    senderName: "Zoë 👩‍👩‍👧",
    chatName: 'a\u0000b"\\',
    lang: "es-AR",
    sentAt: 1_767_225_600_123,
    topic: "t"
  }
  const ref = { id: "m1", chatId: "c1", native: { key: [1, { deep: null }] } }
  return [
    {
      _tag: "message",
      ...common,
      ref,
      type: "audio",
      body: "hola\nmundo",
      fromMe: false,
      edited: true,
      mentionsBot: true,
      quoted: { id: "m0", fromMe: true },
      media: {
        kind: "audio",
        mimetype: "audio/ogg",
        filename: "ñ.ogg",
        bytes: 3,
        seconds: 1.5,
        voice: true,
        animated: false,
        viewOnce: false,
        native: { fileId: "x" }
      },
      album: "a"
    },
    {
      _tag: "message",
      ...common,
      ref: { id: "m2", chatId: "c1" },
      type: "location",
      body: "",
      location: { latitude: -34.6, longitude: -58.4, name: "Obelisco", address: "9 de Julio", live: true }
    },
    {
      _tag: "message",
      ...common,
      ref: { id: "m3", chatId: "c1" },
      type: "contact",
      body: "",
      contact: { name: "Ana", phones: ["+54 11"], userId: "u9" }
    },
    { _tag: "interaction", ...common, interactionId: "i1", payload: "plan:pro", body: "Pro", ref },
    { _tag: "reaction", ...common, emoji: "", target: ref },
    { _tag: "pollVote", ...common, pollId: "p", options: [0, 2] },
    { _tag: "delete", ...common, target: ref },
    { _tag: "call", ...common, callId: "k", video: true }
  ]
})()

export const outboxOf = ({ outbox }: DurabilityShape): Outbox => {
  if (outbox === undefined) throw new Error("a durability backend has an outbox")
  return outbox
}

export const inbox: Effect.Effect<Inbox, never, Durability> = Effect.map(Durability, (it) => it.inbox)
export const outbox: Effect.Effect<Outbox, never, Durability> = Effect.map(Durability, outboxOf)

/** Records a message; its id. It must be new. */
export const record = Effect.fnUntraced(function* (bot: string, key: string, id: string) {
  const event = message(id)
  const found = yield* (yield* inbox).record(bot, key, { event, dedupe: dedupeKey(event) })
  expect(found._tag).toBe("recorded")
  return found.id
})

/** Claims a record that must be there. */
export const claim = Effect.fnUntraced(function* (bot: string, key: string, fence: number, owner = "a") {
  const claimed = yield* (yield* inbox).claim(bot, key, { fence, owner })
  if (claimed._tag !== "claimed") throw new Error(`expected a claim, got ${JSON.stringify(claimed)}`)
  return claimed.record
})

/** The message id of a record. */
export const messageOf = (record: InboxRecord | undefined): string | undefined =>
  record?.event?._tag === "message" ? record.event.ref.id : undefined

export const tagOf = (claimed: Claimed): string => claimed._tag

/** Plans sends whose content is their id. */
export const plan = Effect.fnUntraced(function* (
  bot: string,
  lane: string,
  fence: number,
  ...ids: ReadonlyArray<string>
) {
  const sends = ids.map((id) => ({ id, content: { text: id } }))
  return yield* (yield* outbox).plan(bot, lane, fence, sends)
})

/** Attempts a send that must be there, for a second. */
export const attempt = Effect.fnUntraced(function* (bot: string, lane: string, millis = 1_000) {
  const until = (yield* Clock.currentTimeMillis) + millis
  const taken = yield* (yield* outbox).attempt(bot, lane, until)
  if (taken._tag !== "attempt") throw new Error(`expected an attempt, got ${JSON.stringify(taken)}`)
  return taken.send
})

/** Attempts and confirms all of a lane; the ids in the order in which they went out. */
export const drain = Effect.fnUntraced(function* (bot: string, lane: string) {
  const box = yield* outbox
  const ids: Array<string> = []
  for (;;) {
    const taken = yield* box.attempt(bot, lane, (yield* Clock.currentTimeMillis) + 1_000)
    if (taken._tag !== "attempt") return ids
    ids.push(taken.send.id)
    yield* box.report(bot, lane, taken.send.id, taken.send.token, { _tag: "confirmed", receipt: null })
  }
})

export const stateOf = Effect.fnUntraced(function* (bot: string, lane: string, id: string) {
  const found: OutboxSend | undefined = yield* (yield* outbox).find(bot, lane, id)
  return found?.state
})

export const times = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index)

/** Every item of every page. */
export const everyPage = Effect.fnUntraced(function* <A, E, R>(
  read: (after: string | undefined) => Effect.Effect<{ readonly items: ReadonlyArray<A>; readonly next?: string }, E, R>
) {
  const items: Array<A> = []
  let after: string | undefined
  do {
    const page: { readonly items: ReadonlyArray<A>; readonly next?: string } = yield* read(after)
    items.push(...page.items)
    after = page.next
  } while (after !== undefined)
  return items
})
