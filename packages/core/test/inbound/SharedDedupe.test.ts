import { expect, it } from "@effect/vitest"
import { Bot, Flow } from "@botmesh/core"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { breathe } from "../kit/Engine.ts"
import { world } from "../kit/Replicas.ts"

const echoing = (options: Bot.BotOptions = {}) =>
  Bot.make("b", [Bot.onMessage((chat) => chat.reply(`oí ${chat.body}`))], options)

it.effect("R15: a message delivered to two replicas is handled by one", () =>
  Effect.gen(function* () {
    const { replica } = world()
    const one = yield* replica(echoing(), "one")
    const two = yield* replica(echoing(), "two")
    const event = one.inbound.text({ chat: "ana", body: "hola" })
    yield* one.gets(event)
    yield* two.gets(event)
    expect([...one.texts("ana"), ...two.texts("ana")]).toEqual(["oí hola"])
    expect(two.dropped("duplicate")).toBe(1)
    // An edit is another message; without dedupe so is everything.
    yield* two.gets({ ...event, body: "adiós" })
    expect(two.texts("ana")).toEqual(["oí adiós"])
    const three = yield* replica(echoing({ dedupe: false }), "three")
    yield* three.gets(event)
    expect(three.texts("ana")).toEqual(["oí hola"])
  })
)

it.effect("R15: a button pressed once is handled once over all replicas, and the claim ends with the ttl", () =>
  Effect.gen(function* () {
    const { replica } = world()
    const definition = Bot.make("b", [Bot.action("ok", (chat) => chat.reply("hecho"))], { dedupe: { ttl: "10m" } })
    const one = yield* replica(definition, "one")
    const two = yield* replica(definition, "two")
    const press = one.inbound.button({ chat: "ana", payload: "ok" })
    yield* two.gets(press)
    yield* one.gets(press)
    expect(one.texts("ana")).toEqual([])
    yield* TestClock.adjust("11 minutes")
    yield* one.gets(press)
    expect(one.texts("ana")).toEqual(["hecho"])
  })
)

it.effect("R23: a message lost with its turn is not a duplicate when it is delivered again", () =>
  Effect.gen(function* () {
    const { replica } = world()
    const runs: Array<string> = []
    const slow = (name: string) =>
      Bot.make("b", [
        Bot.onMessage((chat) =>
          Effect.andThen(
            Effect.sync(() => runs.push(name)),
            Effect.andThen(Effect.sleep("2 seconds"), chat.reply("hecho"))
          )
        )
      ])
    const one = yield* replica(slow("one"), "one")
    const two = yield* replica(slow("two"), "two")
    const event = one.inbound.text({ chat: "ana", body: "hola" })
    yield* TestClock.adjust("1 second")
    yield* one.mock.deliver(event)
    yield* breathe
    one.wire.cut = true
    yield* TestClock.adjust("1500 millis")
    // Still one's: its lease stands.
    yield* two.gets(event)
    expect(two.dropped("duplicate")).toBe(1)
    yield* TestClock.adjust("5 seconds")
    one.wire.cut = false
    yield* TestClock.adjust("5 seconds")
    yield* two.mock.deliver(event)
    yield* TestClock.adjust("3 seconds")
    yield* two.bot.settled
    expect(one.texts("ana").length + two.texts("ana").length).toBe(1)
  })
)

it.effect(
  "A4 R23: a turn lost in a step frees the claim, and the same replica takes the message when it comes again",
  () =>
    Effect.gen(function* () {
      const { replica } = world()
      let tries = 0
      const flow = Flow.make("f").pipe(
        Flow.run("work", () =>
          Effect.suspend(() => (++tries === 1 ? Effect.as(Effect.sleep("1 minute"), 1) : Effect.succeed(2)))
        ),
        Flow.say(({ work }) => `hecho ${work}`)
      )
      const one = yield* replica(Bot.make("b", [Bot.flow(flow, { trigger: "go" })]), "one")
      const event = one.inbound.text({ chat: "ana", body: "go" })
      yield* one.mock.deliver(event)
      yield* breathe
      one.wire.cut = true
      yield* TestClock.adjust("4 seconds")
      yield* one.bot.settled
      expect(one.dropped("turn-lost")).toBe(1)
      one.wire.cut = false
      yield* TestClock.adjust("5 seconds")
      yield* one.gets(event)
      expect(one.texts("ana")).toEqual(["hecho 2"])
      expect(one.dropped("duplicate")).toBe(0)
    })
)

it.effect(
  "I9: a message whose effect is stored is not applied again, though its turn was lost before it was told",
  () =>
    Effect.gen(function* () {
      const { replica } = world()
      let starts = 0
      const flow = Flow.make("f").pipe(
        Flow.ask("a", "¿a?"),
        Flow.run("work", () =>
          Effect.suspend(() => (++starts === 1 ? Effect.as(Effect.sleep("1 minute"), 1) : Effect.succeed(1)))
        ),
        Flow.ask("b", ({ a }) => `¿b, ${a}?`),
        Flow.say(({ a, b }) => `${a}${b}`),
        Flow.persistent
      )
      const definition = Bot.make("b", [Bot.flow(flow, { trigger: "go" })])
      const one = yield* replica(definition, "one")
      const two = yield* replica(definition, "two")
      yield* one.says("ana", "go")
      const answer = one.inbound.text({ chat: "ana", body: "x" })
      yield* one.mock.deliver(answer)
      yield* breathe
      one.wire.cut = true
      yield* TestClock.adjust("4 seconds")
      yield* one.bot.settled
      yield* TestClock.adjust("1 second")
      // Its answer is stored: it is not the answer to the second question too, and the cut step goes on.
      yield* two.gets(answer)
      expect(two.texts("ana")).toEqual(["¿b, x?"])
      expect(two.dropped("duplicate")).toBe(1)
      expect(yield* two.says("ana", "y")).toEqual(["xy"])
    })
)

it.effect("R7: the message that ended a conversation is not routed as new when it comes again", () =>
  Effect.gen(function* () {
    const { replica, store } = world()
    const flow = Flow.make("f").pipe(Flow.ask("a", "¿a?"), Flow.say("fin"), Flow.persistent)
    const definition = Bot.make(
      "b",
      [Bot.flow(flow, { trigger: "go" }), Bot.onMessage((chat) => chat.reply("¿qué?"))],
      {
        dedupe: false
      }
    )
    const one = yield* replica(definition, "one")
    const two = yield* replica(definition, "two")
    yield* one.says("ana", "go")
    const answer = one.inbound.text({ chat: "ana", body: "x" })
    yield* one.gets(answer)
    expect((yield* store.getCheckpoint("default/b", "ana")).tombstone?.applied).toContain(answer.ref.id)
    yield* two.gets(answer)
    expect(two.texts("ana")).toEqual([])
    expect(two.dropped("duplicate")).toBe(1)
  })
)
