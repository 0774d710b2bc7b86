import { Redis } from "@botmesh/redis"
import { cluster, proxy, redis, sentinel } from "@botmesh/test-services"
import { expect, it } from "@effect/vitest"
import { Config, ConfigProvider, Effect, Fiber, Layer, Redacted } from "effect"
import { script } from "../src/client/Script.ts"
import { connect, describeServers, eventually } from "./Live.ts"

const add = script({
  name: "add",
  sha: "8cd00688c05c46bde4a2e60658ef20a2e5c0b248",
  keys: ["total"],
  args: ["by"],
  eachKeys: [],
  eachArgs: [],
  lua: "return redis.call('INCRBY', KEYS[1], ARGV[1])"
})

const clients = (redis: Redis.RedisShape) =>
  Effect.map(
    redis.command("CLIENT", "LIST"),
    (list) =>
      String(list)
        .split("\n")
        .filter((line) => / name=botmesh/u.test(line)).length
  )

describeServers("Redis client", () => {
  it.live("runs commands, scripts and pipelines; an error reply says which it was", () =>
    Effect.gen(function* () {
      const client = yield* connect(yield* redis())
      expect(yield* client.command("SET", "a", "1")).toBe("OK")
      expect(yield* client.run(add, { total: "a" }, { by: 2 })).toBe(3)
      expect(
        yield* client.pipeline([
          ["INCR", "a"],
          ["GET", "a"]
        ])
      ).toEqual([4, "4"])
      expect(yield* Effect.flip(client.command("LPUSH", "a", "x"))).toMatchObject({
        _tag: "RedisError",
        operation: "LPUSH",
        reason: "reply",
        isRetryable: false
      })
      expect(yield* Effect.flip(client.pipeline([["LPUSH", "a", "x"]]))).toMatchObject({ reason: "reply" })
    })
  )

  it.live("a script that Redis forgot is loaded again", () =>
    Effect.gen(function* () {
      const client = yield* connect(yield* redis())
      expect(yield* client.run(add, { total: "a" }, { by: 1 })).toBe(1)
      yield* client.command("SCRIPT", "FLUSH")
      expect(yield* client.run(add, { total: "a" }, { by: 1 })).toBe(2)
    })
  )

  it.live("C22 a server that is not there fails the layer, typed and soon; a wrong option too", () =>
    Effect.gen(function* () {
      const server = yield* redis()
      yield* server.stop()
      expect(yield* Effect.flip(connect(server))).toMatchObject({
        operation: "connect",
        reason: "unreachable",
        isRetryable: true
      })
      for (const wrong of [
        { url: "http://a" },
        { url: "redis://a,redis://b" },
        { url: "redis://a", cluster: true, sentinel: "x" },
        { url: "redis://a/1", cluster: true },
        { url: "redis://a/x" },
        { url: "redis://a", prefix: "a{b" }
      ])
        expect(yield* Effect.flip(Redis.make(wrong))).toMatchObject({ reason: "invalid" })
      expect(yield* Effect.flip(Redis.make({ url: "redis://a", timeout: 0 }))).toMatchObject({
        _tag: "ConfigValidationError"
      })
    })
  )

  it.live("options come from Config; a wrong password is refused", () =>
    Effect.gen(function* () {
      const server = yield* redis({ args: ["--requirepass", "s e/c"] })
      const layer = Redis.layer({ url: Config.Redacted("REDIS_URL"), prefix: Config.String("PREFIX") })
      const url = (password: string) => ({ REDIS_URL: `redis://:${password}@127.0.0.1:${server.port}`, PREFIX: "shop" })
      const built = (password: string) =>
        Effect.map(Redis.Redis, ({ prefix }) => prefix).pipe(
          Effect.provide(Layer.provide(layer, ConfigProvider.layer(ConfigProvider.fromUnknown(url(password)))), {
            local: true
          })
        )
      expect(yield* built(encodeURIComponent("s e/c"))).toBe("shop")
      expect(yield* Effect.flip(built("nope"))).toMatchObject({ reason: "denied", isRetryable: false })
      const plain = { url: Redacted.make(`redis://127.0.0.1:${server.port}`) }
      expect(yield* Effect.flip(Redis.make(plain))).toMatchObject({ reason: "denied" })
    })
  )

  it.live("COORD-14 a restart is waited out: no command is lost that was not sent", () =>
    Effect.gen(function* () {
      const server = yield* redis({ durable: true })
      const client = yield* connect(server, { timeout: "5s" })
      yield* client.command("SET", "a", "1")
      for (const how of [undefined, "kill"] as const) {
        yield* server.stop(how)
        yield* eventually(
          "the break is noticed",
          Effect.exit(Effect.timeout(client.command("PING"), 20)),
          (exit) => exit._tag === "Failure"
        )
        const waiting = yield* Effect.forkChild(client.command("INCR", "a"), { startImmediately: true })
        yield* server.start
        yield* Fiber.join(waiting)
      }
      expect(yield* client.command("GET", "a")).toBe("3")
    })
  )

  it.live("R8 a lost reply is told as unreachable, and nothing is sent twice", () =>
    Effect.gen(function* () {
      const server = yield* redis()
      const between = yield* proxy(server.port)
      const client = yield* connect(between)
      const direct = yield* connect(server)
      between.loseReplyTo(/INCR/iu)
      expect(yield* Effect.flip(client.command("INCR", "a"))).toMatchObject({
        reason: "unreachable",
        isRetryable: true
      })
      expect(yield* client.command("INCR", "b")).toBe(1)
      expect(yield* direct.command("GET", "a")).toBe("1")
    })
  )

  it.live("C22 a frozen server is not waited for beyond the timeout, and used again when it wakes", () =>
    Effect.gen(function* () {
      const server = yield* redis()
      const client = yield* connect(server, { timeout: "300ms" })
      yield* client.command("SET", "a", "1")
      yield* server.freeze
      expect(yield* Effect.flip(client.command("GET", "a"))).toMatchObject({ isRetryable: true })
      yield* server.thaw
      expect(yield* eventually("an answer", client.command("GET", "a"), (value) => value === "1")).toBe("1")
    })
  )

  it.live("COORD-15 the first READONLY makes it connect anew", () =>
    Effect.gen(function* () {
      const [server, other] = [yield* redis(), yield* redis()]
      const client = yield* connect(server)
      const before = yield* client.command("CLIENT", "ID")
      yield* server.cli("replicaof", "127.0.0.1", `${other.port}`)
      expect(yield* Effect.flip(client.command("SET", "a", "1"))).toMatchObject({
        reason: "readonly",
        isRetryable: true
      })
      yield* server.cli("replicaof", "no", "one")
      yield* eventually("a write", Effect.exit(client.command("SET", "a", "1")), (exit) => exit._tag === "Success")
      expect(yield* client.command("CLIENT", "ID")).not.toBe(before)
    })
  )

  it.live("R8 a subscription tells when it stands, again after every break", () =>
    Effect.gen(function* () {
      const server = yield* redis()
      const between = yield* proxy(server.port)
      const client = yield* connect(between)
      const seen: Array<string> = []
      yield* client.subscribe(["one", "two"], (signal) => {
        seen.push(signal._tag === "message" ? `${signal.channel} ${signal.message}` : signal._tag)
      })
      const saw = (count: number) =>
        eventually(
          `${count} signals`,
          Effect.sync(() => seen.length),
          (n) => n === count
        )
      yield* saw(1)
      yield* client.command("PUBLISH", "two", "hi")
      yield* saw(2)
      yield* between.cut
      yield* saw(3)
      yield* client.command("PUBLISH", "one", "again")
      yield* saw(4)
      expect(seen).toEqual(["subscribed", "two hi", "subscribed", "one again"])
    })
  )

  it.live("closing the scope closes every connection and ends a blocking read", () =>
    Effect.gen(function* () {
      const server = yield* redis()
      const watch = yield* connect(server)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const client = yield* connect(server)
          const blocking = yield* client.connection
          yield* client.subscribe(["c"], () => {})
          yield* Effect.forkScoped(Effect.ignore(blocking.command("BLPOP", "none", 0)))
          yield* eventually("four connections", clients(watch), (count) => count === 4)
        })
      )
      yield* eventually("one connection", clients(watch), (count) => count === 1)
    })
  )

  it.live(
    "C16 Sentinel: a failover is followed",
    () =>
      Effect.gen(function* () {
        const service = yield* sentinel()
        const url = service.sentinels.map((server) => server.url).join(",")
        const client = yield* Redis.make({ url, sentinel: service.name, timeout: "2s" })
        yield* client.command("SET", "a", "1")
        yield* service.failover
        yield* eventually("a write", Effect.exit(client.command("INCR", "a")), (exit) => exit._tag === "Success")
        const primary = yield* connect(yield* service.primary)
        expect(Number(yield* primary.command("GET", "a"))).toBeGreaterThan(0)
      }),
    60_000
  )

  it.live(
    "C16 COORD-18 Cluster: scripts and pipelines of one tag, subscriptions, and the loss of a primary",
    () =>
      Effect.gen(function* () {
        const service = yield* cluster()
        const client = yield* Redis.make({ url: service.urls.slice(0, 2).join(","), cluster: true, timeout: "2s" })
        const seen: Array<string> = []
        yield* client.subscribe(["c"], (signal) => {
          seen.push(signal._tag)
        })
        for (let n = 0; n < 20; n++) expect(yield* client.run(add, { total: `{k:${n}}:a` }, { by: 1 })).toBe(1)
        expect(
          yield* client.pipeline([
            ["INCR", "{k:1}:a"],
            ["GET", "{k:1}:a"]
          ])
        ).toEqual([2, "2"])
        yield* eventually(
          "the subscription",
          Effect.sync(() => seen.length),
          (count) => count === 1
        )
        yield* client.command("PUBLISH", "c", "hi")
        yield* eventually(
          "the message",
          Effect.sync(() => seen.at(-1)),
          (tag) => tag === "message"
        )
        yield* service.killPrimaryOf("{k:1}:a")
        yield* eventually(
          "a write",
          Effect.exit(client.run(add, { total: "{k:1}:a" }, { by: 1 })),
          (exit) => exit._tag === "Success"
        )
      }),
    60_000
  )
})
