/** The dice of one world: everything that happens by chance is drawn from here, so a seed is a whole story. */
export interface Chance {
  /** In [0, 1). */
  readonly next: () => number
  readonly happens: (probability: number) => boolean
  /** A whole number from `low` to `high`, both included. */
  readonly between: (low: number, high: number) => number
  readonly pick: <A>(items: ReadonlyArray<A>) => A | undefined
  /** Dice of their own, that do not move these. */
  readonly fork: (salt: number) => Chance
}

export const makeChance = (seed: number): Chance => {
  let state = seed | 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    happens: (probability) => next() < probability,
    between,
    pick: (items) => items[between(0, items.length - 1)],
    fork: (salt) => makeChance(Math.imul(seed ^ 0x9e3779b9, 2654435761) ^ Math.imul(salt + 1, 40503))
  }
}
