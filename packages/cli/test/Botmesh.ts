/** The command as a process of its own. */
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const program = fileURLToPath(new URL("../src/run.ts", import.meta.url))
/** Below this package, so that a file written there finds @botmesh/core. */
const cache = fileURLToPath(new URL("../node_modules/.cache", import.meta.url))

export const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url))

export const temporary = () => {
  mkdirSync(cache, { recursive: true })
  const path = mkdtempSync(join(cache, "test-"))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

export interface Result {
  readonly code: number | null
  readonly out: ReadonlyArray<string>
  readonly err: string
}

const lines = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.replace(/\n$/u, "").split("\n"))

/** Starts it with its input held open. */
export const start = (args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, ["--conditions=botmesh-source", program, ...args])
  let out = ""
  let err = ""
  let gone = false
  const watchers = new Set<() => void>()
  const changed = () => {
    for (const look of [...watchers]) look()
  }
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text
    changed()
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text
    changed()
  })
  // One that has ended takes no more lines.
  child.stdin.on("error", () => {})
  const ended = new Promise<Result>((resolve) => {
    child.on("close", (code) => {
      gone = true
      resolve({ code, out: lines(out), err })
      changed()
    })
  })
  /** Waits for a text in what it wrote, standard error included. */
  const sees = (wanted: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (out.includes(wanted) || err.includes(wanted)) {
          watchers.delete(look)
          resolve()
        } else if (gone) {
          watchers.delete(look)
          reject(new Error(`it ended without "${wanted}":\n${out}\n${err}`))
        }
      }
      watchers.add(look)
      look()
    })
  return {
    say: (line: string) => child.stdin.write(`${line}\n`),
    end: () => child.stdin.end(),
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    sees,
    ended
  }
}

/** Runs it with this input to its end. */
export const run = (args: ReadonlyArray<string>, input = ""): Promise<Result> => {
  const command = start(args)
  if (input !== "") command.say(input)
  command.end()
  return command.ended
}
