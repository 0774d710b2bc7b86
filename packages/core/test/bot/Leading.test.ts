/** Replicas of one bot over a memory hub, with a transport that only one of them may run (C13, R12, R13). */
import { describe, expect, it } from "@effect/vitest"
import { Bot, Flow, MemoryStore } from "@botmesh/core"
import {
  Coordinator,
  type CoordinatorDriver,
  CoordinatorDriverError,
  coordinatorFromDriver,
  Provider,
  ProviderError,
  Store
} from "@botmesh/core/spi"
import { CoordinatorHub, MockProvider } from "@botmesh/core/testing"
import { Clock, Context, Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { standBack } from "../../src/bot/Leading.ts"
import { breathe, run } from "../kit/Engine.ts"

const lease = 15_000
const connectTime = 300

interface Wire {
  /** Nothing reaches the hub, and nothing comes back. */
  cut: boolean
}
const overWire = (driver: CoordinatorDriver, wire: Wire): CoordinatorDriver => {
  const over =
    <In extends ReadonlyArray<unknown>, A>(act: (...input: In) => Effect.Effect<A, CoordinatorDriverError>) =>
    (...input: In): Effect.Effect<A, CoordinatorDriverError> =>
      Effect.suspend(() =>
        wire.cut
          ? Effect.fail(new CoordinatorDriverError({ operation: "act", reason: "unreachable", detail: "cut" }))
          : act(...input)
      )
  return {
    ...driver,
    begin: over(driver.begin),
    enqueue: over(driver.enqueue),
    release: over(driver.release),
    renew: over(driver.renew),
    ask: over(driver.ask),
    leave: over(driver.leave)
  }
}

const echo = Bot.make("shop", [Bot.onMessage((chat) => chat.reply(`got ${chat.body}`))])

interface Options {
  readonly exclusive?: boolean
  readonly connect?: number
  /** ms that stopping the transport takes. */
  readonly disconnect?: number
}

/** A hub, a store, and what was connected when. */
const world = Effect.gen(function* () {
  const hub = CoordinatorHub.make()
  const kept = yield* Layer.build(MemoryStore.layer())
  const store = Context.get(kept, Store)
  const open = new Set<string>()
  const log: Array<{ readonly at: number; readonly what: string }> = []
  let most = 0
  const note = (what: string) =>
    Effect.map(Clock.currentTimeMillis, (at) => {
      log.push({ at, what })
      most = Math.max(most, open.size)
    })
  const replica = Effect.fnUntraced(function* <Id extends string, E>(
    definition: Bot.Definition<Id, E, never>,
    name: string,
    options: Options = {}
  ) {
    const wire: Wire = { cut: false }
    const coordinator = yield* coordinatorFromDriver(overWire(hub.driver, wire), {
      lease,
      turnWait: 120_000,
      replicaId: name
    })
    const mock = yield* MockProvider.make({ capabilities: { exclusiveSession: options.exclusive ?? true } })
    const provider: Provider["Service"] = {
      ...mock.provider,
      start: (host) =>
        Effect.gen(function* () {
          yield* Effect.sleep(options.connect ?? connectTime)
          yield* Effect.addFinalizer(() => {
            open.delete(name)
            return note(`${name} closed`)
          })
          yield* mock.provider.start(host)
          yield* Effect.addFinalizer(() => Effect.sleep(options.disconnect ?? 0))
          open.add(name)
          yield* note(`${name} open`)
        })
    }
    const starting = yield* Effect.forkChild(
      run(definition, {
        store: Layer.succeed(Store, store),
        coordinator: Layer.succeed(Coordinator, coordinator),
        mock: { ...mock, layer: Layer.succeed(Provider, provider) }
      }),
      { startImmediately: true }
    )
    yield* TestClock.adjust(options.connect ?? connectTime)
    return { ...(yield* Fiber.join(starting)), wire, coordinator }
  })
  const times = (what: string) => log.filter((one) => one.what === what).map(({ at }) => at)
  /** Passes time in small steps until something is open or closed once more. */
  const until = Effect.fnUntraced(function* (what: string, within: number) {
    const before = times(what).length
    for (let passed = 0; passed < within && times(what).length === before; passed += 50) yield* TestClock.adjust(50)
    const [at] = times(what).slice(before)
    expect(at, `${what} within ${within} ms`).toBeDefined()
    return at ?? Number.NaN
  })
  return { hub, store, replica, until, times, open: () => [...open], most: () => most }
})

describe("C13 exclusive transports", () => {
  it.effect("C13 I7 COORD-20 a replica that dies is followed within lease + connect + 1 s, never by two at once", () =>
    Effect.gen(function* () {
      const { hub, most, open, replica, until } = yield* world
      const a = yield* replica(echo, "a")
      const b = yield* replica(echo, "b")
      expect([a.bot.state(), b.bot.state(), open()]).toEqual(["running", "stand-by", ["a"]])
      // Just renewed: the longest it can take.
      yield* TestClock.adjust(lease / 3)
      const from = yield* Clock.currentTimeMillis
      yield* hub.crash(a.coordinator.incarnation)
      const at = yield* until("b open", 30_000)
      expect(at - from).toBeLessThanOrEqual(lease + connectTime + 1_000)
      expect(most()).toBe(1)
      expect([a.bot.state(), b.bot.state(), open()]).toEqual(["stand-by", "running", ["b"]])
      expect(yield* b.says("ana", "hola")).toEqual(["got hola"])
    })
  )

  it.effect("C13 I7 COORD-20 after an orderly stop the next one is there within connect + 1 s", () =>
    Effect.gen(function* () {
      const { most, replica, times, until } = yield* world
      const a = yield* replica(echo, "a")
      const b = yield* replica(echo, "b")
      yield* Effect.forkChild(a.bot.stop, { startImmediately: true })
      const at = yield* until("b open", 5_000)
      const [closed = Number.NaN] = times("a closed")
      expect(at - closed).toBeLessThanOrEqual(connectTime + 1_000)
      expect(most()).toBe(1)
      expect(a.bot.state()).toBe("stopped")
      expect(yield* b.says("ana", "hola")).toEqual(["got hola"])
    })
  )

  it.effect(
    "C13 COORD-20 a stand-by's ready pends and its sends fail; it leads when its turn comes, also days later",
    () =>
      Effect.gen(function* () {
        const { replica, until } = yield* world
        const a = yield* replica(echo, "a")
        const b = yield* replica(echo, "b")
        const ready = yield* Effect.forkChild(b.bot.ready, { startImmediately: true })
        yield* TestClock.adjust("10 minutes")
        expect(ready.pollUnsafe()).toBeUndefined()
        const error = yield* Effect.flip(b.bot.send("ana", "x"))
        expect(error).toMatchObject({ _tag: "ProviderNotLeaderError", provider: "mock", isRetryable: true })
        expect(b.bot.metrics.snapshot().sendFailed.ProviderNotLeaderError).toBe(1)
        yield* Effect.forkChild(a.bot.stop, { startImmediately: true })
        yield* until("b open", 5_000)
        yield* Fiber.join(ready)
        yield* b.bot.send("ana", "x")
        expect(b.texts("ana")).toEqual(["x"])
      })
  )

  it.effect("C6 R12 a leader that was cut off sends nothing from the moment its lead may be another's", () =>
    Effect.gen(function* () {
      const { most, replica, until } = yield* world
      const a = yield* replica(echo, "a")
      yield* replica(echo, "b")
      a.wire.cut = true
      yield* TestClock.adjust(lease * 0.8 - connectTime * 2 - 1_000)
      yield* a.bot.send("ana", "still")
      yield* until("b open", 20_000)
      expect(yield* Effect.flip(a.bot.send("ana", "late"))).toMatchObject({ _tag: "ProviderNotLeaderError" })
      expect(a.texts("ana")).toEqual(["still"])
      expect(most()).toBe(1)
      // It stands again by itself once it can, and leads when it may.
      a.wire.cut = false
      yield* TestClock.adjust("1 minute")
      expect(a.bot.state()).toBe("stand-by")
    })
  )

  it.effect("C14 leader and follower are told as events and counted, with name, fence and reason", () =>
    Effect.gen(function* () {
      const { replica, until } = yield* world
      const a = yield* replica(echo, "a")
      const b = yield* replica(echo, "b")
      a.wire.cut = true
      yield* until("b open", 30_000)
      const name = "provider:mock"
      const [leader] = yield* b.events.of("coordination:leader")
      expect(leader).toMatchObject({ _tag: "coordination:leader", name })
      expect(leader?.fence).toBeGreaterThan(0)
      expect(yield* a.events.of("coordination:follower")).toEqual([
        { _tag: "coordination:follower", name, reason: "expired" }
      ])
      expect(a.bot.metrics.snapshot()).toMatchObject({ ledTerms: 1, followed: 1, leading: 0 })
      expect(b.bot.metrics.snapshot()).toMatchObject({ ledTerms: 1, followed: 1, leading: 1 })
      expect(yield* b.bot.metrics.prometheus).toContain('botmesh_coordination_overlap_total{bot="shop"} 0')
    })
  )

  it.effect(
    "R12 a step that loses the lead is suspended, stores nothing more, and the next leader goes on with it",
    () =>
      Effect.gen(function* () {
        const { replica, until } = yield* world
        const attempts: Array<string> = []
        const flow = Flow.make("f").pipe(
          Flow.ask("a", "¿a?"),
          Flow.run("work", (_, op) => {
            attempts.push(`begun ${op.attempt}`)
            return Effect.as(Effect.sleep("20 seconds"), "done")
          }),
          Flow.say(({ a, work }) => `${a} ${work}`),
          Flow.persistent
        )
        const definition = Bot.make("shop", [Bot.flow(flow, { trigger: "go" })], { settle: "2m" })
        const a = yield* replica(definition, "a")
        const b = yield* replica(definition, "b")
        expect(yield* a.says("ana", "go")).toEqual(["¿a?"])
        yield* a.mock.deliver(a.inbound.text({ chat: "ana", body: "x" }))
        yield* breathe
        a.wire.cut = true
        yield* until("b open", 30_000)
        yield* a.bot.settled
        expect((yield* a.events.of("suspended")).map(({ reason }) => reason)).toContain("lease-lost")
        expect(a.bot.metrics.snapshot().conversationsEnded).toMatchObject({ failed: 0, lost: 0, done: 0 })
        expect(yield* a.events.of("error")).toEqual([])
        expect(a.bot.conversations.list()).toEqual([])
        yield* b.mock.deliver(b.inbound.text({ chat: "ana", body: "¿sigues?" }))
        yield* TestClock.adjust("30 seconds")
        yield* b.bot.settled
        expect(attempts).toEqual(["begun 1", "begun 2"])
        expect(b.texts("ana")).toEqual(["x done"])
        expect(a.texts("ana")).toEqual(["¿a?"])
      })
  )

  it.effect("R13 I24 what a former leader still receives is not handled, and counted", () =>
    Effect.gen(function* () {
      const { replica, until } = yield* world
      const a = yield* replica(echo, "a", { disconnect: 2_000 })
      const b = yield* replica(echo, "b")
      const host = a.mock.host()
      a.wire.cut = true
      yield* until("b open", 30_000)
      const event = a.inbound.text({ chat: "ana", body: "x" })
      const refused = yield* Effect.flip(host?.receive([event]) ?? Effect.die("no host"))
      expect(refused).toMatchObject({ _tag: "NotAcceptingError", reason: "not-running" })
      expect(a.dropped("not-running")).toBe(1)
      expect(a.texts()).toEqual([])
      yield* b.gets(event)
      expect(b.texts("ana")).toEqual(["got x"])
    })
  )

  it.effect("C13 a leader whose transport is closed for providerDown steps down for the other, and stands again", () =>
    Effect.gen(function* () {
      const { most, replica, until } = yield* world
      const a = yield* replica(echo, "a")
      const b = yield* replica(echo, "b")
      yield* a.mock.connect({ state: "closed", reason: "sessionTakenOver" })
      yield* TestClock.adjust("59 seconds")
      expect(a.bot.state()).toBe("running")
      const from = yield* Clock.currentTimeMillis
      const at = yield* until("b open", 5_000)
      expect(at - from).toBeLessThanOrEqual(1_000 + connectTime + 1_000)
      expect(a.bot.state()).toBe("stand-by")
      expect(yield* a.events.of("coordination:follower")).toMatchObject([{ reason: "transport closed" }])
      yield* TestClock.adjust(standBack + 1_000)
      yield* Effect.forkChild(b.bot.stop, { startImmediately: true })
      yield* until("a open", 5_000)
      expect(most()).toBe(1)
      expect(yield* a.says("ana", "hola")).toEqual(["got hola"])
      // Told once a life; ready each time.
      expect((yield* a.events.tags).filter((tag) => tag === "started" || tag === "ready")).toEqual(["ready"])
    })
  )

  it.effect(
    "C13 WA-15 alone, it stands back a few seconds and connects again; attempts in between are not being open",
    () =>
      Effect.gen(function* () {
        const { replica, times, until } = yield* world
        const a = yield* replica(echo, "a")
        yield* a.mock.connect({ state: "closed" })
        for (let n = 0; n < 3; n++) {
          yield* TestClock.adjust("19 seconds")
          yield* a.mock.connect({ state: "connecting" })
          yield* TestClock.adjust("100 millis")
          yield* a.mock.connect({ state: "closed" })
        }
        yield* until("a closed", 5_000)
        const [closed = Number.NaN] = times("a closed")
        const at = yield* until("a open", 10_000)
        expect(at - closed).toBeGreaterThanOrEqual(standBack)
        expect(at - closed).toBeLessThanOrEqual(standBack + connectTime + 1_000)
        // A transport that is open again in time is left alone.
        yield* a.mock.connect({ state: "closed" })
        yield* TestClock.adjust("50 seconds")
        yield* a.mock.connect({ state: "ready" })
        yield* TestClock.adjust("1 minute")
        yield* a.mock.connect({ state: "closed" })
        yield* TestClock.adjust("50 seconds")
        expect(times("a closed")).toHaveLength(1)
        expect(a.bot.state()).toBe("running")
      })
  )

  it.effect("R13 a transport that does not close is left to itself after 5 s, and the lead is given up", () =>
    Effect.gen(function* () {
      const { replica, until } = yield* world
      const a = yield* replica(echo, "a", { disconnect: 60_000 })
      yield* replica(echo, "b")
      const from = yield* Clock.currentTimeMillis
      yield* Effect.forkChild(a.bot.stop, { startImmediately: true })
      const at = yield* until("b open", 20_000)
      expect(at - from).toBeLessThanOrEqual(5_000 + connectTime + 1_000)
      expect(a.bot.state()).toBe("stopped")
    })
  )

  it.effect("C13 one that cannot connect tells it, lets the other lead, and connects later", () =>
    Effect.gen(function* () {
      const { replica, until } = yield* world
      const a = yield* replica(echo, "a")
      const b = yield* replica(echo, "b")
      const c = yield* replica(echo, "c")
      yield* b.mock.faults.failStart(new ProviderError({ provider: "mock", reason: "auth", detail: "no" }))
      yield* Effect.forkChild(a.bot.stop, { startImmediately: true })
      yield* until("c open", 5_000)
      expect([b.bot.state(), c.bot.state()]).toEqual(["stand-by", "running"])
      expect(yield* b.events.of("error")).toMatchObject([{ where: "starting mock" }])
      yield* TestClock.adjust("1 minute")
      yield* Effect.forkChild(c.bot.stop, { startImmediately: true })
      yield* until("b open", 5_000)
      yield* b.bot.ready
    })
  )

  it.effect("R12 C10 a former leader's timers do not act; the new leader keeps the deadline", () =>
    Effect.gen(function* () {
      const { replica, until } = yield* world
      const flow = Flow.make("f").pipe(
        Flow.ask("a", "¿a?", { timeout: "2m", onTimeout: { say: "tarde" } }),
        Flow.persistent
      )
      const definition = Bot.make("shop", [Bot.flow(flow, { trigger: "go" })])
      const a = yield* replica(definition, "a")
      const b = yield* replica(definition, "b")
      expect(yield* a.says("ana", "go")).toEqual(["¿a?"])
      a.wire.cut = true
      yield* until("b open", 30_000)
      a.wire.cut = false
      yield* TestClock.adjust("4 minutes")
      yield* b.bot.settled
      expect(a.bot.conversations.list()).toEqual([])
      expect(a.texts("ana")).toEqual(["¿a?"])
      expect(b.texts("ana")).toEqual(["tarde"])
      expect(yield* a.events.of("error")).toEqual([])
    })
  )

  it.effect("C13 providerSession: shared runs an exclusive transport everywhere, leader any transport once", () =>
    Effect.gen(function* () {
      const { open, replica } = yield* world
      const anyone = Bot.make("any", [], { providerSession: "shared" })
      yield* replica(anyone, "a")
      yield* replica(anyone, "b")
      expect(open()).toEqual(["a", "b"])
      const one = Bot.make("one", [], { providerSession: "leader" })
      const c = yield* replica(one, "c", { exclusive: false })
      const d = yield* replica(one, "d", { exclusive: false })
      expect([c.bot.state(), d.bot.state()]).toEqual(["running", "stand-by"])
      expect(open()).toEqual(["a", "b", "c"])
    })
  )

  it.effect("R21 two bots with transports of one name lead each for itself", () =>
    Effect.gen(function* () {
      const { open, replica } = yield* world
      yield* replica(Bot.make("one", []), "a")
      yield* replica(Bot.make("two", []), "b")
      yield* replica(Bot.make("two", [], { tenant: "other" }), "c")
      expect(open()).toEqual(["a", "b", "c"])
    })
  )

  it.effect("C13 a stand-by and a leader that is connecting can be stopped at once", () =>
    Effect.gen(function* () {
      const { open, replica, times } = yield* world
      const a = yield* replica(echo, "a")
      const b = yield* replica(echo, "b")
      yield* b.bot.stop
      expect(b.bot.state()).toBe("stopped")
      yield* b.bot.start
      yield* Effect.forkChild(a.bot.stop, { startImmediately: true })
      yield* TestClock.adjust(connectTime / 2)
      const stopped = yield* Deferred.make<void>()
      yield* Effect.forkChild(Effect.andThen(b.bot.stop, Deferred.succeed(stopped, undefined)), {
        startImmediately: true
      })
      yield* TestClock.adjust("1 second")
      expect(yield* Deferred.isDone(stopped)).toBe(true)
      expect([a.bot.state(), b.bot.state(), open(), times("b open")]).toEqual(["stopped", "stopped", [], []])
    })
  )

  it.effect("R13 the state of an exclusive transport is written under its lead alone, however late a write lands", () =>
    Effect.gen(function* () {
      const { replica, store, until } = yield* world
      const a = yield* replica(echo, "a")
      const b = yield* replica(echo, "b")
      const mine = a.mock.host()?.state
      if (mine === undefined) return yield* Effect.die("no host")
      yield* mine.set("creds", "1")
      expect(yield* mine.get("creds")).toBe("1")
      const { fence } = yield* store.takeValue("default/shop", "provider/mock/creds", 0)
      a.wire.cut = true
      yield* until("b open", 30_000)
      const theirs = b.mock.host()?.state
      if (theirs === undefined) return yield* Effect.die("no host")
      expect(yield* theirs.get("creds")).toBe("1")
      // By its own clock it knows; a write that was on its way already is refused by the store.
      expect(yield* Effect.flip(mine.set("creds", "late"))).toMatchObject({
        _tag: "ProviderError",
        reason: "taken-over"
      })
      expect(yield* Effect.flip(mine.get("creds"))).toMatchObject({ reason: "taken-over" })
      expect(yield* store.putValue("default/shop", "provider/mock/creds", "late", fence)).toBeGreaterThan(fence)
      expect(a.bot.metrics.snapshot().stateRefused).toBe(2)
      yield* theirs.set("creds", "2")
      expect(yield* theirs.get("creds")).toBe("2")
    })
  )

  it.effect("R19 R13 state of a life with a later clock is taken over by a lead granted anew above it", () =>
    Effect.gen(function* () {
      const { replica, store } = yield* world
      const later = 900_000_000_000
      yield* store.putValue("default/shop", "provider/mock/creds", "old", later)
      const a = yield* replica(echo, "a")
      const state = a.mock.host()?.state
      if (state === undefined) return yield* Effect.die("no host")
      expect(yield* state.get("creds")).toBe("old")
      yield* state.set("creds", "new")
      const stands = yield* store.takeValue("default/shop", "provider/mock/creds", 0)
      expect(stands.value).toBe("new")
      expect(stands.fence).toBeGreaterThan(later)
      expect(a.bot.state()).toBe("running")
    })
  )
})
