import { expect, it } from "@effect/vitest"
import { Bot, Flow, SuspendedBy } from "@botmesh/core"
import { Cause, Context, Effect, Exit, Option } from "effect"
import { TestClock } from "effect/testing"
import { breathe } from "../kit/Engine.ts"
import { world } from "../kit/Replicas.ts"

const reasonOf = (exit: Exit.Exit<unknown, unknown>): string | undefined =>
  Exit.isFailure(exit)
    ? Option.getOrUndefined(Context.getOption(Cause.annotations(exit.cause), SuspendedBy))
    : undefined

/** A flow whose second step takes ten seconds; tells how each try of it ended. */
const slowFlow = () => {
  const seen: Array<string> = []
  const flow = Flow.make("f").pipe(
    Flow.ask("a", "¿a?"),
    Flow.run("work", (_, op) =>
      Effect.as(Effect.sleep("10 seconds"), "hecho").pipe(
        Effect.onExit((exit) => Effect.sync(() => seen.push(`${op.attempt} ${reasonOf(exit) ?? exit._tag}`)))
      )
    ),
    Flow.say(({ a, work }) => `${a} ${work}`),
    Flow.persistent
  )
  return { flow, seen }
}

it.effect(
  "C6 R6 R17: a lost lease suspends the step, drops its copy and leaves the checkpoint to the next holder",
  () =>
    Effect.gen(function* () {
      const { replica, store } = world()
      const { flow, seen } = slowFlow()
      const definition = Bot.make("b", [Bot.flow(flow, { trigger: "go" })], { settle: "1m" })
      const one = yield* replica(definition, "one")
      const two = yield* replica(definition, "two")
      expect(yield* one.says("ana", "go")).toEqual(["¿a?"])
      yield* one.mock.deliver(one.inbound.text({ chat: "ana", body: "x" }))
      yield* breathe
      const { checkpoint: before } = yield* store.getCheckpoint("default/b", "ana")
      one.wire.cut = true
      yield* TestClock.adjust("3 seconds")
      yield* one.bot.settled
      expect(seen).toEqual(["1 lease-lost"])
      expect(one.bot.conversations.list()).toEqual([])
      expect(yield* store.getCheckpoint("default/b", "ana")).toEqual({ checkpoint: before })
      expect(yield* one.events.of("coordination:lease-lost")).toEqual([
        { _tag: "coordination:lease-lost", key: "ana", reason: "expired" }
      ])
      expect(yield* one.events.of("suspended")).toEqual([{ _tag: "suspended", key: "ana", reason: "lease-lost" }])
      expect(one.bot.metrics.snapshot()).toMatchObject({ leasesLost: 1, suspended: { "lease-lost": 1 } })
      expect(one.bot.metrics.snapshot().conversationsEnded).toMatchObject({ lost: 0, failed: 0 })
      // Its message was lost with its turn, and said so (R23).
      expect(one.dropped("turn-lost")).toBe(1)
      expect(one.bot.metrics.snapshot().handled).toBe(1)
      // The other goes on where it stood: the answer is stored, the run is begun again.
      yield* two.mock.deliver(two.inbound.text({ chat: "ana", body: "¿sigues?" }))
      yield* TestClock.adjust("15 seconds")
      yield* two.bot.settled
      expect(seen).toEqual(["1 lease-lost", "2 Success"])
      expect(two.texts("ana")).toEqual(["x hecho"])
      expect(one.texts("ana")).toEqual(["¿a?"])
    })
)

it.effect("C6 R10: what a handler still sends after its lease is lost fails with LeaseLostError", () =>
  Effect.gen(function* () {
    const { replica } = world()
    const tags: Array<string> = []
    const stubborn = Bot.when("go", (chat) =>
      Effect.uninterruptible(
        Effect.andThen(
          Effect.sleep("4 seconds"),
          Effect.catch(Effect.asVoid(chat.reply("tarde")), (error) =>
            Effect.sync(() => {
              tags.push(error._tag === "LeaseLostError" ? error.reason : error._tag)
            })
          )
        )
      )
    )
    const one = yield* replica(Bot.make("b", [stubborn], { apology: false }), "one")
    yield* one.mock.deliver(one.inbound.text({ chat: "ana", body: "go" }))
    yield* breathe
    one.wire.cut = true
    yield* TestClock.adjust("5 seconds")
    yield* one.bot.settled
    expect(tags).toEqual(["expired"])
    expect(one.texts("ana")).toEqual([])
    expect(one.dropped("turn-lost")).toBe(1)
    expect(one.bot.metrics.snapshot()).toMatchObject({ handled: 0, overruns: 0, leasesLost: 1 })
  })
)

