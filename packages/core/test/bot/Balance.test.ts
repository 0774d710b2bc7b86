/** I24 over random traffic with faults: whatever comes in is handled, or dropped for a counted reason, and told once. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Random, References, Schema, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { Bot, Flow } from "../../src/index.ts"
import { type InboundEvent, Transient } from "../../src/spi.ts"
import { StoreError } from "../../src/spi/Store.ts"
import { forAllSeeds } from "../../src/testing.ts"
import { balance, halt, run, storeWith } from "../kit/Engine.ts"

const shop = Bot.make(
  "shop",
  [
    Bot.before("message", (chat) => (chat.body === "stop" ? chat.stop : Effect.void)),
    Bot.before("call", (chat) => (chat.from === "c1" ? chat.stop : Effect.void)),
    Bot.when("fail", () => Effect.fail("no")),
    Bot.when("die", () => Effect.die("bug")),
    Bot.when("never", () => Effect.never),
    Bot.when("slow", (chat) => Effect.andThen(Effect.sleep("20 seconds"), chat.reply("slow"))),
    Bot.when("stuck", () => Effect.uninterruptible(Effect.sleep("5 minutes"))),
    Bot.when("pass", (chat) => chat.pass),
    Bot.flow(
      Flow.make("f").pipe(Flow.ask("a", "a?", { timeout: "30s" }), Flow.delay("10s"), Flow.say("end"), Flow.persistent),
      {
        trigger: "flow"
      }
    ),
    Bot.onReaction(() => Effect.fail("no")),
    Bot.onCall((chat) => (chat.from === "c2" ? Effect.uninterruptible(Effect.sleep("5 minutes")) : Effect.never)),
    Bot.onMessage((chat) => chat.reply(`ok ${chat.body}`))
  ],
  {
    echoFilter: { size: 5 },
    dedupe: { size: 20 },
    access: { blacklist: ["bad"] },
    groupMode: "mention",
    limits: { perKey: 4, total: 12, pending: 2 },
    settle: "40s"
  }
)

const bodies = ["hi", "stop", "fail", "die", "never", "slow", "stuck", "pass", "flow", "/cmd", ""]
const Traffic = Schema.Array(
  Schema.Struct({
    kind: Schema.Literals(["text", "text", "text", "button", "call", "reaction", "unknown", "invalid", "mine"]),
    body: Schema.Literals(bodies),
    chat: Schema.Literals(["c1", "c2", "c3", "bad", "held"]),
    group: Schema.Boolean,
    /** Small, so that some come twice; 0 is none. */
    id: Schema.Literals([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
    then: Schema.Literals(["", "", "", "", "", "wait", "long", "restart", "break", "mend", "deaf", "hang"])
  })
).check(Schema.isMaxLength(40))

const eventOf = (one: (typeof Traffic.Type)[number]): InboundEvent => {
  const common = {
    from: one.chat,
    sender: one.group ? "ana" : one.chat,
    isGroup: one.group,
    ref: { id: one.id === 0 ? "" : `${one.id}`, chatId: one.chat },
    body: one.body,
    type: "text" as const
  }
  switch (one.kind) {
    case "button":
      return { ...common, _tag: "interaction", interactionId: `${one.id}`, payload: one.body }
    case "call":
      return { ...common, _tag: "call", callId: `${one.id}` }
    case "reaction":
      return { ...common, _tag: "reaction", emoji: "👍", target: common.ref }
    case "unknown":
      return { ...common, _tag: "hologram" } as unknown as InboundEvent
    case "invalid":
      return { ...common, _tag: "message", sender: "" }
    case "mine":
      return { ...common, _tag: "message", fromMe: true }
    default:
      return { ...common, _tag: "message", mentionsBot: one.id % 2 === 0 }
  }
}

