import { Durability, type InboundEvent } from "@botmesh/core/spi"
import { PostgresClient, PostgresDurability, PostgresStore } from "@botmesh/sql"
import { postgres, proxy } from "@botmesh/test-services"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { describeServers } from "./Live.ts"

const bot = "t/durable"
const patience = 60_000
const event: InboundEvent = {
  _tag: "message",
  ref: { id: "m1", chatId: "c" },
  from: "c",
  sender: "c",
  isGroup: false,
  type: "text",
  body: "hola"
}
const message = { event, dedupe: "m1" }

describeServers("durability on a Postgres that fails", () => {
  it.live(
    "IN1 IN6 OUT4 an act whose commit was not answered is done once, and its repeat answers the same",
    () =>
      Effect.gen(function* () {
        const server = yield* postgres()
        const wire = yield* proxy(server.port)
        const url = new URL(server.url)
        url.port = String(wire.port)
        // Unprepared, so that each COMMIT passes the wire by its name.
        const durability = PostgresDurability.layer({ url: url.href, prepare: false, timeout: "2s" })
        yield* Effect.gen(function* () {
          const { inbox, outbox } = yield* Durability
          if (outbox === undefined) throw new Error("there is an outbox")
          const losing = <A, E>(act: Effect.Effect<A, E>) =>
            Effect.gen(function* () {
              wire.loseReplyTo(/COMMIT/u)
              const answer = yield* act
              expect(wire.isWaiting()).toBe(false)
              return answer
            })
          expect((yield* losing(inbox.record(bot, "k", message)))._tag).toBe("recorded")
          expect((yield* inbox.record(bot, "k", message))._tag).toBe("duplicate")
          const claimed = yield* losing(inbox.claim(bot, "k", { fence: 1, owner: "a" }))
          expect(claimed).toMatchObject({ _tag: "claimed", record: { crashes: 0 } })
          const id = claimed._tag === "claimed" ? claimed.record.id : ""
          expect(yield* losing(outbox.plan(bot, "k", 1, [{ id: "s1", content: "x" }]))).toMatchObject({
            sends: [{ id: "s1", state: "planned" }]
          })
          const taken = yield* losing(outbox.attempt(bot, "k", Number.MAX_SAFE_INTEGER))
          expect(taken).toMatchObject({ _tag: "attempt", send: { attempts: 1 } })
          const token = taken._tag === "attempt" ? taken.send.token : ""
          expect(yield* losing(outbox.report(bot, "k", "s1", token, { _tag: "confirmed", receipt: 1 }))).toBe(true)
          expect(yield* losing(inbox.ack(bot, "k", id, 1))).toBe(true)
          expect(yield* inbox.counts(bot)).toEqual({ pending: 0, dead: 0 })
        }).pipe(Effect.provide(durability))
      }),
    patience
  )

  it.live(
    "D1 what was recorded and planned is there after the server was killed, and a claim of then is charged",
    () =>
      Effect.gen(function* () {
        const server = yield* postgres()
        yield* Effect.gen(function* () {
          const { inbox, outbox } = yield* Durability
          yield* inbox.record(bot, "k", message)
          yield* inbox.claim(bot, "k", { fence: 1, owner: "a" })
          yield* outbox?.plan(bot, "k", 1, [{ id: "s1", content: "x" }]) ?? Effect.void
          yield* server.stop("kill")
          const [claimed] = yield* Effect.all([inbox.claim(bot, "k", { fence: 2, owner: "b" }), server.start], {
            concurrency: 2
          })
          expect(claimed).toMatchObject({ _tag: "claimed", record: { crashes: 1, event } })
          expect(yield* outbox?.find(bot, "k", "s1") ?? Effect.undefined).toMatchObject({ state: "planned" })
        }).pipe(Effect.provide(PostgresDurability.layer({ url: server.url })))
      }),
    patience
  )

  it.live(
    "H store and durability stand on one client and one migration",
    () =>
      Effect.gen(function* () {
        const server = yield* postgres()
        const both = Layer.merge(PostgresStore.layerStore(), PostgresDurability.layerDurability()).pipe(
          Layer.provide(PostgresStore.layerMigrations),
          Layer.provide(PostgresClient.layer({ url: server.url }))
        )
        yield* Layer.build(both)
      }),
    patience
  )
})
