import { ambient } from "./ambient.ts"
import { docs } from "./docs.ts"
import { effect } from "./effect.ts"
import { format } from "./format.ts"
import { failed, type Gate, type Outcome, render, runGate, runGates } from "./gate.ts"
import { imports } from "./imports.ts"
import { lua } from "./lua.ts"
import { packages } from "./packages.ts"
import { rules } from "./rules.ts"
import { sizes } from "./sizes.ts"
import { types } from "./types.ts"

/** Gates that need nothing from each other, the slow ones first. */
const independent: ReadonlyArray<Gate> = [types, effect, docs, format, imports, ambient, rules, sizes, lua]

/** Two at a time: the project is built for machines of two cores. */
const limit = 2

/** Runs every gate, prints a line for each and returns all outcomes. The packages are packed from what `types` has built. */
export const runAll = async (root: string, print: (line: string) => void): Promise<ReadonlyArray<Outcome>> => {
  const tell = (outcome: Outcome): void => print(render(outcome))
  const outcomes = await runGates(independent, root, limit, tell)
  const built = outcomes.some((outcome) => outcome.name === types.name && !failed(outcome))
  if (!built) {
    print(`--    ${packages.name}: not run, for nothing was built`)
    return outcomes
  }
  const last = await runGate(packages, root)
  tell(last)
  return [...outcomes, last]
}
