import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Bot, StoreError } from "../../src/index.ts"
import type { InboundEvent } from "../../src/model/Event.ts"
import { balance, breathe, journal, run, storeWith } from "../kit/Engine.ts"

const echoing = (options: Parameters<typeof Bot.make>[2] = {}, log: Array<string> = []) =>
  Bot.make(
    "shop",
    [
      Bot.before("message", (chat) => Effect.sync(() => void log.push(`before ${chat.body}`))),
      Bot.after("message", (chat) => Effect.sync(() => void log.push(`after ${chat.body}`))),
      Bot.onMessage((chat) => chat.reply(`got ${chat.body}`))
    ],
    options
  )
const down = (operation: string) =>
  new StoreError({ store: "memory", operation, reason: "unavailable", detail: "down" })

describe("A1 own messages", () => {
  it.effect("A1 are dropped before all else: contract, access, dedupe, store and hooks never see them", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const { bot, dropped, events, gets, inbound, texts } = yield* run(
        echoing({ access: { blacklist: ["ana"] } }, log)
      )
      const own = inbound.text({ chat: "ana", body: "x", fromMe: true })
      yield* gets(own, own)
      // A broken one of ours is ours first.
      yield* gets({ ...own, from: "" })
      expect(dropped("from-me")).toBe(3)
      expect(dropped("blocked") + dropped("duplicate") + dropped("invalid")).toBe(0)
      expect(log).toEqual([])
      expect(texts()).toEqual([])
      expect(yield* events.tags).toEqual(["dropped", "dropped", "dropped"])
      expect(bot.metrics.snapshot().errors).toBe(0)
    })
  )
})

describe("A2 echo filter", () => {
  it.effect("A2 is opt-in: without it a returned send is a message like any other", () =>
    Effect.gen(function* () {
      const { dropped, inbound, mock, says } = yield* run(echoing())
      yield* says("ana", "hola")
      const { receipt } = (yield* mock.takeSent)[0]!
      expect(yield* says("ana", "got hola", { id: receipt.ref.id })).toEqual(["got got hola"])
      expect(dropped("echo")).toBe(0)
      expect(inbound).toBeDefined()
    })
  )

  it.effect("A2 drops a remembered ref before access and dedupe, and consumes it: what comes later is new", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const { bot, dropped, events, gets, inbound, mock } = yield* run(echoing({ echoFilter: true }, log))
      yield* gets(inbound.text({ chat: "ana", body: "hola" }))
      const { receipt } = (yield* mock.takeSent)[0]!
      yield* bot.access.block("ana")
      const back = inbound.text({ chat: "ana", body: "got hola", id: receipt.ref.id })
      log.length = 0
      yield* gets(back)
      expect(dropped("echo")).toBe(1)
      expect(dropped("blocked")).toBe(0)
      expect(log).toEqual([])
      yield* gets(back)
      expect(dropped("blocked")).toBe(1)
      yield* bot.access.unblock("ana")
      yield* gets(back)
      yield* gets(back)
      expect(dropped("echo")).toBe(1)
      expect(dropped("duplicate")).toBe(1)
      expect(log).toEqual(["before got hola", "after got hola"])
      expect((yield* events.of("dropped")).map((event) => event.reason)).toEqual(["echo", "blocked", "duplicate"])
      expect(yield* bot.metrics.prometheus).toContain('botmesh_dropped_total{bot="shop",reason="echo"} 1\n')
    })
  )

  it.effect(
    "A2 remembers successful sends of this chat only, every part of a split one, and not who it reacted to",
    () =>
      Effect.gen(function* () {
        const { dropped, gets, inbound, mock } = yield* run(
          Bot.make("shop", [Bot.when("react", (chat) => chat.react("👍")), Bot.onMessage((chat) => chat.reply("ok"))], {
            echoFilter: { size: 10 }
          })
        )
        yield* gets(inbound.text({ chat: "ana", body: "a" }))
        const { receipt } = (yield* mock.takeSent)[0]!
        yield* gets(inbound.text({ chat: "eva", body: "same id elsewhere", id: receipt.ref.id }))
        expect(dropped("echo")).toBe(0)
        const asked = inbound.text({ chat: "ana", body: "react" })
        yield* gets(asked)
        yield* gets({ ...asked, body: "reacted and edited", edited: true })
        expect(dropped("echo")).toBe(0)
      })
  )

  it.effect("A2 keeps `size` refs and forgets each after `ttl`", () =>
    Effect.gen(function* () {
      const { dropped, gets, inbound, mock } = yield* run(echoing({ echoFilter: { size: 2, ttl: "10m" } }))
      for (const body of ["1", "2", "3"]) yield* gets(inbound.text({ chat: "ana", body }))
      const refs = (yield* mock.takeSent).map(({ receipt }) => receipt.ref.id)
      yield* gets(inbound.text({ chat: "ana", body: "pushed out", id: refs[0]! }))
      expect(dropped("echo")).toBe(0)
      // The reply to that one was remembered too: two are kept, and the third send is one of them.
      yield* gets(inbound.text({ chat: "ana", body: "kept", id: refs[2]! }))
      expect(dropped("echo")).toBe(1)
      yield* mock.takeSent
      yield* gets(inbound.text({ chat: "ana", body: "4" }))
      const fourth = (yield* mock.takeSent)[0]!.receipt.ref.id
      yield* TestClock.adjust("10 minutes")
      yield* gets(inbound.text({ chat: "ana", body: "too old", id: fourth }))
      expect(dropped("echo")).toBe(1)
    })
  )
})

