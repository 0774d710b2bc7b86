/** Several replicas on one real Redis, and what can go wrong between them. */
import type { CoordinatorShape, Lease } from "@botmesh/core/spi"
import { Redis, RedisCoordinator } from "@botmesh/redis"
import { proxy, redis, type RedisServer } from "@botmesh/test-services"
import { expect, it } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber, Option, Scope, Stream } from "effect"
import { connect, describeServers, eventually } from "../Live.ts"

const lease = 1_500

/** A replica of its own: connection, incarnation, timers. */
const replica = (server: Pick<RedisServer, "port">, options: RedisCoordinator.RedisCoordinatorOptions = {}) =>
  Effect.flatMap(connect(server), (client) =>
    Effect.provideService(RedisCoordinator.make({ lease, ...options }), Redis.Redis, client)
  )
const take = (coordinator: CoordinatorShape, key: string) =>
  Effect.flatMap(coordinator.enqueue(key), (ticket) => ticket.granted)
/** Takes a place now and waits for it in a fiber. */
const wait = (coordinator: CoordinatorShape, key: string) =>
  Effect.flatMap(coordinator.enqueue(key), (ticket) => Effect.forkChild(ticket.granted))
/** ms until a fiber has its lease, from now. */
const timed = <A, E>(fiber: Fiber.Fiber<A, E>) =>
  Effect.gen(function* () {
    const from = yield* Clock.currentTimeMillis
    const value = yield* Fiber.join(fiber)
    return { value, ms: (yield* Clock.currentTimeMillis) - from }
  })
/** A replica behind a proxy that can be cut, held or made to lose a reply, and one beside it. */
const two = Effect.gen(function* () {
  const server = yield* redis({ durable: true })
  const line = yield* proxy(server.port)
  return { server, line, a: yield* replica(line), b: yield* replica(server) }
})
/** Script texts have no name on the wire; their hash has. */
const calls = (name: string) =>
  Effect.map(
    Effect.promise(() => import("../../src/lua/scripts.generated.ts")),
    (all) => {
      const found = Object.values(all).find((script) => script.name === name)
      return new RegExp(found?.sha ?? "none", "u")
    }
  )

