/**
 * A private redis-server on a free port, in a directory of its own. Nothing here waits by the clock: a server is up when
 * it says so, and down when its process has ended. So it works under a test clock too.
 */
import { Effect, type Scope } from "effect"
import type { ChildProcess } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ended, launch } from "./Launch.ts"
import { freePort } from "./Ports.ts"
import { execute, isRedisInPath, redisPrograms } from "./Program.ts"
import type { ServiceError } from "./ServiceError.ts"

export interface RedisServer {
  readonly port: number
  readonly url: string
  /** Starts it again on the same port and directory. Safe to repeat. */
  readonly start: Effect.Effect<void, ServiceError>
  /** Stops it in order, or with `kill` at once. Safe to repeat. */
  readonly stop: (how?: "kill") => Effect.Effect<void>
  /** SIGSTOP: it keeps its sockets and answers nothing. */
  readonly freeze: Effect.Effect<void>
  readonly thaw: Effect.Effect<void>
  /** Runs redis-cli against it. */
  readonly cli: (...args: ReadonlyArray<string>) => Effect.Effect<string, ServiceError>
}

export interface RedisServerOptions {
  /** Keeps every write on disk before it answers (appendfsync always). Default false: a restart forgets all. */
  readonly durable?: boolean
  readonly port?: number
  /** A Ctrl-C in the terminal is not for it: whoever started it ends it. Default false. */
  readonly detached?: boolean
  /** More settings, as on redis-server's command line. */
  readonly args?: ReadonlyArray<string>
  /** What it prints when it serves. */
  readonly ready?: RegExp
}

/** A server until the scope closes. Fails when no redis-server can be found or it does not start. */
export const redis = Effect.fn("TestServices.redis")(function* (
  options: RedisServerOptions = {}
): Effect.fn.Return<RedisServer, ServiceError, Scope.Scope> {
  const programs = yield* redisPrograms
  const port = options.port ?? (yield* freePort)
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "botmesh-redis-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const durable = options.durable === true ? ["--appendonly", "yes", "--appendfsync", "always"] : []
  const args = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", directory, "--save", "", ...durable]
  let child: ChildProcess | undefined
  const start = Effect.suspend(() =>
    child === undefined
      ? Effect.map(
          launch(programs.server, [...(options.args ?? []), ...args], options.ready ?? /Ready to accept connections/u, {
            detached: options.detached === true
          }),
          (started) => {
            child = started
          }
        )
      : Effect.void
  )
  const signal = (name: NodeJS.Signals) => Effect.sync(() => void child?.kill(name))
  const stop: RedisServer["stop"] = (how) =>
    Effect.suspend(() => {
      const running = child
      if (running === undefined) return Effect.void
      child = undefined
      // A stopped process takes no SIGTERM until it goes on.
      running.kill("SIGCONT")
      running.kill(how === "kill" ? "SIGKILL" : "SIGTERM")
      return ended(running)
    })
  yield* Effect.acquireRelease(start, () => stop("kill"))
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    start,
    stop,
    freeze: signal("SIGSTOP"),
    thaw: signal("SIGCONT"),
    cli: (...given) => execute(programs.cli, ["-p", `${port}`, ...given])
  }
})

/** Why tests of Redis cannot run here, or undefined when they can: the text for the name of what is skipped. */
export const whyNoRedis: Effect.Effect<string | undefined> = Effect.suspend(() =>
  isRedisInPath || process.env["REDIS_URL"] !== undefined
    ? Effect.succeed(undefined)
    : Effect.match(redisPrograms, {
        onSuccess: () => undefined,
        onFailure: (error) => `no redis-server in PATH, no REDIS_URL, none to unpack: ${error.message.split("\n")[0]}`
      })
)

/** A Redis to talk to: a private one when its program is in PATH, else that of REDIS_URL, else a private unpacked one. */
export const redisUrl: Effect.Effect<string, ServiceError, Scope.Scope> = Effect.suspend(() => {
  const given = process.env["REDIS_URL"]
  return !isRedisInPath && given !== undefined ? Effect.succeed(given) : Effect.map(redis(), ({ url }) => url)
})
