import { describe, expect, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Bot, Flow, InProcessScheduler, LocalCoordinator, MemoryStore } from "../../src/index.ts"
import { Coordinator } from "../../src/spi/Coordinator.ts"
import { layerNone } from "../../src/spi/Durability.ts"
import { Provider, ProviderError } from "../../src/spi/Provider.ts"
import { MockProvider } from "../../src/testing.ts"
import { balance, breathe, collect, halt, run, storeWith } from "../kit/Engine.ts"

const polite = Bot.make("shop", [Bot.onMessage((chat) => chat.reply(`got ${chat.body}`))], { autoStart: false })
const slow = (millis: number, options: Parameters<typeof Bot.make>[2] = {}) =>
  Bot.make(
    "shop",
    [Bot.onMessage((chat) => Effect.andThen(Effect.sleep(millis), chat.reply(`got ${chat.body}`)))],
    options
  )

describe("B12 lifecycle", () => {
  it.effect("B12 a life: started, ready, stopping, stopped, in this order; state tells where it is", () =>
    Effect.gen(function* () {
      const { bot, events, mock } = yield* run(polite)
      expect(bot.state()).toBe("idle")
      yield* bot.start
      expect(bot.state()).toBe("running")
      expect(mock.host()).toBeDefined()
      yield* bot.stop
      expect(bot.state()).toBe("stopped")
      expect(mock.host()).toBeUndefined()
      expect(yield* events.tags).toEqual(["started", "ready", "stopping", "stopped"])
    })
  )

  it.effect("B12 a `ready` listener may already send", () =>
    Effect.gen(function* () {
      const { bot, mock } = yield* run(polite)
      const sender = yield* Effect.forkChild(Effect.andThen(bot.ready, bot.send("ana", "I am up")), {
        startImmediately: true
      })
      yield* bot.start
      yield* Fiber.join(sender)
      expect(mock.texts()).toEqual(["I am up"])
    })
  )

  it.effect(
    "B12 start and stop are safe to repeat; each stop of a running bot tells `stopping` and `stopped` once",
    () =>
      Effect.gen(function* () {
        const { bot, events, mock } = yield* run(polite)
        yield* bot.stop
        yield* bot.start
        yield* bot.start
        yield* Effect.all([bot.stop, bot.stop], { concurrency: "unbounded" })
        yield* bot.start
        yield* bot.stop
        expect(mock.starts()).toBe(2)
        expect(yield* events.tags).toEqual([
          ...["started", "ready", "stopping", "stopped"],
          ...["started", "ready", "stopping", "stopped"]
        ])
      })
  )

  it.effect("B12 concurrent starts and stops run one at a time, in the order they were asked for", () =>
    Effect.gen(function* () {
      const { bot, events } = yield* run(polite)
      const fork = (act: Effect.Effect<void, ProviderError>) => Effect.forkChild(act, { startImmediately: true })
      const fibers = [
        yield* fork(bot.start),
        yield* fork(bot.stop),
        yield* fork(bot.start),
        yield* fork(bot.stop),
        yield* fork(bot.start)
      ]
      yield* Fiber.joinAll(fibers)
      expect(bot.state()).toBe("running")
      expect((yield* events.tags).filter((tag) => tag !== "ready")).toEqual([
        "started",
        "stopping",
        "stopped",
        "started",
        "stopping",
        "stopped",
        "started"
      ])
    })
  )

  it.effect("B12 a transport that cannot start fails the start; nothing was told; a later start works", () =>
    Effect.gen(function* () {
      const { bot, events, mock, says } = yield* run(polite)
      const error = new ProviderError({ provider: "mock", reason: "auth", detail: "bad token" })
      yield* mock.faults.failStart(error)
      expect(yield* Effect.flip(bot.start)).toBe(error)
      expect(bot.state()).toBe("stopped")
      expect(yield* events.tags).toEqual([])
      expect(yield* Effect.flip(bot.send("ana", "x"))).toMatchObject({ _tag: "BotNotRunningError" })
      yield* bot.start
      expect(yield* says("ana", "hi")).toEqual(["got hi"])
    })
  )

  it.effect("B12 with autoStart the layer fails as its transport does", () =>
    Effect.gen(function* () {
      const mock = yield* MockProvider.make()
      yield* mock.faults.failStart(new ProviderError({ provider: "mock", reason: "configuration", detail: "no url" }))
      expect(yield* Effect.flip(run(slow(0), { mock }))).toMatchObject({ _tag: "ProviderError" })
    })
  )

  it.effect("B12 closing the scope stops the bot, drained, and ends its events", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { bot, inbound, mock } = yield* Scope.provide(run(slow(3_000)), scope)
      const events = yield* collect(bot)
      yield* mock.deliver(inbound.text({ chat: "ana", body: "x" }))
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* TestClock.adjust("3 seconds")
      yield* Fiber.join(closing)
      expect(mock.texts()).toEqual(["got x"])
      expect(yield* events.tags).toEqual(["stopping", "message", "stopped"])
      expect(bot.state()).toBe("stopped")
    })
  )

  it.effect("B12 a start that is interrupted leaves nothing running, and the next one works", () =>
    Effect.gen(function* () {
      const mock = yield* MockProvider.make()
      const gate = yield* Deferred.make<void>()
      const provider = Layer.succeed(Provider, {
        ...mock.provider,
        start: (host) => Effect.andThen(mock.provider.start(host), Deferred.await(gate))
      })
      const spi = Layer.mergeAll(MemoryStore.layer(), LocalCoordinator.layer(), layerNone, InProcessScheduler.layer)
      const built = yield* Layer.build(Bot.layer(polite).pipe(Layer.provide(provider), Layer.provide(spi)))
      const bot = Context.get(built, polite)
      const starting = yield* Effect.forkChild(bot.start, { startImmediately: true })
      yield* breathe
      yield* Fiber.interrupt(starting)
      expect(bot.state()).toBe("stopped")
      expect(mock.host()).toBeUndefined()
      yield* Deferred.succeed(gate, undefined)
      yield* bot.start
      expect(bot.state()).toBe("running")
    })
  )

  it.effect("B12 a transport that does not stop is left to itself after 5 s", () =>
    Effect.gen(function* () {
      const mock = yield* MockProvider.make()
      const provider = Layer.succeed(Provider, {
        ...mock.provider,
        start: (host) =>
          Effect.andThen(
            mock.provider.start(host),
            Effect.addFinalizer(() => Effect.never)
          )
      })
      const spi = Layer.mergeAll(MemoryStore.layer(), LocalCoordinator.layer(), layerNone, InProcessScheduler.layer)
      const built = yield* Layer.build(Bot.layer(polite).pipe(Layer.provide(provider), Layer.provide(spi)))
      const bot = Context.get(built, polite)
      yield* bot.start
      const stopping = yield* Effect.forkChild(bot.stop, { startImmediately: true })
      yield* TestClock.adjust("4999 millis")
      expect(bot.state()).toBe("draining")
      yield* TestClock.adjust(1)
      yield* Fiber.join(stopping)
      expect(bot.state()).toBe("stopped")
    })
  )
})