describe("I24 balance", () => {
  it.effect.prop(
    "I24 in = handled + dropped by reason, one event for each drop, whatever comes and breaks",
    { traffic: Traffic },
    ({ traffic }) =>
      Effect.scoped(
        Effect.gen(function* () {
          let broken = false
          let hangs = false
          const down = Effect.fail(
            new StoreError({ store: "memory", operation: "any", reason: "unavailable", detail: "down" })
          )
          const { bot, events, mock } = yield* run(shop, {
            store: storeWith((store) => ({
              admit: (...args) => (broken ? down : store.admit(...args)),
              open: (...args) => (broken ? down : store.open(...args)),
              setCheckpointIf: (...args) => (hangs ? Effect.never : broken ? down : store.setCheckpointIf(...args))
            }))
          })
          yield* bot.handoff.start("held")
          let delivered = 0
          const receive = mock.host()!.receive
          for (const one of traffic) {
            delivered++
            yield* Effect.ignore(receive([eventOf(one)]))
            if (one.then === "wait") yield* TestClock.adjust("5 seconds")
            if (one.then === "long") yield* TestClock.adjust("50 seconds")
            if (one.then === "break") broken = true
            if (one.then === "hang") hangs = true
            if (one.then === "mend") broken = hangs = false
            if (one.then === "deaf") yield* mock.faults.fail(new Transient({ detail: "deaf" }), 3)
            if (one.then === "restart") {
              yield* halt(bot)
              yield* bot.start
            }
          }
          yield* halt(bot)
          broken = hangs = false
          yield* TestClock.adjust("1 hour")
          expect(balance(bot)).toEqual({ received: delivered, accounted: delivered })
          expect(bot.metrics.snapshot().waiting).toBe(0)
          const { dropped, errors, handled } = bot.metrics.snapshot()
          const told = yield* events.of("dropped")
          for (const [reason, count] of Object.entries(dropped)) {
            expect([reason, told.filter((event) => event.reason === reason).length]).toEqual([reason, count])
          }
          expect(yield* events.of("error")).toHaveLength(errors)
          const signals = (yield* events.all).filter(
            (event) => event._tag === "call" || event._tag === "reaction"
          ).length
          expect((yield* events.of("message")).length + signals).toBeGreaterThanOrEqual(handled)
        })
      ),
    { arbitrary: { runs: 300, seed: "balance" }, timeout: 60_000 }
  )
})