describe("A3 access lists", () => {
  it.effect("A3 the blacklist drops by chat and by sender, in silence: not stored, no hooks, no event, not seen", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const stored: Array<string> = []
      const { bot, dropped, events, gets, inbound, texts } = yield* run(
        echoing({ access: { blacklist: ["bad-chat", "troll"] } }, log),
        {
          store: storeWith((store) => ({
            admit: (scope, chat, contact, message) => {
              stored.push(message.body)
              return store.admit(scope, chat, contact, message)
            }
          }))
        }
      )
      const one = inbound.text({ chat: "bad-chat", body: "a" })
      const two = inbound.text({ chat: "room", sender: "troll", body: "b" })
      yield* gets(one, one, two)
      expect(dropped("blocked")).toBe(3)
      expect(dropped("duplicate")).toBe(0)
      expect([log, stored, texts()]).toEqual([[], [], []])
      expect(yield* events.of("message")).toEqual([])
      yield* bot.access.unblock("bad-chat")
      yield* bot.access.unblock("troll")
      yield* gets(one, two)
      expect(texts()).toEqual(["got a", "got b"])
      expect(stored).toEqual(["a", "b"])
    })
  )

  it.effect("A3 with a whitelist only its chats and senders are heard; the blacklist wins", () =>
    Effect.gen(function* () {
      const { bot, dropped, gets, inbound, texts } = yield* run(echoing({ access: { whitelist: ["ana", "team"] } }))
      yield* gets(
        inbound.text({ chat: "ana", body: "1" }),
        inbound.text({ chat: "eva", body: "2" }),
        inbound.text({ chat: "team", sender: "eva", body: "3" }),
        inbound.text({ chat: "room", sender: "ana", body: "4" })
      )
      expect(texts()).toEqual(["got 1", "got 3", "got 4"])
      expect(dropped("blocked")).toBe(1)
      yield* bot.access.block("ana")
      expect(bot.access.isBlocked("ana")).toBe(true)
      yield* gets(inbound.text({ chat: "ana", body: "5" }))
      expect(dropped("blocked")).toBe(2)
    })
  )

  it.effect("A3 a blocked interaction, reaction and call are dropped the same way", () =>
    Effect.gen(function* () {
      const { dropped, events, gets, inbound } = yield* run(echoing({ access: { blacklist: ["ana"] } }))
      yield* gets(
        inbound.button({ chat: "ana", payload: "p" }),
        inbound.reaction({ chat: "ana", emoji: "👍", target: { id: "1", chatId: "ana" } }),
        inbound.call({ chat: "ana" })
      )
      expect(dropped("blocked")).toBe(3)
      expect(yield* events.tags).toEqual(["dropped", "dropped", "dropped"])
    })
  )
})

