import { dirname } from "node:path"
import { runAll } from "./gates/all.ts"
import { failed } from "./gates/gate.ts"

const root = dirname(import.meta.dirname)
const outcomes = await runAll(root, (line) => console.log(line))
const bad = outcomes.filter(failed)
if (bad.length > 0) {
  console.log(`${bad.length} of ${outcomes.length} gates failed: ${bad.map(({ name }) => name).join(", ")}`)
  process.exitCode = 1
}
