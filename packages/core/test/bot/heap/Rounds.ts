/**
 * Runs a bot with every ill-behaved handler, round after round, and prints how much heap it holds after a warm-up and at
 * the end: `node --expose-gc --conditions=botmesh-source Rounds.ts`.
 */
import { Effect, References } from "effect"
import { TestClock } from "effect/testing"
import { Bot, Flow, MemoryStore } from "../../../src/index.ts"
import { MockProvider } from "../../../src/testing.ts"
import { run } from "../../kit/Engine.ts"

const shop = Bot.make(
  "shop",
  [
    Bot.when("never", () => Effect.never),
    Bot.when("throws", () => {
      throw new Error("bug")
    }),
    Bot.when("dies", () => Effect.die(new Error("bug"))),
    Bot.when("fails", () => Effect.fail("no")),
    Bot.when("stuck", () => Effect.uninterruptible(Effect.sleep("1 hour"))),
    Bot.when("daemon", (chat) =>
      Effect.forkDetach(Effect.andThen(Effect.sleep("10 seconds"), Effect.ignore(chat.reply("late"))))
    ),
    Bot.when("flood", (chat) => Effect.repeat(Effect.ignore(chat.reply("")), { times: 500 })),
    Bot.flow(Flow.make("a").pipe(Flow.goto("b")), { trigger: "loop" }),
    Bot.flow(Flow.make("b").pipe(Flow.goto("a"))),
    Bot.conversation("hangs", () => Effect.never),
    Bot.onMessage((chat) => chat.reply(`ok ${chat.body}`))
  ],
  { limits: { cuts: 2 }, dedupe: { size: 100 } }
)
const bodies = ["never", "throws", "dies", "fails", "stuck", "daemon", "flood", "loop", "hangs", "fine"]

declare const gc: () => void
const heap = Effect.gen(function* () {
  for (let i = 0; i < 4; i++) {
    yield* TestClock.withLive(Effect.sleep(20))
    gc()
  }
  return process.memoryUsage().heapUsed
})

const program = Effect.gen(function* () {
  const mock = yield* MockProvider.make({ maxLog: 50 })
  const { bot, events, inbound } = yield* run(shop, { mock, store: MemoryStore.layer({ maxMessagesPerChat: 3 }) })
  const seen = yield* events.all
  const round = Effect.gen(function* () {
    yield* mock.deliver(
      Array.from({ length: 200 }, (_, n) => inbound.text({ chat: `c${n}`, body: bodies[n % bodies.length] ?? "" }))
    )
    // Past every settle, cut, retry and the hour of those that cannot be stopped.
    for (let i = 0; i < 20; i++) yield* TestClock.adjust("5 minutes")
    yield* bot.settled
    // The collector's own list is not what is measured.
    if (Array.isArray(seen)) seen.length = 0
  })
  for (let i = 0; i < 4; i++) yield* round
  const before = yield* heap
  for (let i = 0; i < 6; i++) yield* round
  const after = yield* heap
  const { received } = bot.metrics.snapshot()
  return { before, after, received, live: bot.conversations.list().length }
})

const quiet = Effect.provideService(References.MinimumLogLevel, "None")
console.log(
  JSON.stringify(await Effect.runPromise(program.pipe(quiet, Effect.scoped, Effect.provide(TestClock.layer()))))
)
