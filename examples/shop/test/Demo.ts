/** The demo as a process of its own, written to and read from as a person would. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const programOf = (name: string) => fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Demo {
  readonly pid: number
  /** The lines of standard output so far. */
  readonly lines: ReadonlyArray<string>
  readonly errors: () => string
  readonly say: (line: string) => void
  /** Ends the input. */
  readonly end: () => void
  /** Completes with the first line from `from` on that is one of these; fails when the process ends without it. */
  readonly sees: (wanted: (line: string) => boolean, from?: number) => Promise<string>
  /** Completes once its log shows this; fails when the process ends without it. */
  readonly logs: (wanted: RegExp) => Promise<void>
  readonly kill: (signal: NodeJS.Signals) => void
  /** The process is gone and all it wrote has been read. */
  readonly ended: Promise<Ended>
}

/** ms of real time: a machine that runs all tests at once may be slow. */
const longest = 60_000

const watch = (child: ChildProcessWithoutNullStreams): Demo => {
  const lines: Array<string> = []
  const watchers = new Set<() => void>()
  const changed = () => {
    for (const look of [...watchers]) look()
  }
  let errors = ""
  let gone = false
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line)
    changed()
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text
    changed()
  })
  // A process that was killed takes no more lines.
  child.stdin.on("error", () => {})
  const ended = new Promise<Ended>((resolve) => {
    child.on("close", (code, signal) => {
      gone = true
      resolve({ code, signal })
      changed()
    })
  })
  /** Looks after each change; bounded in time. */
  const until = <A>(found: () => A | undefined) =>
    new Promise<A>((resolve, reject) => {
      const done = (finish: () => void) => {
        watchers.delete(look)
        clearTimeout(timer)
        finish()
      }
      const missing = (why: string) => new Error(`${why}\n${lines.join("\n")}\n${errors}`)
      const timer = setTimeout(() => done(() => reject(missing("it did not come in time"))), longest)
      const look = () => {
        const value = found()
        if (value !== undefined) done(() => resolve(value))
        else if (gone) done(() => reject(missing("the process ended without it")))
      }
      watchers.add(look)
      look()
    })
  return {
    pid: child.pid ?? 0,
    lines,
    errors: () => errors,
    say: (line) => child.stdin.write(`${line}\n`),
    end: () => child.stdin.end(),
    sees: (wanted, from = 0) => until(() => lines.slice(from).find(wanted)),
    logs: async (wanted) => {
      await until(() => (wanted.test(errors) ? true : undefined))
    },
    kill: (signal) => child.kill(signal),
    ended
  }
}

/** Starts the demo, or another program of `src`. @param args of its command line; `env` beside that of this process */
export const startDemo = (
  args: ReadonlyArray<string>,
  options: { readonly env?: Readonly<Record<string, string>>; readonly cwd?: string; readonly program?: string } = {}
): Demo => {
  const main = programOf(options.program ?? "main")
  const { TELEGRAM_TOKEN: _, TELEGRAM_SECRET: __, ...env } = process.env
  const flags = ["--conditions=botmesh-source", "--disable-warning=ExperimentalWarning"]
  return watch(
    spawn(process.execPath, [...flags, main, ...args], { cwd: options.cwd, env: { ...env, ...options.env } })
  )
}

/** Runs the demo with this input to its end. */
export const runDemo = async (args: ReadonlyArray<string>, input = "", env: Readonly<Record<string, string>> = {}) => {
  const demo = startDemo(args, { env })
  if (input !== "") demo.say(input.replace(/\n$/u, ""))
  demo.end()
  const { code, signal } = await demo.ended
  return { code, signal, lines: demo.lines, errors: demo.errors() }
}

/** A directory that is gone after the test. */
export const temporary = (): { readonly path: string; readonly data: string; readonly remove: () => void } => {
  const path = mkdtempSync(join(tmpdir(), "botmesh-shop-"))
  return { path, data: join(path, "shop.db"), remove: () => rmSync(path, { recursive: true, force: true }) }
}
