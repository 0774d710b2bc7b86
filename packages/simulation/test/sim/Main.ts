/** `pnpm sim`: many worlds over all cores, each from one seed; ends with what happened in them, and the verdict. */
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import { Worker } from "node:worker_threads"
import { type Coverage, type Found, merge, missed, required, runSeed, tell } from "@botmesh/simulation"

const help = `pnpm sim [--seeds N] [--from S] [--workers W]   runs N worlds (2,000) from seed S (0) on
pnpm sim --seed S                               replays the world of one seed and prints its story

A world is replicas, a store, a coordinator, people and a nemesis, all drawn from its seed. Exit code 1: a checker found a
broken promise, or too little happened for the run to mean anything.`

export interface Batch {
  readonly worlds: number
  readonly coverage: ReadonlyArray<readonly [string, number]>
  readonly found: ReadonlyArray<Found>
}

const replay = (seed: number): boolean => {
  const { history, start, violations } = runSeed(seed)
  for (const entry of history) console.log(tell(entry, start))
  for (const { detail, invariant } of violations) console.log(`VIOLATION ${invariant}: ${detail}`)
  console.log(violations.length === 0 ? "every promise was kept" : `${violations.length} violations`)
  return violations.length === 0
}

const run = async (seeds: number, from: number, workers: number): Promise<boolean> => {
  const began = performance.now()
  const coverage: Coverage = new Map()
  const found: Array<Found> = []
  let worlds = 0
  let saidAt = 0
  const hear = (batch: Batch): void => {
    worlds += batch.worlds
    merge(coverage, batch.coverage)
    for (const one of batch.found) {
      found.push(one)
      if (found.length > 20) continue
      for (const { detail, invariant } of one.violations.slice(0, 3))
        console.log(`seed ${one.seed} ${invariant}: ${detail}`)
    }
    if (performance.now() - saidAt < 5000) return
    saidAt = performance.now()
    const seconds = (saidAt - began) / 1000
    console.log(`${worlds} of ${seeds} worlds, ${found.length} bad, ${seconds.toFixed(0)} s`)
  }
  const works = Array.from({ length: workers }, (_, index) => {
    const worker = new Worker(new URL("./Worker.ts", import.meta.url), {
      workerData: { first: from + index, step: workers, end: from + seeds }
    })
    worker.on("message", hear)
    return new Promise<void>((resolve, reject) => {
      worker.on("error", reject)
      worker.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`))))
    })
  })
  await Promise.all(works)
  for (const [name, count] of [...coverage].sort(([a], [b]) => (a < b ? -1 : 1))) {
    console.log(`${String(count).padStart(10)} ${name}${required.includes(name) ? "" : " (not required)"}`)
  }
  const seldom = missed(coverage)
  for (const one of seldom) console.log(`TOO SELDOM ${one}`)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(
    `${worlds} worlds in ${seconds} s on ${workers} workers: ${found.length} with violations, coverage ${seldom.length === 0 ? "full" : "missed"}`
  )
  if (found.length > 0) console.log(`replay one: pnpm sim --seed ${found[0]?.seed ?? 0}`)
  return found.length === 0 && seldom.length === 0
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: "string" },
    from: { type: "string", default: "0" },
    seed: { type: "string" },
    workers: { type: "string" },
    help: { type: "boolean", default: false }
  }
})
const number = (text: string, name: string): number => {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 0) return value
  console.error(`--${name} takes a whole number from 0 on, got "${text}"`)
  process.exit(2)
}
if (values.help || positionals.length > 0) {
  console.log(help)
  process.exitCode = values.help ? 0 : 2
} else if (values.seed !== undefined) {
  process.exitCode = replay(number(values.seed, "seed")) ? 0 : 1
} else {
  const workers = values.workers === undefined ? Math.min(8, availableParallelism()) : number(values.workers, "workers")
  const kept = await run(number(values.seeds ?? "2000", "seeds"), number(values.from, "from"), Math.max(1, workers))
  process.exitCode = kept ? 0 : 1
}
