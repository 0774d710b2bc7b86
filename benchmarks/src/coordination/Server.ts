/** A private Redis for one measurement, on the first core where processes can be kept to one; it ends with the process. */
import { spawnSync } from "node:child_process"
import { redis } from "@botmesh/test-services"
import { Effect, Exit, Scope } from "effect"
import { isPinned } from "../Process.ts"

export interface Server {
  readonly port: number
  /** One command of redis-cli, and its answer. */
  readonly cli: (...args: ReadonlyArray<string>) => Promise<string>
  /** CPU time it took so far, ms. */
  readonly spent: () => Promise<number>
  /** How often it ran scripts that clients asked for, so far. */
  readonly scripts: () => Promise<number>
  readonly stop: () => Promise<void>
}

const total = (text: string, form: RegExp): number =>
  [...text.matchAll(form)].reduce((sum, [, n]) => sum + Number(n), 0)

export const startServer = async (): Promise<Server> => {
  const scope = await Effect.runPromise(Scope.make())
  const { cli: ask, port } = await Effect.runPromise(Scope.provide(redis(), scope))
  const cli = (...args: ReadonlyArray<string>) => Effect.runPromise(ask(...args))
  const stop = () => Effect.runPromise(Scope.close(scope, Exit.void))
  process.once("SIGTERM", () => void stop().then(() => process.exit(1)))
  const [, pid = ""] = /process_id:(\d+)/u.exec(await cli("INFO", "server")) ?? []
  if (isPinned) spawnSync("taskset", ["-acp", "0", pid])
  return {
    port,
    cli,
    spent: async () => 1000 * total(await cli("INFO", "cpu"), /^used_cpu_(?:sys|user):([\d.]+)/gmu),
    scripts: async () => total(await cli("INFO", "commandstats"), /^cmdstat_eval(?:sha)?:calls=(\d+)/gmu),
    stop
  }
}
