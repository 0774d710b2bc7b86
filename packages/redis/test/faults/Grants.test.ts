/** Claims, fences and overlaps on a real Redis: what only its own commands and its loss of data show. */
import type { CoordinatorShape } from "@botmesh/core/spi"
import { Redis, RedisCoordinator } from "@botmesh/redis"
import { redis, type RedisServer } from "@botmesh/test-services"
import { expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { connect, describeServers, eventually } from "../Live.ts"

const replica = (server: Pick<RedisServer, "port">, lease = 1_500) =>
  Effect.flatMap(connect(server), (client) =>
    Effect.provideService(RedisCoordinator.make({ lease }), Redis.Redis, client)
  )
const take = (coordinator: CoordinatorShape, key: string) =>
  Effect.flatMap(coordinator.enqueue(key), (ticket) => ticket.granted)

describeServers("grants on a real Redis", () => {
  it.live("R15 C2 a claimed turn is two round trips; its claim goes by itself and stays in its key's partition", () =>
    Effect.gen(function* () {
      const server = yield* redis()
      const watch = yield* connect(server)
      const a = yield* replica(server, 15_000)
      const turn = (n: number) =>
        Effect.flatMap(a.enqueueOnce("chat", { key: `chat/${n}`, ttl: 1_000 }), (ticket) =>
          Effect.flatMap(Option.getOrThrow(ticket).granted, (held) => held.release)
        )
      yield* turn(0)
      yield* watch.command("CONFIG", "RESETSTAT")
      for (let n = 1; n <= 100; n++) yield* turn(n)
      const stats = String(yield* watch.command("INFO", "commandstats"))
      expect(Number(/cmdstat_evalsha:calls=(\d+)/u.exec(stats)?.[1])).toBe(200)
      const claims = watch.command("KEYS", "*:claim:*")
      const found = yield* claims
      expect(Array.isArray(found) && found.length > 0).toBe(true)
      const tags = new Set(String(found).match(/\{[^}]*\}/gu))
      expect(tags.size).toBe(1)
      yield* eventually("claims are gone", claims, (left) => Array.isArray(left) && left.length === 0)
    })
  )

  it.live("R25 an overlap after lost data ends with the next renewal and is counted once", () =>
    Effect.gen(function* () {
      const server = yield* redis()
      const watch = yield* connect(server)
      const [a, b] = [yield* replica(server), yield* replica(server)]
      const held = yield* take(a, "key")
      yield* take(a, "alone")
      yield* watch.command("FLUSHALL")
      const theirs = yield* take(b, "key")
      expect([held.lost(), theirs.lost()]).toEqual([undefined, undefined])
      yield* eventually(
        "the overlap ends",
        Effect.sync(() => held.lost()?.reason),
        (reason) => reason !== undefined
      )
      yield* eventually(
        "and is counted",
        Effect.sync(() => a.counts().overlap),
        (overlap) => overlap === 1
      )
      yield* theirs.check
      yield* Effect.sleep(1_000)
      expect(a.counts()).toMatchObject({ overlap: 1, leaseLost: 2 })
      expect(b.counts().overlap).toBe(0)
    })
  )

  it.live("R25 a successor that came and went before the renewal is an overlap too", () =>
    Effect.gen(function* () {
      const server = yield* redis()
      const watch = yield* connect(server)
      const [a, b] = [yield* replica(server), yield* replica(server)]
      yield* take(a, "key")
      yield* watch.command("FLUSHALL")
      yield* Effect.flatMap(take(b, "key"), (theirs) => theirs.release)
      yield* eventually(
        "the overlap is counted",
        Effect.sync(() => a.counts().overlap),
        (overlap) => overlap === 1
      )
    })
  )

  it.live("R19 a lease granted anew keeps every digit of its fence; a stranger's is left alone", () =>
    Effect.gen(function* () {
      const server = yield* redis()
      const watch = yield* connect(server)
      const [a, b] = [yield* replica(server), yield* replica(server)]
      const held = yield* take(a, "key")
      const above = 8_000_000_000_000_001
      yield* held.regrant(above)
      expect(held.fence).toBe(above + 1)
      yield* held.release
      const next = yield* take(b, "key")
      expect(next.fence).toBe(above + 2)
      yield* watch.command("FLUSHALL")
      const theirs = yield* take(a, "key")
      expect(theirs.fence).toBeGreaterThan(above)
      expect(yield* Effect.flip(next.regrant(theirs.fence))).toMatchObject({ reason: "superseded" })
      yield* theirs.check
    })
  )
})
