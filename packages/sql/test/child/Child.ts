import { Effect, Exit, type Scope } from "effect"
import { type ChildProcessByStdio, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Readable, Writable } from "node:stream"
import { fileURLToPath } from "node:url"

const main = fileURLToPath(new URL("main.ts", import.meta.url))

/** A directory that goes with the scope. */
export const directory: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "botmesh-sqlite-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

export interface Child {
  readonly process: ChildProcessByStdio<Writable, Readable, null>
  readonly lines: ReadonlyArray<string>
  /** Waits for this many lines. */
  readonly said: (count: number) => Effect.Effect<void>
  /** Waits for the end of the process; its lines. */
  readonly ended: Effect.Effect<ReadonlyArray<string>>
}

/** Starts `main.ts`; killed with the scope. What it writes to stderr goes to ours. */
export const start = (mode: string, ...args: ReadonlyArray<string>): Effect.Effect<Child, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, ["--conditions=botmesh-source", "--expose-gc", main, mode, ...args], {
          stdio: ["pipe", "pipe", "inherit"]
        })
      ),
      (child) => Effect.sync(() => void child.kill("SIGKILL"))
    ),
    (child) => {
      let text = ""
      const waiting = new Set<() => void>()
      const check = () => {
        for (const wake of waiting) wake()
      }
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk
        check()
      })
      let closed = false
      child.on("close", () => {
        closed = true
        check()
      })
      const lines = () => text.split("\n").slice(0, -1)
      const until = (done: () => boolean) =>
        Effect.callback<void>((resume) => {
          const wake = () => {
            if (!done() && !closed) return
            waiting.delete(wake)
            resume(Exit.void)
          }
          waiting.add(wake)
          wake()
        })
      return {
        process: child,
        get lines() {
          return lines()
        },
        said: (count) => until(() => lines().length >= count),
        ended: Effect.map(
          until(() => false),
          lines
        )
      }
    }
  )
