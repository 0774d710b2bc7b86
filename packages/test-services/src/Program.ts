/** Where the programs of a service come from: PATH, else Debian's packages unpacked without root (six seconds, once). */
import { Effect } from "effect"
import { execFile } from "node:child_process"
import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync
} from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { ServiceError } from "./ServiceError.ts"

export interface Program {
  readonly command: string
  readonly env: Readonly<Record<string, string>>
}

/** The programs of Redis, and how they were found. */
export interface RedisPrograms {
  readonly server: Program
  readonly cli: Program
  readonly from: "PATH" | "unpacked"
}

export const inPath = (name: string): string | undefined =>
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })

/** Runs a program to its end; the text is what it printed. Fails with what it said on stderr. */
export const execute = (
  program: Program,
  args: ReadonlyArray<string>,
  cwd?: string,
  account?: { readonly uid: number; readonly gid: number }
): Effect.Effect<string, ServiceError> =>
  Effect.callback((resume) => {
    const env = { ...process.env, ...program.env }
    const child = execFile(
      program.command,
      args,
      { ...(cwd === undefined ? {} : { cwd }), ...account, env },
      (error, stdout, stderr) => {
        resume(
          error === null
            ? Effect.succeed(stdout)
            : Effect.fail(
                new ServiceError({
                  message: `${program.command} ${args.join(" ")}: ${error.message}\n${stderr}`,
                  cause: error
                })
              )
        )
      }
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const packages = ["redis-tools", "libjemalloc2", "liblua5.1-0", "liblzf1", "libatomic1"]
const home = join(tmpdir(), "botmesh-redis-unpacked")

const unpacked = (folder: string): RedisPrograms => {
  const machine = readdirSync(join(folder, "usr/lib")).find((name) => name.endsWith("-linux-gnu")) ?? ""
  const env = { LD_LIBRARY_PATH: join(folder, "usr/lib", machine) }
  const bin = join(folder, "usr/bin")
  return {
    server: { command: join(bin, "redis-server"), env },
    cli: { command: join(bin, "redis-cli"), env },
    from: "unpacked"
  }
}

/** redis-check-rdb is the server under another name. The folder takes its place only when it is complete. */
const unpack = Effect.gen(function* () {
  if (existsSync(home)) return unpacked(home)
  const work = mkdtempSync(join(tmpdir(), "botmesh-redis-unpacking-"))
  yield* execute({ command: "apt-get", env: {} }, ["download", ...packages], work)
  mkdirSync(join(work, "root"))
  for (const file of readdirSync(work).filter((name) => name.endsWith(".deb"))) {
    yield* execute({ command: "dpkg", env: {} }, ["-x", join(work, file), join(work, "root")])
  }
  copyFileSync(join(work, "root/usr/bin/redis-check-rdb"), join(work, "root/usr/bin/redis-server"))
  if (!existsSync(home)) renameSync(join(work, "root"), home)
  rmSync(work, { recursive: true, force: true })
  return unpacked(home)
})

const onPath: RedisPrograms | undefined = (() => {
  const server = inPath("redis-server")
  const cli = inPath("redis-cli")
  if (server === undefined || cli === undefined) return undefined
  return { server: { command: server, env: {} }, cli: { command: cli, env: {} }, from: "PATH" }
})()

export const isRedisInPath: boolean = onPath !== undefined

/** Redis' programs, or the reason why there are none: tests that need them are skipped by it. */
export const redisPrograms: Effect.Effect<RedisPrograms, ServiceError> =
  onPath === undefined ? unpack : Effect.succeed(onPath)
