/** Replicas that are killed or frozen as processes, and a Redis whose primary goes (R25). */
import type { CoordinatorShape } from "@botmesh/core/spi"
import { Redis, RedisCoordinator } from "@botmesh/redis"
import { cluster, redis, sentinel } from "@botmesh/test-services"
import { expect, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { connect, describeServers, eventually } from "../Live.ts"

const lease = 1_500

/** Starts a holder and returns once it holds; what it says later can be waited for. */
const holder = (port: number, key: string) =>
  Effect.gen(function* () {
    const said: Array<string> = []
    const held = yield* Deferred.make<string>()
    const child = yield* Effect.acquireRelease(
      Effect.sync((): ChildProcess => {
        const file = join(import.meta.dirname, "../child/holder.ts")
        const flags = ["--conditions=botmesh-source", "--disable-warning=ExperimentalWarning"]
        return spawn(process.execPath, [...flags, file, `${port}`, key], { stdio: ["ignore", "pipe", "inherit"] })
      }),
      (running) =>
        Effect.sync(() => {
          running.kill("SIGCONT")
          running.kill("SIGKILL")
        })
    )
    child.stdout?.on("data", (bytes) => {
      said.push(...String(bytes).trim().split("\n"))
      const [first] = said
      if (first !== undefined) Deferred.doneUnsafe(held, Effect.succeed(first))
    })
    const [, fence = "", incarnation = ""] = (yield* Deferred.await(held)).split(" ")
    return { child, said, fence: Number(fence), incarnation }
  })

/** Workers of two replicas on some keys, who notice overlaps; runs until told to stop. */
const crowd = (replicas: ReadonlyArray<CoordinatorShape>, keys: ReadonlyArray<string>) => {
  const counts = { done: 0, overlaps: 0, running: true }
  const inside = new Map<string, number>()
  const fences = new Map<string, number>()
  const worker = (coordinator: CoordinatorShape, key: string) =>
    Effect.gen(function* () {
      while (counts.running) {
        const taken = yield* Effect.exit(
          Effect.flatMap(coordinator.enqueue(key), (ticket) => Effect.onInterrupt(ticket.granted, () => ticket.cancel))
        )
        if (Exit.isFailure(taken)) continue
        const held = taken.value
        const others = inside.get(key) ?? 0
        if (others > 0) counts.overlaps++
        inside.set(key, others + 1)
        expect(held.fence).not.toBe(fences.get(key))
        fences.set(key, held.fence)
        yield* Effect.sleep(2)
        inside.set(key, (inside.get(key) ?? 1) - 1)
        counts.done++
        yield* held.release
      }
    })
  const run = Effect.all(
    replicas.flatMap((coordinator) => keys.map((key) => worker(coordinator, key))),
    { concurrency: "unbounded", discard: true }
  )
  return { counts, run }
}

const keys = Array.from({ length: 12 }, (_, n) => `chat-${n}`)

/** Turns go on on every key after the failover, and soon. */
const survives = Effect.fnUntraced(function* (
  clients: ReadonlyArray<Redis.RedisShape>,
  failover: Effect.Effect<unknown, Error>,
  within: number
) {
  const replicas = yield* Effect.forEach(clients, (client) =>
    Effect.provideService(RedisCoordinator.make({ lease, turnWait: "30s" }), Redis.Redis, client)
  )
  const { counts, run } = crowd(replicas, keys)
  const workers = yield* Effect.forkChild(run)
  yield* eventually(
    "turns",
    Effect.sync(() => counts.done),
    (done) => done > 50
  )
  const from = yield* Clock.currentTimeMillis
  yield* failover
  const before = counts.done
  yield* eventually(
    "turns go on",
    Effect.sync(() => counts.done),
    (done) => done > before + 100
  )
  expect((yield* Clock.currentTimeMillis) - from).toBeLessThan(within)
  counts.running = false
  yield* Fiber.join(workers)
  return counts
})

describeServers("replicas as processes, and failovers", () => {
  it.live(
    "C3 kill -9: the turn is taken over within the lease and a second, and names who held it",
    () =>
      Effect.gen(function* () {
        const server = yield* redis()
        const client = yield* connect(server)
        const b = yield* Effect.provideService(RedisCoordinator.make({ lease }), Redis.Redis, client)
        for (let n = 0; n < 3; n++) {
          const a = yield* holder(server.port, "key")
          const ticket = yield* b.enqueue("key")
          const waiting = yield* Effect.forkChild(ticket.granted)
          const from = yield* Clock.currentTimeMillis
          a.child.kill("SIGKILL")
          const held = yield* Fiber.join(waiting)
          expect((yield* Clock.currentTimeMillis) - from).toBeLessThanOrEqual(lease + 1_000)
          expect(held.previousHolder).toBe(a.incarnation)
          expect(held.fence).toBeGreaterThan(a.fence)
          yield* held.release
        }
      }),
    60_000
  )

  it.live(
    "COORD-10 C6 SIGSTOP for three leases: another takes over; awake again it has lost, and takes nothing back",
    () =>
      Effect.gen(function* () {
        const server = yield* redis()
        const client = yield* connect(server)
        const b = yield* Effect.provideService(RedisCoordinator.make({ lease }), Redis.Redis, client)
        const a = yield* holder(server.port, "key")
        const ticket = yield* b.enqueue("key")
        a.child.kill("SIGSTOP")
        const held = yield* ticket.granted
        yield* Effect.sleep(2 * lease)
        a.child.kill("SIGCONT")
        yield* eventually(
          "it knows",
          Effect.sync(() => a.said.length),
          (count) => count === 2
        )
        expect(a.said[1]).toMatch(/^lost (?:expired|superseded)$/u)
        yield* Effect.sleep(2 * lease)
        yield* held.check
      }),
    30_000
  )

  it.live(
    "COORD-15 R25 a Sentinel failover: turns go on, fences never repeat",
    () =>
      Effect.gen(function* () {
        const service = yield* sentinel()
        const url = service.sentinels.map((server) => server.url).join(",")
        const client = Redis.make({ url, sentinel: service.name, prefix: "test", timeout: "1s" })
        const counts = yield* survives([yield* client, yield* client], service.failover, 15_000)
        // A failover may lose the last grants; each overlap of it ends with the next renewal.
        expect(counts.overlaps).toBeLessThanOrEqual(keys.length)
      }),
    60_000
  )

  it.live(
    "COORD-15 a primary behind Sentinel dies: the client finds the next one, however often it asked in vain",
    () =>
      Effect.gen(function* () {
        const service = yield* sentinel()
        const url = service.sentinels.map((server) => server.url).join(",")
        const client = yield* Redis.make({ url, sentinel: service.name, prefix: "test", timeout: "1s" })
        yield* client.command("SET", "k", "1")
        const before = yield* service.primary
        yield* before.stop("kill")
        yield* eventually("another primary", service.primary, ({ port }) => port !== before.port)
        yield* eventually("a write", client.command("SET", "k", "2"), (reply) => reply === "OK")
      }),
    60_000
  )

  it.live(
    "COORD-18 R25 a Cluster loses a primary: turns go on on every partition, fences never repeat",
    () =>
      Effect.gen(function* () {
        const service = yield* cluster()
        const client = Redis.make({ url: service.urls.join(","), cluster: true, prefix: "test", timeout: "1s" })
        const clients = [yield* client, yield* client]
        const counts = yield* survives(clients, service.killPrimaryOf("{test:1}:state"), 20_000)
        expect(counts.overlaps).toBeLessThanOrEqual(keys.length)
        const replica = yield* Effect.provideService(RedisCoordinator.make({ lease }), Redis.Redis, clients[0]!)
        // One key of each partition and more.
        yield* eventually(
          "a turn on every partition",
          Effect.forEach(
            Array.from({ length: 300 }, (_, n) => `every-${n}`),
            (key) =>
              Effect.flatMap(replica.enqueue(key), (ticket) => Effect.flatMap(ticket.granted, (held) => held.release)),
            { concurrency: 20, discard: true }
          ),
          () => true
        )
      }),
    90_000
  )
})