describe("by the seeded scheduler", () => {
  /** 200 seeds, without a log line for each bot that starts. */
  const quietly = <A, E>(program: () => Effect.Effect<A, E, Scope.Scope>) =>
    forAllSeeds(200, () => Effect.provideService(program(), References.MinimumLogLevel, "None"))
  const numbers = Array.from({ length: 50 }, (_, n) => n)

  it.live(
    "I5 A8 50 messages of one chat at once, through a store of any speed: in order, one at a time, under every seed",
    () =>
      quietly(() =>
        Effect.gen(function* () {
          let running = 0
          const log: Array<string> = []
          const definition = Bot.make("shop", [
            Bot.onMessage((chat) =>
              Effect.gen(function* () {
                if (++running > 1) throw new Error(`two at once: ${chat.body}`)
                log.push(chat.body)
                yield* Effect.sleep(yield* Random.nextIntBetween(0, 20))
                yield* chat.reply(chat.body)
                running--
              })
            )
          ])
          const { bot, inbound, mock } = yield* run(definition, {
            store: storeWith((store) => ({
              admit: (...args) =>
                Effect.flatMap(Random.nextIntBetween(0, 20), (millis) =>
                  Effect.andThen(Effect.sleep(millis), store.admit(...args))
                )
            }))
          })
          // Arrival is when the bot first looks at an event; which fiber comes first is the seed's choice.
          const arrivals: Array<string> = []
          const arriving = (n: number) => {
            const event = inbound.text({ chat: "ana", body: `${n}` })
            return Object.defineProperty({ ...event }, "isGroup", {
              get: () => {
                if (!arrivals.includes(event.body)) arrivals.push(event.body)
                return false
              }
            })
          }
          yield* Effect.forEach(numbers, (n) => mock.deliver(arriving(n)), { concurrency: "unbounded", discard: true })
          yield* bot.settled
          const wanted = arrivals
          if (JSON.stringify(log) !== JSON.stringify(wanted)) throw new Error(`out of order: ${log.join()}`)
          if (JSON.stringify(mock.texts()) !== JSON.stringify(wanted))
            throw new Error(`replies: ${mock.texts().join()}`)
          const { accounted, received } = balance(bot)
          if (received !== 50 || accounted !== 50 || wanted.length !== 50)
            throw new Error(`in ${received}, accounted ${accounted}`)
        })
      ),
    60_000
  )

  it.live(
    "I24 LC4 a stop in the middle of it: in = handled + dropped, what was not handled is taken when it comes again, nothing twice",
    () =>
      quietly(() =>
        Effect.gen(function* () {
          const log: Array<string> = []
          const definition = Bot.make("shop", [
            Bot.onMessage((chat) =>
              Effect.andThen(
                Effect.sleep(10),
                Effect.sync(() => void log.push(chat.body))
              )
            )
          ])
          const { bot, inbound, mock } = yield* run(definition, {
            store: storeWith((store) => ({
              admit: (...args) =>
                Effect.flatMap(Random.nextIntBetween(0, 20), (millis) =>
                  Effect.andThen(Effect.sleep(millis), store.admit(...args))
                )
            }))
          })
          const messages = numbers.map((n) => inbound.text({ chat: `c${n % 3}`, body: `${n}` }))
          const fibers = []
          for (const message of messages) {
            fibers.push(yield* Effect.forkChild(Effect.ignore(mock.deliver(message)), { startImmediately: true }))
          }
          yield* Effect.sleep(yield* Random.nextIntBetween(0, 150))
          yield* bot.stop
          for (const fiber of fibers) yield* Fiber.join(fiber)
          const first = balance(bot)
          if (first.received !== first.accounted) throw new Error(`in ${first.received}, accounted ${first.accounted}`)
          yield* bot.start
          for (const message of messages) yield* mock.deliver(message)
          yield* bot.settled
          const { accounted, received } = balance(bot)
          if (received !== accounted) throw new Error(`in ${received}, accounted ${accounted}`)
          const sorted = log.map(Number).toSorted((a, b) => a - b)
          if (JSON.stringify(sorted) !== JSON.stringify(numbers)) throw new Error(`handled: ${sorted.join()}`)
        })
      ),
    60_000
  )

  it.live(
    "R15 D4 duplicates race with a slow admission that fails now and then: each message is handled once, every answer is true",
    () =>
      quietly(() =>
        Effect.gen(function* () {
          const log: Array<string> = []
          const definition = Bot.make("shop", [Bot.onMessage((chat) => Effect.sync(() => void log.push(chat.body)))])
          const { bot, inbound, mock } = yield* run(definition, {
            store: storeWith((store) => ({
              admit: (...args) =>
                Effect.gen(function* () {
                  yield* Effect.sleep(yield* Random.nextIntBetween(0, 20))
                  if ((yield* Random.next) < 0.3) {
                    return yield* new StoreError({
                      store: "memory",
                      operation: "admit",
                      reason: "unavailable",
                      detail: "down"
                    })
                  }
                  return yield* store.admit(...args)
                })
            }))
          })
          const messages = ["a", "b", "c"].map((body) => inbound.text({ chat: "ana", body }))
          const taken = new Set<string>()
          const attempt = (message: (typeof messages)[number]) =>
            Effect.gen(function* () {
              yield* Effect.sleep(yield* Random.nextIntBetween(0, 30))
              const exit = yield* Effect.exit(mock.deliver(message))
              if (exit._tag === "Success") taken.add(message.body)
            })
          const attempts = Array.from({ length: 5 }, () => messages).flat()
          yield* Effect.forEach(attempts, attempt, { concurrency: "unbounded", discard: true })
          yield* bot.settled
          if (JSON.stringify(log.toSorted()) !== JSON.stringify([...taken].toSorted())) {
            throw new Error(`answered yes to ${[...taken].join()}, handled ${log.join()}`)
          }
          const { accounted, received } = balance(bot)
          if (received !== 15 || accounted !== 15) throw new Error(`in ${received}, accounted ${accounted}`)
        })
      ),
    60_000
  )
})
