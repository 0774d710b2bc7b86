import { expect, it } from "@effect/vitest"
import { MemoryStore, Bot } from "@botmesh/core"
import {
  type CoordinatorDriver,
  CoordinatorDriverError,
  coordinatorFromDriver,
  fromDriver,
  StoreError
} from "@botmesh/core/spi"
import { makeInbound } from "@botmesh/core/testing"
import { Clock, Effect, Exit, Fiber, Layer, PubSub } from "effect"
import { TestClock } from "effect/testing"
import type { CoordinatorEvent } from "../../src/spi/Coordinator.ts"
import { Store } from "../../src/spi/Store.ts"
import { Replica } from "../../src/spi/coordination/Replica.ts"
import { makeTickets } from "../../src/spi/coordination/Tickets.ts"
import * as CoordinatorHub from "../../src/memory/CoordinatorHub.ts"
import { live } from "../conversation/lives.ts"

const lease = 3000

it.effect("R6 a turn that was granted to us and that nobody here took up is none we held", () =>
  Effect.gen(function* () {
    const hub = CoordinatorHub.make()
    // The grant is given, its answer gets lost, and so does every answer until the epoch is over.
    let lost = false
    const refuse = new CoordinatorDriverError({ operation: "any", reason: "timeout", detail: "lost" })
    const over = <A>(act: Effect.Effect<A, CoordinatorDriverError>) =>
      Effect.flatMap(act, (answer) => (lost ? Effect.fail(refuse) : Effect.succeed(answer)))
    const driver: CoordinatorDriver = {
      ...hub.driver,
      enqueue: (index, row) => over(hub.driver.enqueue(index, row)),
      renew: (index, row) => (lost ? Effect.fail(refuse) : hub.driver.renew(index, row)),
      begin: (index, row) => (lost ? Effect.fail(refuse) : hub.driver.begin(index, row)),
      ask: (index, rows) => (lost ? Effect.fail(refuse) : hub.driver.ask(index, rows))
    }
    const options = { lease, turnWait: 120_000 }
    const one = yield* coordinatorFromDriver(driver, { ...options, replicaId: "one" })
    const two = yield* coordinatorFromDriver(hub.driver, { ...options, replicaId: "two" })
    const use = (coordinator: typeof one) =>
      Effect.flatMap(coordinator.enqueue("k"), ({ granted }) => Effect.tap(granted, (held) => held.release))
    yield* use(one)
    yield* use(two)
    lost = true
    const asking = yield* Effect.forkChild(Effect.exit(use(one)), { startImmediately: true })
    yield* TestClock.adjust(lease * 2)
    lost = false
    yield* TestClock.adjust(lease * 2)
    const asked = yield* Fiber.join(asking)
    // `two` has held the key since `one` knew of it.
    const held = Exit.isSuccess(asked) ? asked.value : yield* use(one)
    expect([undefined, two.incarnation]).toContain(held.previousHolder)
    // Now it is one that it knows.
    expect((yield* use(one)).previousHolder).toBe(one.incarnation)
  })
)

it.effect("I6 a waiter has one place, whoever asks for it", () =>
  Effect.gen(function* () {
    const hub = CoordinatorHub.make()
    const clock = yield* Clock.Clock
    const replica = new Replica({
      driver: hub.driver,
      incarnation: "one",
      lease,
      turnWait: 120_000,
      monotonic: () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6,
      events: yield* PubSub.sliding<CoordinatorEvent>(16),
      onNewLife: () => {}
    })
    const { enqueue } = makeTickets(replica)
    const first = yield* enqueue("k")
    const held = yield* first.granted
    yield* enqueue("k")
    const life = replica.lifeOf("k")
    const [waiter] = life.waiting.values()
    if (waiter === undefined) throw new Error("nobody waits")
    // A new epoch and its own caller both found it without a place, and the other was faster.
    yield* replica.place(life, waiter)
    expect(hub.waiting()).toBe(1)
    yield* held.release
    yield* replica.place(life, waiter)
    expect(hub.waiting()).toBe(0)
  })
)

it.effect("R6 a turn that ended before it read anything leaves nothing of an earlier one to be trusted", () =>
  Effect.gen(function* () {
    const hub = CoordinatorHub.make()
    const coordinator = Layer.orDie(CoordinatorHub.layer(hub))
    const store = fromDriver(MemoryStore.make())
    const inbound = makeInbound()
    const text = (body: string) => inbound.text({ chat: "ana", body })
    let broken = false
    const failing = Layer.sync(Store, () => ({
      ...store,
      raiseFence: (...key: Parameters<typeof store.raiseFence>) =>
        broken
          ? Effect.fail(new StoreError({ store: "memory", operation: "raiseFence", reason: "unavailable", detail: "" }))
          : store.raiseFence(...key)
    }))
    const bot = Bot.make("b", [
      Bot.conversation(
        "go",
        (c) => Effect.flatMap(c.ask("a", "¿a?"), (a) => Effect.flatMap(c.ask("b", "¿b?"), (b) => c.say(`${a}${b}`))),
        { persistent: true }
      ),
      Bot.onMessage((chat) => chat.reply("¿Cómo?"))
    ])
    const one = yield* live(bot, { store: failing, coordinator })
    const two = yield* live(bot, { store: Layer.sync(Store, () => store), coordinator: Layer.fresh(coordinator) })
    expect(yield* one.person("ana").does(text("hola"))).toEqual(["¿Cómo?"])
    expect(yield* two.person("ana").does(text("go"))).toEqual(["¿a?"])
    broken = true
    expect(yield* one.person("ana").does(text("1"))).toEqual([])
    broken = false
    expect(yield* one.person("ana").does(text("1"))).toEqual(["¿b?"])
    yield* one.stop
    yield* two.stop
  })
)
