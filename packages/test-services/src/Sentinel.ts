/** A primary with two replicas, watched by three sentinels, on this machine. */
import { Effect, type Scope } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "./Ports.ts"
import { redis, type RedisServer } from "./Redis.ts"
import { until } from "./Until.ts"
import { ServiceError } from "./ServiceError.ts"

export interface RedisSentinel {
  /** What the sentinels call the primary. */
  readonly name: string
  readonly sentinels: ReadonlyArray<RedisServer>
  readonly servers: ReadonlyArray<RedisServer>
  /** The server the sentinels name as the primary. */
  readonly primary: Effect.Effect<RedisServer, ServiceError>
  /** Asks for a failover and waits until another server is the primary. */
  readonly failover: Effect.Effect<RedisServer, ServiceError>
}

const name = "bot"

const configuration = (port: number, primary: number): string =>
  [
    `port ${port}`,
    `sentinel monitor ${name} 127.0.0.1 ${primary} 2`,
    `sentinel down-after-milliseconds ${name} 1000`,
    `sentinel failover-timeout ${name} 5000`,
    `sentinel parallel-syncs ${name} 1`,
    ""
  ].join("\n")

/** A watched primary, until the scope closes. */
export const sentinel = Effect.fn("TestServices.sentinel")(function* (): Effect.fn.Return<
  RedisSentinel,
  ServiceError,
  Scope.Scope
> {
  const sync = ["--repl-diskless-sync-delay", "0"]
  const first = yield* redis({ args: sync })
  const servers = [first]
  for (let n = 0; n < 2; n++) servers.push(yield* redis({ args: [...sync, "--replicaof", `127.0.0.1 ${first.port}`] }))
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "botmesh-sentinel-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const sentinels: Array<RedisServer> = []
  for (let n = 0; n < 3; n++) {
    const port = yield* freePort
    const file = join(folder, `${n}.conf`)
    writeFileSync(file, configuration(port, first.port))
    sentinels.push(yield* redis({ port, args: [file, "--sentinel"], ready: /Sentinel ID is/u }))
  }
  const [watcher] = sentinels
  if (watcher === undefined) return yield* Effect.die(new Error("there are sentinels"))
  const field = (text: string, key: string): string => {
    const lines = text.split("\n")
    return lines[lines.indexOf(key) + 1] ?? ""
  }
  for (const one of sentinels) {
    yield* until(
      "the sentinels",
      Effect.map(
        one.cli("sentinel", "master", name),
        (text) => field(text, "num-other-sentinels") === "2" && field(text, "num-slaves") === "2"
      )
    )
  }
  const primary = Effect.flatMap(watcher.cli("sentinel", "get-master-addr-by-name", name), (text) => {
    const port = Number(text.split("\n")[1])
    const found = servers.find((server) => server.port === port)
    return found === undefined
      ? Effect.fail(new ServiceError({ message: `no primary at ${text}` }))
      : Effect.succeed(found)
  })
  const failover = Effect.gen(function* () {
    const before = yield* primary
    yield* watcher.cli("sentinel", "failover", name)
    yield* until(
      "the failover",
      Effect.map(primary, (now) => now.port !== before.port)
    )
    return yield* primary
  })
  return { name, sentinels, servers, primary, failover }
})
