/** Runs the worlds it is told to, and answers in which of them the fault's own checker found something. */
import { text } from "node:stream/consumers"
import { runSeed } from "@botmesh/simulation"

const { finds, invariant, patience, seeds } = JSON.parse(await text(process.stdin))
const began = performance.now()
const found: Array<number> = []
const others: Record<string, number> = {}
let tried = 0
for (const seed of seeds) {
  tried++
  const broken = new Set(runSeed(seed).violations.map((violation) => violation.invariant))
  if (broken.has(invariant)) found.push(seed)
  for (const other of broken) if (other !== invariant) others[other] = (others[other] ?? 0) + 1
  if (found.length >= finds || performance.now() - began > patience) break
}
console.log(JSON.stringify({ found, tried, others }))
