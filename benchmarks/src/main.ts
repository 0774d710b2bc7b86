/**
 * `pnpm bench NAME [--runs N] [--case NAME] [--slow] [--strict]`: measures and compares.
 *
 * Every measurement of ours and of each peer has a fresh process on one core; in each run all stand side by side, so
 * ratios of one report may be quoted and absolute figures of different ones may not. Speed is counted in messages or turns
 * per second of CPU time: the same as by the clock on a quiet machine, and still right on a busy one.
 */
import { parseArgs } from "node:util"
import type { Case } from "./Case.ts"
import { cases as coordination } from "./coordination/Coordination.ts"
import { cases as dispatch } from "./dispatch/Dispatch.ts"
import { cases as flows } from "./flows/Flows.ts"
import { isPinned, type Job, measure } from "./Process.ts"
import { median, missed, type Report, type Result, table } from "./Report.ts"

const benches: Readonly<Record<string, ReadonlyArray<Case>>> = { coordination, dispatch, flows }

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: "string", default: "5" },
    case: { type: "string", multiple: true },
    slow: { type: "boolean", default: false },
    strict: { type: "boolean", default: false }
  }
})
const usage = (problem: string): never => {
  console.error(
    `${problem}\nusage: pnpm bench ${Object.keys(benches).join("|")} [--runs N] [--case NAME] [--slow] [--strict]`
  )
  process.exit(2)
}
const bench = positionals[0] ?? usage("which benchmark?")
const known = benches[bench] ?? usage(`there is no benchmark "${bench}"`)
const runs = Number(values.runs)
if (!Number.isInteger(runs) || runs < 1) usage(`--runs must be a whole number from 1 on, got ${values.runs}`)
const wanted = values.case
for (const name of wanted ?? []) {
  if (!known.some((one) => one.name === name)) {
    usage(`there is no case "${name}", there are ${known.map((one) => one.name).join(", ")}`)
  }
}
const chosen = known.filter((one) =>
  wanted === undefined ? values.slow || one.slow !== true : wanted.includes(one.name)
)

const samples = new Map<string, Array<number>>()
const failures = new Set<string>()
const take = async (id: string, job: Job): Promise<void> => {
  if (failures.has(id)) return
  const measured = await measure(job)
  if (measured instanceof Error) {
    failures.add(id)
    console.error(`${id} failed: ${measured.message}`)
    return
  }
  const all = samples.get(id) ?? []
  samples.set(id, all)
  all.push(measured.value)
  console.error(
    `${id}: ${Object.entries(measured)
      .map(([name, value]) => `${name} ${shown(value)}`)
      .join(", ")}`
  )
}
/** Figures below ten are shares and ratios. */
const shown = (value: number): string => (Math.abs(value) < 10 ? value.toPrecision(3) : String(Math.round(value)))
const result = (id: string): number => median(samples.get(id) ?? [])

console.error(`${bench}: ${runs} runs${isPinned ? "" : ", not pinned to a core: there is no taskset"}`)
for (let run = 0; run < runs; run++) {
  for (const one of chosen) {
    if (one.once === true && run > 0) continue
    await take(`${one.name}/ours`, one.ours)
    for (const [name, job] of Object.entries(one.peers)) await take(`${one.name}/${name}`, job)
  }
}

const oursOf: Record<string, number> = {}
const results: Array<Result> = []
for (const one of chosen) {
  const ours = result(`${one.name}/ours`)
  oursOf[one.name] = ours
  const peers = Object.fromEntries(Object.keys(one.peers).map((name) => [name, result(`${one.name}/${name}`)]))
  const targets = one.aims.flatMap(({ got, most, name, want }) => {
    const came = got(ours, peers, oursOf)
    if (came === undefined) return []
    return [{ name, want, got: came, met: most === true ? came <= want : came >= want }]
  })
  results.push({ case: one.name, unit: one.unit, ours, peers, targets })
}
const report: Report = { bench, results }
console.log(`${table(report)}\n`)
console.log(JSON.stringify(report))
if (values.strict && (missed(report).length > 0 || failures.size > 0)) process.exitCode = 1