describe("A4 dedupe", () => {
  it.effect(
    "A4 is on by default: an identical retry is dropped, an edit passes, and so does the same id elsewhere",
    () =>
      Effect.gen(function* () {
        const { dropped, gets, inbound, texts } = yield* run(echoing())
        const first = inbound.text({ chat: "ana", body: "hola", id: "7" })
        const edit = { ...first, body: "hola!", edited: true }
        yield* gets(first, first)
        yield* gets(edit)
        yield* gets(edit)
        yield* gets(first)
        yield* gets(inbound.text({ chat: "eva", body: "hola", id: "7" }))
        expect(texts()).toEqual(["got hola", "got hola!", "got hola"])
        expect(dropped("duplicate")).toBe(3)
      })
  )

  it.effect("A4 an interaction is known by its interactionId: two presses of one button are two events", () =>
    Effect.gen(function* () {
      const { dropped, gets, inbound, texts } = yield* run(
        Bot.make("shop", [Bot.action("buy", (chat) => chat.reply(`bought ${chat.payload}`))])
      )
      const press = inbound.button({ chat: "ana", payload: "buy", id: "i1" })
      yield* gets(press, press, { ...press, interactionId: "i2" })
      yield* gets(press)
      expect(texts()).toEqual(["bought buy", "bought buy"])
      expect(dropped("duplicate")).toBe(2)
    })
  )

  it.effect("A4 an empty id is never a duplicate, and `false` turns dedupe off", () =>
    Effect.gen(function* () {
      const on = yield* run(echoing())
      const nameless = on.inbound.text({ chat: "ana", body: "x", id: "" })
      yield* on.gets(nameless, nameless)
      yield* on.gets({ ...on.inbound.button({ chat: "ana", payload: "p" }), interactionId: "" })
      expect(on.texts()).toHaveLength(3)
      const off = yield* run(echoing({ dedupe: false }))
      const same = off.inbound.text({ chat: "ana", body: "x", id: "1" })
      yield* off.gets(same, same)
      expect(off.texts()).toHaveLength(2)
      expect(on.dropped("duplicate") + off.dropped("duplicate")).toBe(0)
    })
  )

  it.effect("A4 `size` is an LRU: the least recently seen goes first", () =>
    Effect.gen(function* () {
      const { dropped, gets, inbound } = yield* run(echoing({ dedupe: { size: 2 } }))
      const [a, b, c] = ["a", "b", "c"].map((id) => inbound.text({ chat: "ana", body: id, id }))
      yield* gets(a!, b!)
      yield* gets(a!)
      expect(dropped("duplicate")).toBe(1)
      yield* gets(c!)
      yield* gets(a!)
      expect(dropped("duplicate")).toBe(2)
      yield* gets(b!)
      expect(dropped("duplicate")).toBe(2)
    })
  )

  it.effect("A4 `ttl` counts from the first acceptance: a duplicate does not renew it", () =>
    Effect.gen(function* () {
      const { dropped, gets, inbound, texts } = yield* run(echoing({ dedupe: { ttl: "1h" } }))
      const message = inbound.text({ chat: "ana", body: "x" })
      yield* gets(message)
      yield* TestClock.adjust("59 minutes")
      yield* gets(message)
      expect(dropped("duplicate")).toBe(1)
      yield* TestClock.adjust("1 minute")
      yield* gets(message)
      expect(texts()).toEqual(["got x", "got x"])
    })
  )

  it.effect("A4 holds 1,000 by default", () =>
    Effect.gen(function* () {
      const { dropped, gets, inbound } = yield* run(Bot.make("shop", []))
      const messages = Array.from({ length: 1001 }, (_, n) => inbound.text({ chat: "ana", body: "x", id: `${n}` }))
      yield* gets(...messages)
      yield* gets(messages[1]!)
      expect(dropped("duplicate")).toBe(1)
      yield* gets(messages[0]!)
      expect(dropped("duplicate")).toBe(1)
    })
  )

  it.effect("A4 the key is released when storing fails before any handler: the transport's retry is processed", () =>
    Effect.gen(function* () {
      let broken = true
      const { bot, dropped, events, gets, inbound, texts } = yield* run(echoing(), {
        store: storeWith((store) => ({
          admit: (...args) => (broken ? Effect.fail(down("admit")) : store.admit(...args))
        }))
      })
      const message = inbound.text({ chat: "ana", body: "x" })
      expect(yield* Effect.flip(gets(message))).toMatchObject({ _tag: "NotAcceptingError", reason: "store" })
      expect(dropped("store-failed")).toBe(1)
      expect((yield* events.of("error")).map((event) => event.error)).toMatchObject([{ _tag: "StoreError" }])
      broken = false
      yield* gets(message)
      expect(texts()).toEqual(["got x"])
      expect(balance(bot)).toEqual({ received: 2, accounted: 2 })
    })
  )

  it.effect("A4 the key is released when the chat cannot be opened under the turn", () =>
    Effect.gen(function* () {
      let broken = true
      const { dropped, gets, inbound, texts } = yield* run(echoing(), {
        store: storeWith((store) => ({ open: (...args) => (broken ? Effect.fail(down("open")) : store.open(...args)) }))
      })
      const message = inbound.text({ chat: "ana", body: "x" })
      yield* gets(message)
      expect(dropped("store-failed")).toBe(1)
      broken = false
      yield* gets(message)
      expect(texts()).toEqual(["got x"])
    })
  )

  it.effect("R15 a duplicate of a message still in admission waits for its outcome and gives the same answer", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void, StoreError>()
      const { bot, dropped, inbound, mock, texts } = yield* run(echoing(), {
        store: storeWith((store) => ({
          admit: (...args) => Effect.andThen(Deferred.await(gate), store.admit(...args))
        }))
      })
      const message = inbound.text({ chat: "ana", body: "x" })
      const deliver = Effect.forkChild(mock.deliver(message), { startImmediately: true })
      const [first, second] = [yield* deliver, yield* deliver]
      yield* breathe
      expect(second.pollUnsafe()).toBeUndefined()
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.joinAll([first, second])
      yield* bot.settled
      expect(texts()).toEqual(["got x"])
      expect(dropped("duplicate")).toBe(1)
    })
  )

  it.effect(
    "R15 when the first delivery is refused so is the duplicate that waited, and a third one is processed",
    () =>
      Effect.gen(function* () {
        const gate = yield* Deferred.make<void, StoreError>()
        let tries = 0
        const { bot, inbound, mock, texts } = yield* run(echoing(), {
          store: storeWith((store) => ({
            admit: (...args) =>
              tries++ === 0 ? Effect.andThen(Deferred.await(gate), store.admit(...args)) : store.admit(...args)
          }))
        })
        const message = inbound.text({ chat: "ana", body: "x" })
        const deliver = Effect.forkChild(Effect.flip(mock.deliver(message)), { startImmediately: true })
        const fibers = [yield* deliver, yield* deliver]
        yield* Deferred.fail(gate, down("admit"))
        expect((yield* Fiber.joinAll(fibers)).map(({ reason }) => reason)).toEqual(["store", "store"])
        yield* mock.deliver(message)
        yield* bot.settled
        expect(texts()).toEqual(["got x"])
        expect(balance(bot)).toEqual({ received: 3, accounted: 3 })
      })
  )
})