describe("B12 stopping with work at hand", () => {
  it.effect(
    "B12 what runs ends within the grace; what was queued is given back, and processed when it comes again",
    () =>
      Effect.gen(function* () {
        const { bot, dropped, events, inbound, mock, texts } = yield* run(slow(2_000))
        const [first, second] = ["1", "2"].map((body) => inbound.text({ chat: "ana", body }))
        yield* mock.deliver([first!, second!])
        const stopping = yield* Effect.forkChild(bot.stop, { startImmediately: true })
        yield* breathe
        expect(bot.state()).toBe("draining")
        expect(yield* Effect.flip(mock.deliver(inbound.text({ chat: "eva", body: "late" })))).toMatchObject({
          _tag: "NotAcceptingError",
          reason: "not-running"
        })
        yield* TestClock.adjust("2 seconds")
        yield* Fiber.join(stopping)
        expect(texts()).toEqual(["got 1"])
        expect(dropped("not-running")).toBe(2)
        expect(yield* events.tags).toEqual(["stopping", "dropped", "message", "dropped", "stopped"])
        yield* bot.start
        yield* mock.deliver([first!, second!])
        yield* TestClock.adjust("2 seconds")
        yield* bot.settled
        expect(texts()).toEqual(["got 1", "got 2"])
        expect(dropped("duplicate")).toBe(1)
        expect(balance(bot)).toEqual({ received: 5, accounted: 5 })
      })
  )

  it.effect("B12 what does not end within stopGrace is suspended as `stopping`, its message given back", () =>
    Effect.gen(function* () {
      const { bot, dropped, events, inbound, mock, texts } = yield* run(slow(40_000, { stopGrace: "10s" }))
      const message = inbound.text({ chat: "ana", body: "x" })
      yield* mock.deliver(message)
      const stopping = yield* Effect.forkChild(bot.stop, { startImmediately: true })
      yield* TestClock.adjust("9999 millis")
      expect(bot.state()).toBe("draining")
      yield* TestClock.adjust(1)
      yield* Fiber.join(stopping)
      expect(yield* events.of("suspended")).toEqual([{ _tag: "suspended", key: "ana", reason: "stopping" }])
      expect(dropped("turn-lost")).toBe(1)
      expect(texts()).toEqual([])
      yield* bot.start
      yield* mock.deliver(message)
      yield* TestClock.adjust("40 seconds")
      yield* bot.settled
      expect(texts()).toEqual(["got x"])
    })
  )

  it.effect(
    "B12 a handler that cannot be stopped is left behind: the stop ends, what it still does has no effect",
    () =>
      Effect.gen(function* () {
        const { bot, events, inbound, mock } = yield* run(
          Bot.make("shop", [
            Bot.onMessage((chat) => Effect.uninterruptible(Effect.andThen(Effect.sleep("1 hour"), chat.reply("late"))))
          ])
        )
        yield* mock.deliver(inbound.text({ chat: "ana", body: "x" }))
        const stopping = yield* Effect.forkChild(bot.stop, { startImmediately: true })
        yield* TestClock.adjust("16 seconds")
        yield* Fiber.join(stopping)
        expect(yield* events.of("overrun")).toEqual([{ _tag: "overrun", key: "ana" }])
        yield* TestClock.adjust("1 hour")
        expect(mock.sent()).toEqual([])
        expect(balance(bot)).toEqual({ received: 1, accounted: 1 })
      })
  )

  it.effect("A4 a message still being stored when the bot stops is refused, so its transport delivers it again", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const { bot, dropped, inbound, mock, texts } = yield* run(slow(0), {
        store: storeWith((store) => ({
          admit: (...args) => Effect.andThen(Deferred.await(gate), store.admit(...args))
        }))
      })
      const message = inbound.text({ chat: "ana", body: "x" })
      const delivery = yield* Effect.forkChild(Effect.flip(mock.deliver(message)), { startImmediately: true })
      const stopping = yield* Effect.forkChild(bot.stop, { startImmediately: true })
      yield* breathe
      yield* Deferred.succeed(gate, undefined)
      expect(yield* Fiber.join(delivery)).toMatchObject({ reason: "not-running" })
      yield* Fiber.join(stopping)
      expect(dropped("not-running")).toBe(1)
      yield* bot.start
      yield* mock.deliver(message)
      yield* TestClock.adjust(1)
      yield* bot.settled
      expect(texts()).toEqual(["got x"])
    })
  )

  it.effect("B12 signals queued at a stop are dropped as not-running", () =>
    Effect.gen(function* () {
      const { bot, dropped, inbound, mock } = yield* run(
        Bot.make("shop", [Bot.onReaction(() => Effect.die("never")), Bot.onMessage(() => Effect.sleep(1_000))])
      )
      const message = inbound.text({ chat: "ana", body: "x" })
      yield* mock.deliver([message, inbound.reaction({ chat: "ana", emoji: "👍", target: message.ref })])
      yield* halt(bot)
      expect(dropped("not-running")).toBe(1)
      expect(bot.metrics.snapshot()).toMatchObject({ handled: 1, errors: 0 })
    })
  )

  it.effect(
    "B12 a parked conversation does not hold up a stop; persistent it goes on after a restart, else it is lost",
    () =>
      Effect.gen(function* () {
        const flow = (id: string) =>
          Flow.make(id).pipe(
            Flow.ask("a", "a?"),
            Flow.say(({ a }) => `${id} ${a}`)
          )
        const { bot, events, says } = yield* run(
          Bot.make("shop", [
            Bot.flow(flow("kept").pipe(Flow.persistent), { trigger: "kept" }),
            Bot.flow(flow("gone"), { trigger: "gone" }),
            Bot.onMessage((chat) => chat.reply(`? ${chat.body}`))
          ])
        )
        yield* says("ana", "kept")
        yield* says("eva", "gone")
        yield* bot.stop
        expect(yield* events.of("conversation:ended")).toMatchObject([{ key: "eva", outcome: "lost" }])
        yield* bot.start
        expect(yield* says("ana", "x")).toEqual(["kept x"])
        expect(yield* says("eva", "x")).toEqual(["? x"])
      })
  )
})

