/** A server's process: up when it says so, down when it has ended. Nothing here waits by the clock. */
import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import type { Program } from "./Program.ts"
import { ServiceError } from "./ServiceError.ts"

/** Who a process runs as, where its rights are to be given up. */
export interface Account {
  readonly uid: number
  readonly gid: number
}
/** How a process is started. */
export interface Manner extends Partial<Account> {
  /** It has a process group of its own: a Ctrl-C in the terminal is not for it. */
  readonly detached?: boolean
}

export const ended = (child: ChildProcess): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
  })

/** Starts a server and waits until it prints `ready`. Fails with what it said when it ends before that. */
export const launch = (
  server: Program,
  args: ReadonlyArray<string>,
  ready: RegExp,
  manner: Manner = {}
): Effect.Effect<ChildProcess, ServiceError> =>
  Effect.callback((resume) => {
    const child = spawn(server.command, args, {
      env: { ...process.env, ...server.env },
      stdio: ["ignore", "pipe", "pipe"],
      ...manner
    })
    let said = ""
    const listen = (chunk: unknown): void => {
      said = `${said}${String(chunk)}`.slice(-8_000)
      if (ready.test(said)) resume(Effect.succeed(child))
    }
    child.stdout.on("data", listen)
    child.stderr.on("data", listen)
    child.once("error", (error) => resume(Effect.fail(new ServiceError({ message: error.message, cause: error }))))
    child.once("exit", (code) =>
      resume(Effect.fail(new ServiceError({ message: `${server.command} ended with ${code}\n${said}` })))
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })
