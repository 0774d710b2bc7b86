/** Runs one measurement in a fresh process, on one core where `taskset` is there. */
import { spawn, spawnSync } from "node:child_process"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"

/** What a measuring process prints behind `@@`. */
export interface Measured {
  readonly value: number
  readonly [name: string]: number
}

export interface Job {
  /** The script, relative to this folder. */
  readonly script: string
  readonly args: ReadonlyArray<string>
  readonly node?: ReadonlyArray<string>
  /** ms. */
  readonly limit?: number
  /** It has processes of its own to run beside it: it is not kept to one core. */
  readonly free?: boolean
}

const pinned = spawnSync("taskset", ["-V"]).status === 0

const command = (job: Job): readonly [string, ReadonlyArray<string>] => {
  const script = fileURLToPath(new URL(job.script, import.meta.url))
  const node = [
    "--conditions=botmesh-source",
    "--disable-warning=ExperimentalWarning",
    ...(job.node ?? []),
    script,
    ...job.args
  ]
  return pinned && job.free !== true
    ? ["taskset", ["-c", String(availableParallelism() - 1), process.execPath, ...node]]
    : [process.execPath, node]
}

const read = (output: string): Measured | undefined => {
  const line = output.split("\n").findLast((candidate) => candidate.startsWith("@@"))
  return line === undefined ? undefined : JSON.parse(line.slice(2))
}

/** @returns what was measured, or why it failed */
export const measure = (job: Job): Promise<Measured | Error> =>
  new Promise((resolve) => {
    const [name, args] = command(job)
    const child = spawn(name, args, { stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    let errors = ""
    child.stdout.on("data", (data) => {
      output += data
    })
    child.stderr.on("data", (data) => {
      errors += data
    })
    // First in order: it may have started a server that ends with it.
    const limit = setTimeout(() => child.kill("SIGTERM"), job.limit ?? 180_000)
    const last = setTimeout(() => child.kill("SIGKILL"), (job.limit ?? 180_000) + 5_000)
    child.on("error", resolve)
    child.on("close", (code) => {
      clearTimeout(limit)
      clearTimeout(last)
      const measured = read(output)
      if (measured !== undefined && code === 0) resolve(measured)
      else resolve(new Error(`exit ${code}: ${(errors || output).slice(-600)}`))
    })
  })

export const isPinned = pinned
