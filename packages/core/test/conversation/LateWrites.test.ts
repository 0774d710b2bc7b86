import { expect, it } from "@effect/vitest"
import { Bot, Flow } from "@botmesh/core"
import { type StoreShape, StoreError } from "@botmesh/core/spi"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { breathe } from "../kit/Engine.ts"
import { world } from "../kit/Replicas.ts"

const flow = Flow.make("f").pipe(
  Flow.ask("a", "¿a?"),
  Flow.ask("b", "¿b?"),
  Flow.say(({ a, b }) => `${a}${b}`),
  Flow.persistent
)
const definition = Bot.make("b", [Bot.flow(flow, { trigger: "go" }), Bot.onMessage((chat) => chat.reply("¿qué?"))])

/** Checkpoint writes that are on their way when the process is frozen: they land when the test says so. */
const slowWrites = () => {
  const underWay: Array<Effect.Effect<boolean, StoreError>> = []
  let slow = false
  const change = (store: StoreShape): Partial<StoreShape> => ({
    setCheckpointIf: (bot, key, next) =>
      Effect.suspend(() => {
        const write = store.setCheckpointIf(bot, key, next)
        if (!slow) return write
        underWay.push(write)
        return Effect.never
      })
  })
  return {
    change,
    begin: Effect.sync(() => {
      slow = true
    }),
    land: Effect.suspend(() => Effect.forEach(underWay.splice(0), (write) => write))
  }
}

it.effect("R5 I2: a write of a holder that did not release is refused once the next holder has read", () =>
  Effect.gen(function* () {
    const { replica, store } = world()
    const writes = slowWrites()
    const one = yield* replica(definition, "one", writes.change)
    const landed: Array<boolean> = []
    const two = yield* replica(definition, "two", (shared) => ({
      // It lands between what two reads and what two writes.
      open: (...key) =>
        Effect.tap(shared.open(...key), () => Effect.map(writes.land, (accepted) => landed.push(...accepted)))
    }))
    expect(yield* one.says("ana", "go")).toEqual(["¿a?"])
    yield* writes.begin
    yield* one.mock.deliver(one.inbound.text({ chat: "ana", body: "1" }))
    yield* breathe
    one.wire.cut = true
    yield* TestClock.adjust("15 seconds")
    // The answer was under way to the store when one lost its turn: two reads what stands, and takes this one for it.
    yield* two.mock.deliver(two.inbound.text({ chat: "ana", body: "2" }))
    yield* breathe
    expect(two.texts("ana")).toEqual(["¿b?"])
    expect(landed).toEqual([false])
    expect((yield* store.getCheckpoint("default/b", "ana")).checkpoint?.state).toEqual({ a: "2" })
    expect(yield* two.says("ana", "3")).toEqual(["23"])
    expect(two.bot.metrics.snapshot()).toMatchObject({ checkpointsRefused: 0, errors: 0 })
  })
)

it.effect("R5: the fence is raised before the read, by whoever did not hold the key last, and by nobody else", () =>
  Effect.gen(function* () {
    const { replica } = world()
    const calls: Array<string> = []
    const noting =
      (name: string) =>
      (store: StoreShape): Partial<StoreShape> => ({
        raiseFence: (bot, key, fence) =>
          Effect.andThen(
            Effect.sync(() => calls.push(`${name} raises`)),
            store.raiseFence(bot, key, fence)
          ),
        open: (bot, key, chatId, userId) =>
          Effect.andThen(
            Effect.sync(() => calls.push(`${name} reads`)),
            store.open(bot, key, chatId, userId)
          )
      })
    const one = yield* replica(definition, "one", noting("one"))
    const two = yield* replica(definition, "two", noting("two"))
    yield* one.says("ana", "hola")
    yield* one.says("ana", "hola")
    yield* two.says("ana", "hola")
    yield* one.says("ana", "hola")
    expect(calls).toEqual(["one raises", "one reads", "two raises", "two reads", "one raises", "one reads"])
  })
)

it.effect("R5 R6: after a write of its own without an answer a replica raises the fence and reads anew", () =>
  Effect.gen(function* () {
    const { replica } = world()
    const late: Array<Effect.Effect<boolean, StoreError>> = []
    const landed: Array<boolean> = []
    let silent = false
    const one = yield* replica(definition, "one", (store) => ({
      open: (...key) =>
        Effect.tap(store.open(...key), () =>
          Effect.forEach(late.splice(0), (write) => Effect.map(write, (accepted) => landed.push(accepted)))
        ),
      setCheckpointIf: (bot, key, next) =>
        Effect.suspend(() => {
          const write = store.setCheckpointIf(bot, key, next)
          if (!silent) return write
          late.push(write)
          const detail = "no answer"
          return new StoreError({ store: "x", operation: "setCheckpointIf", reason: "unavailable", detail })
        })
    }))
    expect(yield* one.says("ana", "go")).toEqual(["¿a?"])
    silent = true
    yield* one.says("ana", "1")
    expect(one.bot.conversations.list()).toEqual([])
    silent = false
    // It did not land: the question stands as it was.
    expect(yield* one.says("ana", "2")).toEqual(["¿b?"])
    expect(landed).toEqual([false])
    expect(yield* one.says("ana", "3")).toEqual(["23"])
    expect(one.bot.metrics.snapshot().checkpointsRefused).toBe(0)
  })
)

it.effect("R19: a replica whose fence is below the one that stands is granted again above it, and writes", () =>
  Effect.gen(function* () {
    const { replica, store } = world()
    // Of a backend whose clock was ahead, before a failover: a day's fences above those of the hub.
    const ahead = 86_400_000_000
    yield* store.raiseFence("default/b", "ana", ahead)
    const one = yield* replica(definition, "one")
    const two = yield* replica(definition, "two")
    expect(yield* one.says("ana", "go")).toEqual(["¿a?"])
    const { checkpoint } = yield* store.getCheckpoint("default/b", "ana")
    expect(checkpoint?.fence).toBeGreaterThan(ahead)
    expect(yield* two.says("ana", "1")).toEqual(["¿b?"])
    expect(yield* one.says("ana", "2")).toEqual(["12"])
    expect(one.bot.metrics.snapshot()).toMatchObject({ checkpointsRefused: 0, errors: 0, leasesLost: 0 })
  })
)

it.effect("R19 R23: a turn that cannot be lifted above the fence that stands is lost, and said so", () =>
  Effect.gen(function* () {
    const { replica } = world()
    let higher = 1e15
    const one = yield* replica(definition, "one", () => ({ raiseFence: () => Effect.sync(() => (higher *= 2)) }))
    const event = one.inbound.text({ chat: "ana", body: "go" })
    yield* one.gets(event)
    expect(one.texts("ana")).toEqual([])
    expect(one.dropped("turn-lost")).toBe(1)
    const errors = yield* one.events.of("error")
    expect(errors.map(({ error }) => error)).toMatchObject([{ _tag: "LeaseLostError", reason: "superseded" }])
  })
)