describe("C13 exclusive transports", () => {
  it.effect(
    "C13 starts on the leader only; a stand-by's start returns, its ready pends, its sends fail, and it can be stopped",
    () =>
      Effect.gen(function* () {
        const capabilities = { exclusiveSession: true }
        const coordinator = Layer.succeed(Coordinator, yield* LocalCoordinator.make())
        const one = yield* run(polite, { capabilities, coordinator })
        const two = yield* run(polite, { capabilities, coordinator })
        yield* one.bot.start
        yield* two.bot.start
        expect([one.bot.state(), two.bot.state()]).toEqual(["running", "stand-by"])
        expect(two.mock.starts()).toBe(0)
        expect(yield* Effect.flip(two.bot.send("ana", "x"))).toMatchObject({ _tag: "ProviderNotLeaderError" })
        yield* two.bot.stop
        expect(two.bot.state()).toBe("stopped")
        yield* two.bot.start
        yield* one.bot.stop
        yield* two.bot.ready
        expect(two.bot.state()).toBe("running")
        expect(yield* two.says("ana", "hi")).toEqual(["got hi"])
        expect((yield* two.events.tags).slice(-3)).toEqual(["started", "ready", "message"])
      })
  )

  it.effect("C13 a first start that cannot connect fails, and leaves the lead to others", () =>
    Effect.gen(function* () {
      const capabilities = { exclusiveSession: true }
      const coordinator = Layer.succeed(Coordinator, yield* LocalCoordinator.make())
      const one = yield* run(polite, { capabilities, coordinator })
      const two = yield* run(polite, { capabilities, coordinator })
      const refused = new ProviderError({ provider: "mock", reason: "auth", detail: "bad token" })
      yield* one.mock.faults.failStart(refused)
      expect(yield* Effect.flip(one.bot.start)).toBe(refused)
      expect(one.bot.state()).toBe("stopped")
      yield* two.bot.start
      expect(two.bot.state()).toBe("running")
      yield* one.bot.start
      expect(one.bot.state()).toBe("stand-by")
    })
  )
})
