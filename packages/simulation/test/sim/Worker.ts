/** Runs its share of the seeds and tells of them in batches. */
import { parentPort, workerData } from "node:worker_threads"
import { type Coverage, cover, type Found, runSeed } from "@botmesh/simulation"
import type { Batch } from "./Main.ts"

const { end, first, step }: { readonly end: number; readonly first: number; readonly step: number } = workerData

let coverage: Coverage = new Map()
let found: Array<Found> = []
let worlds = 0
const tell = (): void => {
  const batch: Batch = { worlds, coverage: [...coverage], found }
  parentPort?.postMessage(batch)
  coverage = new Map()
  found = []
  worlds = 0
}
for (let seed = first; seed < end; seed += step) {
  const { history, violations } = runSeed(seed)
  cover(coverage, history)
  if (violations.length > 0) found.push({ seed, violations })
  if (++worlds === 50) tell()
}
tell()
