/** Many worlds, one after the other: what `pnpm sim` runs, and the tests run fewer of. */
import { type Coverage, cover } from "./Coverage.ts"
import type { Violation } from "./History.ts"
import type { Verb } from "./Nemesis.ts"
import type { Outcome } from "./World.ts"
import { runShop } from "./workload/Shops.ts"
import { runTurns } from "./workload/Turns.ts"

/** The world of a seed: a third of them are replicas that do nothing but take turns, the others have a bot. */
export const runSeed = (seed: number, verbs?: ReadonlyArray<Verb>): Outcome =>
  seed % 3 === 0
    ? runTurns(seed, { lease: 1500 + (seed % 7) * 250, storm: 4000 + (seed % 5) * 1000, verbs })
    : runShop(seed, { verbs })

export interface Found {
  readonly seed: number
  readonly violations: ReadonlyArray<Violation>
}

export interface Seeds {
  readonly coverage: Coverage
  readonly found: Array<Found>
}

/**
 * @param run the world of a seed; a shop or turns when absent
 * @param stop asked after each world: true ends the run
 */
export const runSeeds = (
  seeds: Iterable<number>,
  run: (seed: number) => Outcome = runSeed,
  stop: (so: Seeds) => boolean = () => false
): Seeds => {
  const so: Seeds = { coverage: new Map(), found: [] }
  for (const seed of seeds) {
    const { history, violations } = run(seed)
    cover(so.coverage, history)
    if (violations.length > 0) so.found.push({ seed, violations })
    if (stop(so)) break
  }
  return so
}
