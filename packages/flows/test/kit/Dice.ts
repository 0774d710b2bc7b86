/** A seeded source of chance: the same seed gives the same document or expression, so a failure can be looked at again. */
export class Dice {
  private state: number
  constructor(seed: number) {
    this.state = (seed * 2_654_435_761) >>> 0
  }
  /** 0 to 2^32 - 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let x = this.state
    x = Math.imul(x ^ (x >>> 15), x | 1)
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61)
    return (x ^ (x >>> 14)) >>> 0
  }
  /** A whole number below `sides`. */
  below(sides: number): number {
    return this.next() % sides
  }
  /** True one time in `sides`. */
  once(sides: number): boolean {
    return this.below(sides) === 0
  }
  pick<A>(items: ReadonlyArray<A>): A {
    return items[this.below(items.length)]!
  }
  many<A>(most: number, make: () => A): ReadonlyArray<A> {
    return Array.from({ length: this.below(most + 1) }, make)
  }
}
