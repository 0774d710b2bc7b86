import { readFileSync } from "node:fs"
import { expect, it } from "@effect/vitest"
import { Bot, Flow } from "@botmesh/core"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { breathe } from "../kit/Engine.ts"
import { world } from "../kit/Replicas.ts"

const scenarios: ReadonlyArray<{ readonly id: string }> = JSON.parse(
  readFileSync(new URL("../fixtures/scenarios-coordination.json", import.meta.url), "utf8")
)
it("knows every scenario of coordination that concerns the engine by its id", () => {
  expect(scenarios.map(({ id }) => id)).toEqual([
    "COORD-01",
    "COORD-04",
    "COORD-05",
    "COORD-08",
    "COORD-10",
    "COORD-12"
  ])
})

/** A handler of so many seconds; notes when it runs, of all replicas. */
const timed = (seconds: number, only?: string) => {
  const running = new Map<string, number>()
  const order: Array<string> = []
  let overlaps = 0
  const handler = Bot.onMessage((chat) =>
    Effect.gen(function* () {
      const now = running.get(chat.key) ?? 0
      if (now > 0) overlaps++
      running.set(chat.key, now + 1)
      order.push(`${chat.key} ${chat.body}`)
      if (only === undefined || chat.key === only) yield* Effect.sleep(seconds * 1000)
      running.set(chat.key, (running.get(chat.key) ?? 1) - 1)
      yield* chat.reply(`oí ${chat.body}`)
    })
  )
  return { definition: Bot.make("b", [handler]), order, overlaps: () => overlaps }
}

it.effect(
  "COORD-01: a lease of 1 s outlasts a handler of 10 s; the next message waits for its end, on another replica too",
  () =>
    Effect.gen(function* () {
      const { replica } = world({ lease: 1000 })
      const { definition, order, overlaps } = timed(10)
      const r1 = yield* replica(definition, "r1")
      const r2 = yield* replica(definition, "r2")
      yield* r1.mock.deliver(r1.inbound.text({ chat: "ana", body: "1" }))
      yield* TestClock.adjust("2 seconds")
      yield* r2.mock.deliver(r2.inbound.text({ chat: "ana", body: "2" }))
      yield* TestClock.adjust("7900 millis")
      expect(order).toEqual(["ana 1"])
      yield* TestClock.adjust("200 millis")
      expect(order).toEqual(["ana 1", "ana 2"])
      yield* TestClock.adjust("11 seconds")
      expect([r1.texts("ana"), r2.texts("ana")]).toEqual([["oí 1"], ["oí 2"]])
      expect(overlaps()).toBe(0)
    })
)

it.effect(
  "COORD-04: 30 messages at two replicas during one handler of 5 s are all handled, in order",
  () =>
    Effect.gen(function* () {
      const { replica } = world()
      const { definition, order, overlaps } = timed(5)
      const replicas = [yield* replica(definition, "r1"), yield* replica(definition, "r2")]
      const bodies = Array.from({ length: 30 }, (_, n) => `${n}`)
      for (const [n, body] of bodies.entries()) {
        const at = replicas[n % 2]!
        yield* at.mock.deliver(at.inbound.text({ chat: "ana", body }))
        yield* breathe
      }
      yield* TestClock.adjust("160 seconds")
      for (const { bot } of replicas) yield* bot.settled
      expect(order).toEqual(bodies.map((body) => `ana ${body}`))
      expect(overlaps()).toBe(0)
    }),
  60_000
)

it.effect(
  "COORD-05: a handler of 10 s in one of 500 chats delays nobody else, nor another participant of its group",
  () =>
    Effect.gen(function* () {
      const { replica } = world()
      const { definition, order } = timed(10, "g:ana")
      const r1 = yield* replica(definition, "r1")
      const r2 = yield* replica(definition, "r2")
      yield* r1.mock.deliver(r1.inbound.text({ chat: "g", sender: "ana", body: "x" }))
      yield* breathe
      for (let n = 0; n < 499; n++) yield* r2.mock.deliver(r2.inbound.text({ chat: `c${n}`, body: "x" }))
      yield* r2.mock.deliver(r2.inbound.text({ chat: "g", sender: "eva", body: "x" }))
      yield* TestClock.adjust("99 millis")
      expect(order).toHaveLength(501)
      expect(r2.texts("g")).toEqual(["oí x"])
      expect(r1.texts("g")).toEqual([])
      yield* TestClock.adjust("11 seconds")
    })
)

