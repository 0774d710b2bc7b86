import { expect, it } from "@effect/vitest"
import { Bot, Flow } from "@botmesh/core"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { world } from "../kit/Replicas.ts"

const flow = Flow.make("f").pipe(
  Flow.ask("a", "¿a?", { timeout: "10m", idle: { after: "4m", say: "¿sigues?" } }),
  Flow.ask("b", "¿b?", { timeout: "10m" }),
  Flow.delay("5m"),
  Flow.say("fin"),
  Flow.persistent
)
const definition = Bot.make("b", [
  Bot.flow(flow, { trigger: "go" }),
  Bot.command("human", (chat) => chat.handOff()),
  Bot.onMessage((chat) => chat.reply("nuevo"))
])

it.effect(
  "C10 I17: the timer of a copy that another replica has moved on does nothing, and the copy goes",
  () =>
    Effect.gen(function* () {
      const { replica } = world()
      const one = yield* replica(definition, "one")
      const two = yield* replica(definition, "two")
      yield* one.says("ana", "go")
      yield* TestClock.adjust("3 minutes")
      expect(yield* two.says("ana", "1")).toEqual(["¿b?"])
      // The watcher of the first question is due on one, its deadline four minutes before that of the second.
      yield* TestClock.adjust("8 minutes")
      yield* one.bot.settled
      expect(one.texts("ana")).toEqual(["¿a?"])
      expect(one.bot.conversations.list()).toEqual([])
      yield* TestClock.adjust("3 minutes")
      yield* two.bot.settled
      // The second one's time is over once, at whichever replica looks first.
      expect([...one.texts("ana"), ...two.texts("ana")]).toHaveLength(3)
      const timeouts = [one, two].map(({ bot }) => bot.metrics.snapshot().conversationsEnded.timeout)
      expect(timeouts.toSorted()).toEqual([0, 1])
      expect(one.bot.metrics.snapshot()).toMatchObject({ errors: 0, checkpointsRefused: 0 })
    }),
  60_000
)

it.effect(
  "C23 R24: watcher, deadline and sleep of a replica that is gone act once on one of those left",
  () =>
    Effect.gen(function* () {
      const { replica } = world()
      const one = yield* replica(definition, "one")
      const two = yield* replica(definition, "two")
      const three = yield* replica(definition, "three")
      yield* one.says("ana", "go")
      yield* one.says("eva", "go")
      yield* one.says("eva", "1")
      yield* one.says("leo", "go")
      yield* one.says("leo", "1")
      yield* one.says("leo", "2")
      one.wire.cut = true
      yield* TestClock.adjust("4 minutes")
      yield* TestClock.adjust("5 seconds")
      const said = (chat: string) => [...two.texts(chat), ...three.texts(chat)]
      expect(said("ana")).toEqual(["¿sigues?"])
      yield* TestClock.adjust("62 seconds")
      expect(said("leo")).toEqual(["fin"])
      yield* TestClock.adjust("6 minutes")
      expect(said("ana")).toHaveLength(2)
      expect(said("eva")).toHaveLength(1)
      expect(one.texts("ana")).toEqual(["¿a?"])
      one.wire.cut = false
      yield* TestClock.adjust("10 seconds")
    }),
  60_000
)

it.effect(
  "C10 DM3: while the replica that has it alive acts, the others take no turn for it",
  () =>
    Effect.gen(function* () {
      const { replica } = world()
      const one = yield* replica(definition, "one")
      const two = yield* replica(definition, "two")
      yield* one.says("ana", "go")
      yield* TestClock.adjust("11 minutes")
      yield* one.bot.settled
      expect(one.texts("ana")).toHaveLength(3)
      expect(two.texts("ana")).toEqual([])
      expect(two.bot.metrics.snapshot().turns).toBe(0)
    }),
  60_000
)

it.effect(
  "I19 R18: a chat handed to a person at one replica is silent at all of them, timers too, until it is given back",
  () =>
    Effect.gen(function* () {
      const { replica } = world()
      const one = yield* replica(definition, "one")
      const two = yield* replica(definition, "two")
      yield* one.says("ana", "go")
      yield* one.says("eva", "hola")
      yield* two.bot.handoff.start("ana")
      yield* two.bot.handoff.start("eva")
      yield* two.bot.settled
      expect(yield* one.says("ana", "1")).toEqual([])
      expect(yield* one.says("eva", "hola")).toEqual([])
      yield* TestClock.adjust("15 minutes")
      expect([...one.texts("ana"), ...two.texts("ana")]).toEqual(["¿a?"])
      expect(yield* one.bot.handoff.end("ana")).toBe(true)
      expect(yield* one.bot.handoff.end("eva")).toBe(true)
      yield* one.bot.settled
      expect(yield* two.says("ana", "1")).toEqual(["¿b?"])
      expect(yield* two.says("eva", "hola")).toEqual(["nuevo"])
    }),
  60_000
)

it.effect(
  "I19: a group handed over at one replica is silent for each participant at another",
  () =>
    Effect.gen(function* () {
      const { replica } = world()
      const one = yield* replica(definition, "one")
      const two = yield* replica(definition, "two")
      const hola = (sender: string) => one.gets(one.inbound.text({ chat: "g", sender, body: "hola" }))
      yield* hola("ana")
      yield* hola("eva")
      yield* two.bot.handoff.start("g")
      yield* two.bot.settled
      yield* hola("ana")
      yield* hola("eva")
      expect(one.texts("g")).toEqual(["nuevo", "nuevo"])
    }),
  60_000
)