describe("A5 journal", () => {
  it.effect("A5 records after access and dedupe and before storing; acknowledges once all has settled", () =>
    Effect.gen(function* () {
      const notes: Array<string> = []
      const { gets, inbound } = yield* run(
        Bot.make(
          "shop",
          [
            Bot.after("message", () => Effect.sync(() => void notes.push("after"))),
            Bot.onMessage(() => Effect.sync(() => void notes.push("handler")))
          ],
          { access: { blacklist: ["bad"] } }
        ),
        {
          durability: journal(notes),
          store: storeWith((store) => ({
            admit: (...args) =>
              Effect.andThen(
                Effect.sync(() => notes.push("store")),
                store.admit(...args)
              )
          }))
        }
      )
      const message = inbound.text({ chat: "ana", body: "x" })
      yield* gets(inbound.text({ chat: "bad", body: "y" }), message, message)
      expect(notes).toEqual(["record ana", "store", "handler", "after", "ack ana r1"])
    })
  )

  it.effect("A5 a record whose storing or turn failed is released, never acknowledged (I10)", () =>
    Effect.gen(function* () {
      const notes: Array<string> = []
      let broken = true
      const { gets, inbound, dropped } = yield* run(echoing(), {
        durability: journal(notes),
        store: storeWith((store) => ({
          admit: (...args) => (broken ? Effect.fail(down("admit")) : store.admit(...args))
        }))
      })
      yield* Effect.flip(gets(inbound.text({ chat: "ana", body: "x" })))
      expect(notes).toEqual(["record ana", "release ana r1"])
      broken = false
      notes.length = 0
      yield* gets(inbound.text({ chat: "ana", body: "y" }))
      expect(notes).toEqual(["record ana", "ack ana r2"])
      expect(dropped("store-failed")).toBe(0)
    })
  )

  it.effect("A5 what the journal knows already is a duplicate, whatever memory says", () =>
    Effect.gen(function* () {
      const { dropped, gets, inbound, texts } = yield* run(echoing(), {
        durability: journal([], { record: () => Effect.succeed({ _tag: "duplicate", id: "old" }) })
      })
      yield* gets(inbound.text({ chat: "ana", body: "x" }))
      expect(dropped("duplicate")).toBe(1)
      expect(texts()).toEqual([])
    })
  )
})

