/**
 * `pnpm demo:kills [--rounds 50] [--kind anywhere|answers|charge|start] [--seed N] [--fresh]`: see KillRound.ts.
 * With `--fresh` each round has a file of its own, so a kill may fall while its tables are made.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { temporary } from "./Demo.ts"
import { type Kind, killRound, kinds, seeded } from "./KillRound.ts"

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "50" },
    kind: { type: "string" },
    fresh: { type: "boolean", default: false },
    seed: { type: "string", default: String(Date.now() % 1_000_000) }
  }
})
const isKind = (kind: string): kind is Kind => Object.hasOwn(kinds, kind)
const all = Object.keys(kinds).filter(isKind)
const wanted = values.kind === undefined ? all : all.filter((kind) => kind === values.kind)
if (wanted.length === 0) throw new Error(`--kind is one of ${all.join(", ")}`)
const rounds = Number(values.rounds)
const random = seeded(Number(values.seed))
const place = temporary()

let failed = 0
let twice = 0
const moments = new Map<string, number>()
for (let round = 1; round <= rounds; round++) {
  const kind = wanted[round % wanted.length] ?? "anywhere"
  const path = values.fresh ? join(place.path, String(round)) : place.path
  mkdirSync(path, { recursive: true })
  const result = await killRound(path, round, kind, random)
  if (result.problems.length > 0) failed++
  if (result.charges === 2) twice++
  const moment = `wrote ${result.wrote.replace(/^Ana\d+$/u, "Ana") || "nothing"}, saw ${result.printed}`
  moments.set(moment, (moments.get(moment) ?? 0) + 1)
  const verdict = result.problems.length === 0 ? "ok" : `FAILED: ${result.problems.join("; ")}`
  console.log(`${round}/${rounds} ${kind}: ${moment}, ${result.charges} lines in charges.log: ${verdict}`)
}
console.log(`\nseed ${values.seed}; killed when the person`)
for (const [moment, count] of [...moments].sort((a, b) => b[1] - a[1])) console.log(`  ${count} × ${moment}`)
console.log(`charged twice under one key, the kill between start and result: ${twice}`)
console.log(`${rounds - failed} of ${rounds} rounds ended right`)
if (failed === 0) place.remove()
else console.log(`the data is kept in ${place.path}`)
process.exitCode = failed === 0 ? 0 : 1