it.effect(
  "COORD-08: a release after the lease has expired is quiet, and leaves the next holder its turn",
  () =>
    Effect.gen(function* () {
      const { hub, replica } = world()
      const { definition, order, overlaps } = timed(8)
      const r1 = yield* replica(definition, "r1")
      const r2 = yield* replica(definition, "r2")
      yield* r1.mock.deliver(r1.inbound.text({ chat: "ana", body: "1" }))
      yield* breathe
      r1.wire.cut = true
      yield* r2.mock.deliver(r2.inbound.text({ chat: "ana", body: "2" }))
      yield* TestClock.adjust("5 seconds")
      expect(order).toEqual(["ana 1", "ana 2"])
      const held = hub.holderOf("default/b/ana")
      r1.wire.cut = false
      yield* TestClock.adjust("2 seconds")
      yield* r1.bot.settled
      expect(hub.holderOf("default/b/ana")).toEqual(held)
      yield* TestClock.adjust("10 seconds")
      expect([r1.texts("ana"), r2.texts("ana")]).toEqual([[], ["oí 2"]])
      // The first was cut before the second began.
      expect(r1.bot.metrics.snapshot()).toMatchObject({ errors: 0, leasesLost: 1 })
      expect(overlaps()).toBe(1)
    }),
  60_000
)

it.effect(
  "COORD-10: of a replica cut off for three leases in the middle of a step nothing is accepted; one reply in all",
  () =>
    Effect.gen(function* () {
      const { replica, store } = world({ lease: 1000 })
      const tags: Array<string> = []
      let starts = 0
      const flow = Flow.make("f").pipe(
        Flow.ask("a", "¿a?"),
        Flow.do("step", (c) =>
          Effect.uninterruptible(
            Effect.gen(function* () {
              if (++starts === 1) yield* Effect.sleep("3 seconds")
              yield* Effect.catch(Effect.asVoid(c.say("hecho")), (error) => {
                tags.push(error._tag)
                return Effect.void
              })
              return 1
            })
          )
        ),
        Flow.ask("b", "¿b?"),
        Flow.persistent
      )
      const definition = Bot.make("b", [Bot.flow(flow, { trigger: "go" })])
      const r1 = yield* replica(definition, "r1")
      const r2 = yield* replica(definition, "r2")
      yield* r1.says("ana", "go")
      const answer = r1.inbound.text({ chat: "ana", body: "x" })
      yield* r1.mock.deliver(answer)
      yield* breathe
      r1.wire.cut = true
      yield* TestClock.adjust("1200 millis")
      yield* r2.gets(answer)
      r1.wire.cut = false
      yield* TestClock.adjust("5 seconds")
      yield* r1.bot.settled
      expect(tags).toEqual(["LeaseLostError"])
      expect([...r1.texts("ana"), ...r2.texts("ana")]).toEqual(["¿a?", "hecho", "¿b?"])
      expect((yield* store.getCheckpoint("default/b", "ana")).checkpoint).toMatchObject({ stepId: "b" })
      expect(yield* r2.says("ana", "y")).toEqual([])
    })
)

it.effect(
  "COORD-12: five replicas restarted in turn, under load: no overlap, nothing lost, fences grow in each chat",
  () =>
    Effect.gen(function* () {
      const { hub, replica } = world()
      const { definition, order, overlaps } = timed(0.3)
      const replicas = []
      for (let n = 0; n < 5; n++) replicas.push(yield* replica(definition, `r${n}`))
      const fences = new Map<string, number>()
      let sent = 0
      for (let round = 0; round < 40; round++) {
        const restarted = replicas[round % 5]!
        const restart = yield* Effect.forkChild(Effect.andThen(restarted.bot.stop, restarted.bot.start))
        for (let n = 0; n < 20; n++) {
          const at = replicas[(round + 1 + (n % 4)) % 5]!
          const chat = `c${(round * 7 + n) % 50}`
          yield* at.mock.deliver(at.inbound.text({ chat, body: `${++sent}` }))
          const held = hub.holderOf(`default/b/${chat}`)
          if (held !== undefined) {
            expect(held.fence).toBeGreaterThanOrEqual(fences.get(chat) ?? 0)
            fences.set(chat, held.fence)
          }
        }
        yield* TestClock.adjust("3 seconds")
        yield* Effect.yieldNow
        restart.pollUnsafe()
      }
      yield* TestClock.adjust("30 seconds")
      for (const { bot } of replicas) yield* bot.settled
      expect(order).toHaveLength(sent)
      expect(overlaps()).toBe(0)
    })
)