describe("A6 persistence", () => {
  it.effect("A6 chat, contact and message are stored in one write, before any handler", () =>
    Effect.gen(function* () {
      const rows: Array<unknown> = []
      const { gets, inbound } = yield* run(
        Bot.make("shop", [Bot.onMessage(() => Effect.sync(() => void rows.push("handler")))]),
        {
          store: storeWith((store) => ({
            admit: (scope, chat, contact, message) => {
              rows.push({ scope, chat, contact, message })
              return store.admit(scope, chat, contact, message)
            }
          }))
        }
      )
      yield* TestClock.setTime(5_000)
      yield* gets(
        inbound.text({ chat: "room", sender: "ana", senderName: "Ana", chatName: "Room", body: "hola", id: "m1" })
      )
      expect(rows).toEqual([
        {
          scope: "default/shop",
          chat: { id: "room", isGroup: true, name: "Room" },
          contact: { id: "ana", name: "Ana" },
          message: {
            id: "m1",
            chatId: "room",
            sender: "ana",
            direction: "in",
            type: "text",
            body: "hola",
            at: 5_000
          }
        },
        "handler"
      ])
    })
  )
})

describe("A7 group mode", () => {
  const group = { chat: "room", sender: "ana" }
  const cases = [
    ["all", ["plain", "mention", "reply", "/cmd", "private", "press"]],
    ["mention", ["mention", "reply", "private", "press"]],
    ["command", ["/cmd", "private", "press"]],
    ["none", ["private"]]
  ] as const
  for (const [mode, heard] of cases) {
    it.effect(`A7 ${mode}: what the bot must ignore is stored and stops there`, () =>
      Effect.gen(function* () {
        const log: Array<string> = []
        const stored: Array<string> = []
        const { bot, dropped, events, gets, inbound } = yield* run(
          Bot.make(
            "shop",
            [
              Bot.before("message", (chat) => Effect.sync(() => void log.push(chat.body))),
              Bot.onMessage(() => Effect.void)
            ],
            { groupMode: mode }
          ),
          {
            store: storeWith((store) => ({
              admit: (scope, chat, contact, message) => {
                stored.push(message.body)
                return store.admit(scope, chat, contact, message)
              }
            }))
          }
        )
        const all: ReadonlyArray<InboundEvent> = [
          inbound.text({ ...group, body: "plain" }),
          inbound.text({ ...group, body: "mention", mentionsBot: true }),
          inbound.text({ ...group, body: "reply", quoted: { id: "x", fromMe: true } }),
          inbound.text({ ...group, body: "/cmd" }),
          inbound.text({ chat: "ana", body: "private" }),
          inbound.button({ ...group, payload: "press" })
        ]
        yield* gets(...all)
        yield* gets(inbound.text({ ...group, body: "quote", quoted: { id: "y" } }))
        const wanted = mode === "all" ? [...heard, "quote"] : heard
        expect(log).toEqual(wanted)
        expect(stored).toEqual(["plain", "mention", "reply", "/cmd", "private", "press", "quote"])
        expect(dropped("group-mode")).toBe(7 - wanted.length)
        expect(yield* events.of("message")).toHaveLength(wanted.length)
        expect(balance(bot)).toEqual({ received: 7, accounted: 7 })
      })
    )
  }
})