it.effect("R17 I18: code that does not stop when its lease is lost is counted overrun, and has no effect", () =>
  Effect.gen(function* () {
    const { replica, store } = world()
    const flow = Flow.make("f").pipe(
      Flow.ask("a", "¿a?"),
      Flow.run("work", () => Effect.uninterruptible(Effect.as(Effect.sleep("30 seconds"), "hecho"))),
      Flow.say("listo"),
      Flow.persistent
    )
    const one = yield* replica(Bot.make("b", [Bot.flow(flow, { trigger: "go" })]), "one")
    yield* one.says("ana", "go")
    yield* one.mock.deliver(one.inbound.text({ chat: "ana", body: "x" }))
    yield* breathe
    const before = yield* store.getCheckpoint("default/b", "ana")
    one.wire.cut = true
    yield* TestClock.adjust("8 seconds")
    yield* one.bot.settled
    expect(one.bot.metrics.snapshot()).toMatchObject({ overruns: 1, leasesLost: 1 })
    expect(one.dropped("turn-lost")).toBe(1)
    expect(one.bot.conversations.list()).toEqual([])
    yield* TestClock.adjust("1 minute")
    expect(one.texts("ana")).toEqual(["¿a?"])
    expect(yield* store.getCheckpoint("default/b", "ana")).toEqual(before)
  })
)

it.effect("C5 C6: a flow that is not stored is lost with its turn, and said so", () =>
  Effect.gen(function* () {
    const { replica } = world()
    const flow = Flow.make("f").pipe(
      Flow.run("work", () => Effect.as(Effect.sleep("10 seconds"), 1)),
      Flow.say("listo")
    )
    const one = yield* replica(Bot.make("b", [Bot.flow(flow, { trigger: "go" })]), "one")
    yield* one.mock.deliver(one.inbound.text({ chat: "ana", body: "go" }))
    yield* breathe
    one.wire.cut = true
    yield* TestClock.adjust("3 seconds")
    yield* one.bot.settled
    const ended = yield* one.events.of("conversation:ended")
    expect(ended.map(({ outcome }) => outcome)).toEqual(["lost"])
    expect(one.dropped("turn-lost")).toBe(1)
  })
)

it.effect("C10 R24: a timer whose turn is lost before it acts tries again", () =>
  Effect.gen(function* () {
    const { replica } = world()
    const flow = Flow.make("f").pipe(Flow.ask("a", "¿a?", { timeout: "10s" }), Flow.persistent)
    const definition = Bot.make("b", [Bot.flow(flow, { trigger: "go" })])
    const one = yield* replica(definition, "one")
    yield* one.says("ana", "go")
    one.wire.cut = true
    yield* TestClock.adjust("20 seconds")
    expect(one.bot.metrics.snapshot().conversationsEnded.timeout).toBe(0)
    one.wire.cut = false
    yield* TestClock.adjust("10 seconds")
    yield* one.bot.settled
    expect(one.bot.metrics.snapshot().conversationsEnded.timeout).toBe(1)
    expect(one.texts("ana")).toHaveLength(2)
  })
)

it.effect("R3 R23: a turn that was lost before anything of it ran begins nothing, and is given up", () =>
  Effect.gen(function* () {
    const { replica } = world()
    const heard: Array<string> = []
    const note = Bot.onMessage((chat) => Effect.sync(() => void heard.push(chat.body)))
    const one = yield* replica(Bot.make("b", [note]), "one")
    one.wire.late = 4000
    one.wire.cut = false
    yield* one.mock.deliver(one.inbound.text({ chat: "ana", body: "a" }))
    yield* breathe
    one.wire.cut = true
    yield* TestClock.adjust("4 seconds")
    yield* one.bot.settled
    expect(heard).toEqual([])
    expect(one.dropped("turn-lost")).toBe(1)
    expect(one.bot.metrics.snapshot()).toMatchObject({ handled: 0, leasesLost: 1 })
    one.wire.cut = false
    one.wire.late = 0
    yield* TestClock.adjust("4 seconds")
    expect(yield* one.says("ana", "b")).toEqual([])
    expect(heard).toEqual(["b"])
  })
)
