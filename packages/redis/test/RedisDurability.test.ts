import { Durability, type InboundEvent, markTtl } from "@botmesh/core/spi"
import { Redis, RedisDurability } from "@botmesh/redis"
import { proxy, redis } from "@botmesh/test-services"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { describeServers } from "./Live.ts"

const bot = "t/durable"
const event = (id: string): InboundEvent => ({
  _tag: "message",
  ref: { id, chatId: "c" },
  from: "c",
  sender: "c",
  isGroup: false,
  type: "text",
  body: "hola"
})

describeServers("durability on a Redis that fails", () => {
  it.live("IN1 IN6 OUT4 an act whose reply was lost is done once, and its repeat answers the same", () =>
    Effect.gen(function* () {
      const server = yield* redis()
      const wire = yield* proxy(server.port)
      const connected = Redis.layer({ url: `redis://127.0.0.1:${wire.port}`, prefix: "d", timeout: "2s" })
      yield* Effect.gen(function* () {
        const { inbox, outbox } = yield* Durability
        if (outbox === undefined) throw new Error("there is an outbox")
        const losing = <A, E>(act: Effect.Effect<A, E>) =>
          Effect.gen(function* () {
            wire.loseReplyTo(/evalsha/iu)
            const answer = yield* act
            expect(wire.isWaiting()).toBe(false)
            return answer
          })
        // Scripts are known before replies are lost.
        yield* inbox.record(bot, "warm", { event: event("m0"), dedupe: "m0" })
        expect((yield* losing(inbox.record(bot, "k", { event: event("m1"), dedupe: "m1" })))._tag).toBe("recorded")
        yield* inbox.claim(bot, "warm", { fence: 1, owner: "a" })
        const claimed = yield* losing(inbox.claim(bot, "k", { fence: 1, owner: "a" }))
        expect(claimed).toMatchObject({ _tag: "claimed", record: { crashes: 0, event: event("m1") } })
        const id = claimed._tag === "claimed" ? claimed.record.id : ""
        yield* outbox.plan(bot, "warm", 1, [{ id: "s0", content: "x" }])
        expect(yield* losing(outbox.plan(bot, "k", 1, [{ id: "s1", content: "x" }]))).toMatchObject({
          sends: [{ id: "s1", state: "planned" }]
        })
        yield* outbox.attempt(bot, "warm", Number.MAX_SAFE_INTEGER)
        const taken = yield* losing(outbox.attempt(bot, "k", Number.MAX_SAFE_INTEGER))
        expect(taken).toMatchObject({ _tag: "attempt", send: { attempts: 1 } })
        const token = taken._tag === "attempt" ? taken.send.token : ""
        yield* outbox.report(bot, "warm", "s0", "none", { _tag: "unknown", detail: "" })
        expect(yield* losing(outbox.report(bot, "k", "s1", token, { _tag: "confirmed", receipt: 1 }))).toBe(true)
        yield* inbox.ack(bot, "warm", "none", 1)
        expect(yield* losing(inbox.ack(bot, "k", id, 1))).toBe(true)
        expect((yield* inbox.counts(bot)).pending).toBe(1)
      }).pipe(Effect.provide(RedisDurability.layer.pipe(Layer.provide(connected))))
    })
  )

  it.live("D1 with appendfsync always what was answered is there after the server was killed", () =>
    Effect.gen(function* () {
      const server = yield* redis({ durable: true })
      yield* Effect.gen(function* () {
        const { inbox, outbox } = yield* Durability
        yield* inbox.record(bot, "k", { event: event("m1"), dedupe: "m1" })
        yield* inbox.claim(bot, "k", { fence: 1, owner: "a" })
        yield* outbox?.plan(bot, "k", 1, [{ id: "s1", content: "x" }]) ?? Effect.void
        yield* server.stop("kill")
        yield* server.start
        expect(yield* inbox.claim(bot, "k", { fence: 2, owner: "b" })).toMatchObject({
          _tag: "claimed",
          record: { crashes: 1, event: event("m1") }
        })
        expect(yield* outbox?.find(bot, "k", "s1") ?? Effect.undefined).toMatchObject({ state: "planned" })
      }).pipe(Effect.provide(RedisDurability.layer.pipe(Layer.provide(Redis.layer({ url: server.url, prefix: "d" })))))
    })
  )

  it.live("I23 once all is handled and sent, every key of a chat ends by itself, and the lists are empty", () =>
    Effect.gen(function* () {
      const server = yield* redis()
      yield* Effect.gen(function* () {
        const { inbox, outbox } = yield* Durability
        if (outbox === undefined) throw new Error("there is an outbox")
        for (const n of [1, 2, 3]) yield* inbox.record(bot, "k", { event: event(`m${n}`), dedupe: `m${n}` })
        for (const fence of [1, 2, 3]) {
          const claimed = yield* inbox.claim(bot, "k", { fence, owner: "a" })
          if (claimed._tag !== "claimed") throw new Error(claimed._tag)
          yield* outbox.plan(bot, "k", fence, [{ id: `s${fence}`, content: "x" }])
          const taken = yield* outbox.attempt(bot, "k", Number.MAX_SAFE_INTEGER)
          if (taken._tag !== "attempt") throw new Error(taken._tag)
          const { id, token } = taken.send
          yield* outbox.report(bot, "k", id, token, { _tag: "confirmed", receipt: null })
          yield* inbox.ack(bot, "k", claimed.record.id, fence)
        }
        const keys = (yield* server.cli("keys", "*")).trim().split("\n").sort()
        const left: Array<string> = []
        for (const key of keys) {
          const ttl = Number((yield* server.cli("pttl", key)).trim())
          // What is kept to be known ends within a week and two hours; the fence within an hour.
          if (ttl < 0 || ttl > markTtl + 7_200_000) left.push(key.replace(/^.*\}:/u, ""))
        }
        // The list of what went out: its entries go as others come.
        expect(left).toEqual(["outbox-all", "outbox-ending"])
      }).pipe(Effect.provide(RedisDurability.layer.pipe(Layer.provide(Redis.layer({ url: server.url, prefix: "d" })))))
    })
  )
})