describeServers("coordination on a real Redis", () => {
  it.live(
    "COORD-06 8 callers × 1,000 tickets on one key: distinct growing fences, FIFO per caller, no overlap",
    () =>
      Effect.gen(function* () {
        const server = yield* redis()
        const replicas = yield* Effect.all(Array.from({ length: 8 }, () => replica(server, { lease: "5s" })))
        const fences: Array<number> = []
        let inside = 0
        const turn = (order: Array<number>, n: number) => (held: Lease) => {
          expect(++inside).toBe(1)
          fences.push(held.fence)
          order.push(n)
          inside--
          return held.release
        }
        const orders = yield* Effect.forEach(
          replicas,
          Effect.fnUntraced(function* (coordinator) {
            const order: Array<number> = []
            const fibers: Array<Fiber.Fiber<void, unknown>> = []
            for (let n = 0; n < 1_000; n++) {
              const ticket = yield* coordinator.enqueue("one")
              fibers.push(yield* Effect.forkChild(Effect.flatMap(ticket.granted, turn(order, n))))
            }
            yield* Fiber.joinAll(fibers)
            return order
          }),
          { concurrency: "unbounded" }
        )
        expect(fences).toHaveLength(8_000)
        expect(fences.every((fence, at) => at === 0 || fence > (fences[at - 1] ?? Infinity))).toBe(true)
        for (const order of orders) expect(order).toEqual(Array.from({ length: 1_000 }, (_, n) => n))
      }),
    60_000
  )

  it.live("I5 tickets of several replicas are granted in the order in which they were taken", () =>
    Effect.gen(function* () {
      const server = yield* redis()
      const replicas = [yield* replica(server), yield* replica(server), yield* replica(server)]
      const order: Array<number> = []
      const fibers: Array<Fiber.Fiber<void, unknown>> = []
      for (let n = 0; n < 30; n++) {
        const ticket = yield* (replicas[(n * n + n) % 3] ?? replicas[0])!.enqueue("key")
        fibers.push(
          yield* Effect.forkChild(
            Effect.flatMap(ticket.granted, (held) => {
              order.push(n)
              return Effect.andThen(Effect.sleep(2), held.release)
            })
          )
        )
      }
      yield* Fiber.joinAll(fibers)
      expect(order).toEqual(Array.from({ length: 30 }, (_, n) => n))
    })
  )

  it.live("C2 10 callers of three replicas share one key evenly", () =>
    Effect.gen(function* () {
      const server = yield* redis()
      const replicas = [yield* replica(server), yield* replica(server), yield* replica(server)]
      const counts = new Array<number>(10).fill(0)
      const end = (yield* Clock.currentTimeMillis) + 1_500
      const caller = (n: number) =>
        Effect.gen(function* () {
          while ((yield* Clock.currentTimeMillis) < end) {
            const held = yield* take(replicas[n % 3] ?? replicas[0]!, "key")
            counts[n] = (counts[n] ?? 0) + 1
            yield* held.release
          }
        })
      yield* Effect.forEach(counts, (_, n) => caller(n), { concurrency: "unbounded" })
      const mean = counts.reduce((sum, count) => sum + count, 0) / 10
      expect(mean).toBeGreaterThan(20)
      expect(Math.min(...counts) / mean).toBeGreaterThanOrEqual(0.95)
    })
  )

  it.live(
    "R3 I4 COORD-08 a replica cut off loses its turn before another has it, for ever, and takes nothing back",
    () =>
      Effect.gen(function* () {
        const { a, b, line } = yield* two
        const held = yield* take(a, "key")
        const lostAt = yield* Effect.forkChild(Effect.andThen(held.whenLost, Clock.currentTimeMillis))
        const waiting = yield* wait(b, "key")
        yield* line.hold
        const { ms, value: next } = yield* timed(waiting)
        const grantedAt = yield* Clock.currentTimeMillis
        expect(ms).toBeLessThanOrEqual(lease + 1_000)
        expect(held.lost()?._tag).toBe("LeaseLostError")
        expect(yield* Fiber.join(lostAt)).toBeLessThanOrEqual(grantedAt)
        expect(next.previousHolder).toBe(a.incarnation)
        expect(next.fence).toBeGreaterThan(held.fence)
        yield* line.flow
        yield* held.release
        yield* held.release
        yield* Effect.flip(held.check)
        // Its next turn is a new one, behind ours.
        const again = yield* Effect.forkChild(take(a, "key"))
        yield* Effect.sleep(lease)
        yield* next.check
        expect(again.pollUnsafe()).toBeUndefined()
        yield* next.release
        expect((yield* Fiber.join(again)).fence).toBeGreaterThan(next.fence)
        yield* Effect.flip(held.check)
      })
  )

  it.live("C6 a turn outlives many leases as long as its replica renews", () =>
    Effect.gen(function* () {
      const { a, b } = yield* two
      const held = yield* take(a, "key")
      const waiting = yield* wait(b, "key")
      yield* Effect.sleep(3 * lease)
      yield* held.check
      expect(waiting.pollUnsafe()).toBeUndefined()
      yield* held.release
      yield* Fiber.join(waiting)
    })
  )

  it.live("R25 a clean stop costs no lease", () =>
    Effect.gen(function* () {
      const server = yield* redis()
      const b = yield* replica(server, { lease: "15s" })
      const scope = yield* Scope.make()
      const a = yield* Scope.provide(replica(server, { lease: "15s" }), scope)
      yield* take(a, "key")
      const waiting = yield* wait(b, "key")
      yield* Scope.close(scope, Exit.void)
      const { ms, value } = yield* timed(waiting)
      expect(ms).toBeLessThan(1_500)
      expect(value.previousHolder).toBe(a.incarnation)
    })
  )

  it.live("R8 a wake that was lost is found by the next question", () =>
    Effect.gen(function* () {
      const { a, b, server } = yield* two
      for (let n = 0; n < 5; n++) {
        const held = yield* take(a, "key")
        const waiting = yield* wait(b, "key")
        yield* server.cli("client", "kill", "type", "pubsub")
        yield* held.release
        const { ms, value } = yield* timed(waiting)
        expect(ms).toBeLessThan(2_000)
        yield* value.release
      }
    })
  )

  it.live("I6 a place whose caller gave up before the answer came is given back", () =>
    Effect.gen(function* () {
      const { a, b, line } = yield* two
      yield* Effect.flatMap(take(a, "key"), (held) => held.release)
      yield* line.hold
      const asking = yield* Effect.forkChild(a.enqueue("key"), { startImmediately: true })
      yield* Effect.sleep(50)
      yield* Effect.forkChild(Fiber.interrupt(asking))
      yield* Effect.sleep(50)
      yield* line.flow
      const { ms } = yield* timed(yield* wait(b, "key"))
      expect(ms).toBeLessThan(2 * lease)
    })
  )

  for (const name of ["enqueue", "release", "renew", "begin", "ask"]) {
    it.live(`R8 a lost reply of ${name} leaves no hold that nobody owns`, () =>
      Effect.gen(function* () {
        const { a, b, line } = yield* two
        line.loseReplyTo(yield* calls(name))
        const fences: Array<number> = []
        const turns = (coordinator: CoordinatorShape) =>
          Effect.gen(function* () {
            const end = (yield* Clock.currentTimeMillis) + 2_500
            while ((yield* Clock.currentTimeMillis) < end) {
              const held = yield* take(coordinator, "key")
              fences.push(held.fence)
              yield* Effect.sleep(20)
              yield* held.release
            }
          })
        // A third that holds for longer makes the others ask.
        const long = Effect.gen(function* () {
          const held = yield* take(b, "key")
          fences.push(held.fence)
          yield* Effect.sleep(1_800)
          yield* held.release
        })
        yield* Effect.all([turns(a), turns(b), long], { concurrency: "unbounded" })
        expect(line.isWaiting(), "the reply was lost").toBe(false)
        // Turns went on; how many says more of the machine than of us.
        expect(fences.length).toBeGreaterThan(8)
        expect(fences).toEqual([...new Set(fences)].sort((one, other) => one - other))
        const free = yield* Effect.timeoutOption(take(b, "key"), 2 * lease)
        expect(Option.isSome(free)).toBe(true)
      })
    )
  }

  it.live("C7 a release that failed is repaired by the watchdog", () =>
    Effect.gen(function* () {
      const { a, b, line } = yield* two
      const held = yield* take(a, "key")
      const waiting = yield* wait(b, "key")
      yield* line.cut
      yield* held.release
      const { ms } = yield* timed(waiting)
      expect(ms).toBeLessThan(lease + 500)
    })
  )

  const restarts = (durable: boolean) =>
    Effect.gen(function* () {
      const server = yield* redis({ durable })
      const [a, b] = [yield* replica(server), yield* replica(server)]
      let last = 0
      let inside = 0
      let done = 0
      let running = true
      const worker = (coordinator: CoordinatorShape) =>
        Effect.gen(function* () {
          while (running) {
            const taken = yield* Effect.exit(take(coordinator, "key"))
            if (Exit.isFailure(taken)) continue
            const held = taken.value
            // Without its data Redis may give away what somebody holds until the next renewal (R25).
            if (durable) expect(++inside).toBe(1)
            expect(held.fence).toBeGreaterThan(last)
            last = held.fence
            done++
            yield* Effect.sleep(5)
            inside--
            yield* held.release
          }
        })
      const workers = yield* Effect.forkChild(
        Effect.all([worker(a), worker(b)], { concurrency: "unbounded", discard: true })
      )
      for (let n = 0; n < 3; n++) {
        yield* Effect.sleep(300)
        yield* server.stop("kill")
        yield* Effect.sleep(200)
        yield* server.start
        const from = done
        const back = yield* Clock.currentTimeMillis
        yield* eventually(
          "turns go on",
          Effect.sync(() => done),
          (count) => count > from + 4
        )
        expect((yield* Clock.currentTimeMillis) - back).toBeLessThan(5_000)
      }
      running = false
      yield* Fiber.join(workers)
      const [x, y] = [yield* wait(a, "other"), yield* wait(b, "other")]
      yield* Effect.flatMap(Effect.raceFirst(Fiber.join(x), Fiber.join(y)), (held) => held.release)
      yield* Effect.all([Fiber.join(x), Fiber.join(y)])
    })
  it.live("COORD-14 Redis restarts with its data: turns go on, no overlap, fences grow", () => restarts(true), 40_000)
  it.live("COORD-14 Redis restarts without its data: turns go on, fences grow", () => restarts(false), 40_000)

  it.live("COORD-14 a turn survives a quick restart with data; without data it is lost by the next renewal", () =>
    Effect.gen(function* () {
      for (const durable of [true, false]) {
        const server = yield* redis({ durable })
        const a = yield* replica(server, { lease: "3s" })
        const held = yield* take(a, "key")
        yield* server.stop("kill")
        yield* server.start
        yield* Effect.sleep(1_500)
        expect(held.lost() === undefined).toBe(durable)
        const next = yield* wait(a, "key")
        yield* held.release
        expect((yield* Fiber.join(next)).fence).toBeGreaterThan(held.fence)
      }
    })
  )

  it.live("COORD-18 R20 a replica with another partition count refuses to start, and says so", () =>
    Effect.gen(function* () {
      const server = yield* redis()
      yield* replica(server)
      const error = yield* Effect.flip(replica(server, { partitions: 32 }))
      expect(error).toMatchObject({ _tag: "CoordinatorDriverError", reason: "refused" })
      expect(String(error)).toContain("1/64")
      expect(yield* Effect.flip(replica(server, { lease: "300ms" }))).toMatchObject({ _tag: "ConfigValidationError" })
    })
  )

  it.live("I7 C15 a lead is held by one; when its replica is cut off a stand-by leads within the lease", () =>
    Effect.gen(function* () {
      const { a, b, line } = yield* two
      const told: Array<string> = []
      yield* Effect.forkChild(
        Stream.runForEach(a.events, (event) => Effect.sync(() => told.push(event._tag))),
        { startImmediately: true }
      )
      const first = yield* a.lead("provider:x")
      expect(Option.isNone(yield* Effect.scoped(b.tryLead("provider:x")))).toBe(true)
      const standBy = yield* Effect.forkChild(b.lead("provider:x"))
      yield* Effect.sleep(200)
      yield* line.hold
      const { ms, value: second } = yield* timed(standBy)
      expect(ms).toBeLessThanOrEqual(lease + 1_000)
      expect(second.fence).toBeGreaterThan(first.fence)
      expect(first.lost()).toBeDefined()
      yield* line.flow
      yield* eventually(
        "the old leader knows",
        Effect.sync(() => told),
        (tags) => tags.includes("coordination:follower")
      )
    })
  )

  it.live("C2 an uncontended turn is two round trips; one that waits is handed over by the release", () =>
    Effect.gen(function* () {
      const server = yield* redis()
      const watch = yield* connect(server)
      const [a, b] = [yield* replica(server, { lease: "15s" }), yield* replica(server, { lease: "15s" })]
      const counted = <A, E, R>(act: Effect.Effect<A, E, R>) =>
        Effect.gen(function* () {
          yield* watch.command("CONFIG", "RESETSTAT")
          yield* act
          const stats = String(yield* watch.command("INFO", "commandstats"))
          return Number(/cmdstat_evalsha:calls=(\d+)/u.exec(stats)?.[1])
        })
      const alone = Effect.gen(function* () {
        for (let n = 0; n < 200; n++) yield* Effect.flatMap(take(a, "key"), (held) => held.release)
      })
      yield* alone
      expect(yield* counted(alone)).toBe(400)
      const both = Effect.gen(function* () {
        for (let n = 0; n < 100; n++) {
          const held = yield* take(a, "key")
          const waiting = yield* wait(b, "key")
          yield* held.release
          yield* Effect.flatMap(Fiber.join(waiting), (next) => next.release)
        }
      })
      yield* both
      expect(yield* counted(both)).toBe(400)
    })
  )

  it.live("C3 renewals do not grow with the turns held, and an idle replica asks for nothing", () =>
    Effect.gen(function* () {
      const server = yield* redis()
      const watch = yield* connect(server)
      const a = yield* replica(server, { partitions: 8, lease: "3s" })
      const callsIn = (ms: number) =>
        Effect.gen(function* () {
          yield* watch.command("CONFIG", "RESETSTAT")
          yield* Effect.sleep(ms)
          const stats = String(yield* watch.command("INFO", "commandstats"))
          return Number(/cmdstat_evalsha:calls=(\d+)/u.exec(stats)?.[1] ?? 0)
        })
      const hold = (count: number) =>
        Effect.forEach(
          Array.from({ length: count }, (_, n) => `key-${count}-${n}`),
          (key) => take(a, key),
          { concurrency: 50 }
        )
      const few = yield* hold(40)
      const forFew = yield* callsIn(2_200)
      const many = yield* hold(1_000)
      const forMany = yield* callsIn(2_200)
      expect(forFew).toBeGreaterThanOrEqual(8)
      expect(forFew).toBeLessThanOrEqual(4 * 8)
      expect(forMany).toBeLessThanOrEqual(4 * 8)
      for (const held of [...few, ...many]) expect(held.lost()).toBeUndefined()
      yield* Effect.forEach([...few, ...many], (held) => held.release, { concurrency: 50, discard: true })
      yield* eventually("rest", callsIn(500), (count) => count === 0)
    })
  )

  it.live("I3 fences grow over a Redis that lost everything and a clock that goes back", () =>
    Effect.gen(function* () {
      const server = yield* redis()
      const watch = yield* connect(server)
      const a = yield* replica(server)
      const first = yield* Effect.tap(take(a, "key"), (held) => held.release)
      // A primary whose clock was an hour ahead left its counter there.
      const ahead = first.fence + 3_600_000_000
      const [counter] = (yield* watch.command("KEYS", "*:state")) as ReadonlyArray<string>
      yield* watch.command("HSET", String(counter), ":fence", `${ahead}`)
      const second = yield* Effect.tap(take(a, "key"), (held) => held.release)
      expect(second.fence).toBe(ahead + 1)
      yield* watch.command("FLUSHALL")
      // The replica asks for a fence above the highest it has seen.
      const third = yield* Effect.tap(take(a, "key"), (held) => held.release)
      expect(third.fence).toBeGreaterThan(second.fence)
    })
  )
})
