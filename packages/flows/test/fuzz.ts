/**
 * `pnpm --filter @botmesh/flows fuzz [--documents N] [--from SEED]`: as many valid documents, as many changed ones, and
 * twice as many expressions against the second interpreter. Says the seed of whatever it finds.
 */
import { parseArgs } from "node:util"
import { compileExpression } from "@botmesh/flows"
import { Result } from "effect"
import { Dice } from "./kit/Dice.ts"
import { interpret, print, someTree, someWorld } from "./kit/Expressions.ts"
import { type Finding, fuzz } from "./kit/Fuzz.ts"
import { momentOf } from "./kit/Moment.ts"

const { values } = parseArgs({
  options: { documents: { type: "string", default: "100000" }, from: { type: "string", default: "1" } }
})
const count = Number(values.documents)
const from = Number(values.from)

const expressions = (): ReadonlyArray<Finding> => {
  const found: Array<Finding> = []
  const at = momentOf({ body: "hola" })
  for (let seed = from; seed < from + 2 * count && found.length < 5; seed++) {
    const dice = new Dice(seed)
    const tree = someTree(dice, 4)
    const source = print(tree, dice)
    if (source.length > 1000) continue
    const world = someWorld(dice)
    const compiled = compileExpression(source)
    const [ours, wanted] = [
      Result.isSuccess(compiled) ? compiled.success.evaluate(world, at) : compiled.failure,
      interpret(tree, world)
    ]
    if (!Object.is(ours, wanted))
      found.push({ seed, problem: `${String(ours)} instead of ${String(wanted)}`, document: source })
  }
  return found
}

const parts: ReadonlyArray<readonly [string, () => ReadonlyArray<Finding>]> = [
  [`${count} valid documents`, () => fuzz("valid", from, count)],
  [`${count} changed documents`, () => fuzz("mutated", from, count)],
  [`${2 * count} expressions`, expressions]
]
for (const [name, run] of parts) {
  const started = performance.now()
  const found = run()
  console.log(`${name}: ${found.length} findings, ${((performance.now() - started) / 1000).toFixed(1)} s`)
  for (const finding of found) console.log(JSON.stringify(finding))
  if (found.length > 0) process.exitCode = 1
}