describe("A22 bad provider events", () => {
  const good = { _tag: "message", from: "ana", sender: "ana", isGroup: false, ref: { id: "1", chatId: "ana" } } as const
  const broken: ReadonlyArray<readonly [string, unknown]> = [
    ["null", null],
    ["a text", "message"],
    ["no kind", { from: "ana" }],
    ["no chat", { ...good, from: "", type: "text", body: "x" }],
    ["a sender that is a number", { ...good, sender: 5, type: "text", body: "x" }],
    ["isGroup that is a text", { ...good, isGroup: "no", type: "text", body: "x" }],
    ["no body", { ...good, type: "text" }],
    ["no type", { ...good, body: "x" }],
    ["no ref", { ...good, ref: undefined, type: "text", body: "x" }],
    ["a language that is a number", { ...good, lang: 5, type: "text", body: "x" }],
    ["a topic that is a number", { ...good, topic: 5, type: "text", body: "x" }],
    ["a media without kind", { ...good, type: "image", body: "", media: {} }],
    ["a null media", { ...good, type: "image", body: "", media: null }],
    ["an interaction without payload", { ...good, _tag: "interaction", body: "", interactionId: "1" }],
    ["an interaction without id", { ...good, _tag: "interaction", body: "", payload: "p" }],
    ["a call without id", { ...good, _tag: "call" }],
    ["a reaction without emoji", { ...good, _tag: "reaction", target: { id: "1", chatId: "ana" } }],
    ["a reaction without target", { ...good, _tag: "reaction", emoji: "👍" }],
    ["a vote without options", { ...good, _tag: "pollVote", pollId: "p" }],
    ["a deletion without target", { ...good, _tag: "delete" }]
  ]
  for (const [what, event] of broken) {
    it.effect(`A22 ${what} is dropped and reported as InvalidProviderEventError`, () =>
      Effect.gen(function* () {
        const { bot, dropped, events, mock, texts } = yield* run(echoing())
        // What a provider written in JavaScript may hand over.
        yield* mock.host()!.receive([event as InboundEvent])
        yield* bot.settled
        expect(dropped("invalid")).toBe(1)
        expect(texts()).toEqual([])
        const errors = yield* events.of("error")
        expect(errors).toHaveLength(1)
        expect(errors[0]?.error).toMatchObject({ _tag: "InvalidProviderEventError", provider: "mock" })
        expect(balance(bot)).toEqual({ received: 1, accounted: 1 })
      })
    )
  }

  it.effect("A22 an unknown kind is ignored: counted, no error; the rest of the batch goes on", () =>
    Effect.gen(function* () {
      const { bot, dropped, events, inbound, mock, texts } = yield* run(echoing())
      const future = { ...good, _tag: "hologram" } as unknown as InboundEvent
      yield* mock.host()!.receive([future, inbound.text({ chat: "ana", body: "x" })])
      yield* bot.settled
      expect(dropped("unknown-kind")).toBe(1)
      expect(yield* events.of("error")).toEqual([])
      expect(texts()).toEqual(["got x"])
    })
  )
})
