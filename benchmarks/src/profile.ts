/** `node src/profile.ts FILE.cpuprofile [rows]`: the functions that took the most time of their own. */
import { readFileSync } from "node:fs"

interface CallFrame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
}
interface Profile {
  readonly nodes: ReadonlyArray<{ readonly id: number; readonly callFrame: CallFrame }>
  readonly samples: ReadonlyArray<number>
  readonly timeDeltas: ReadonlyArray<number>
}

const [path = "", rows = "40"] = process.argv.slice(2)
const { nodes, samples, timeDeltas }: Profile = JSON.parse(readFileSync(path, "utf8"))
const frames = new Map(nodes.map(({ callFrame, id }) => [id, callFrame]))
const own = new Map<string, number>()
let total = 0
samples.forEach((sample, nth) => {
  const frame = frames.get(sample)
  const took = timeDeltas[nth] ?? 0
  if (frame === undefined || frame.functionName === "(idle)") return
  total += took
  const place = `${frame.functionName || "(anonymous)"} ${frame.url.split("/").slice(-3).join("/")}:${frame.lineNumber + 1}`
  own.set(place, (own.get(place) ?? 0) + took)
})
for (const [place, took] of [...own].toSorted((a, b) => b[1] - a[1]).slice(0, Number(rows))) {
  console.log(`${((100 * took) / total).toFixed(1).padStart(5)} %  ${place}`)
}
