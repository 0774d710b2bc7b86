/** How many rows an insert looks at to drop the ones that are gone: more than one, so that the dead never pile up. */
const swept = 2
/** How many it looks at when there is no room: bounded, so that a full store stays quick to say no. */
const sweptWhenFull = 1_024

/**
 * Rows by key, at most `cap` of them. Nothing is evicted: rows that are gone by time are dropped a few at a time as others
 * come, and with no room left an insert is refused (I23).
 */
export class CappedRows<Row> {
  readonly rows = new Map<string, Row>()
  readonly cap: number
  private readonly gone: (row: Row, now: number) => boolean
  private hand: Iterator<[string, Row]> | undefined = undefined

  constructor(cap: number, gone: (row: Row, now: number) => boolean) {
    this.cap = cap
    this.gone = gone
  }

  /** Sets a row; false when it is a new one and there is no room. */
  set(key: string, row: Row, now: number): boolean {
    if (!this.rows.has(key) && !this.hasRoom(now)) return false
    this.rows.set(key, row)
    return true
  }

  /** Whether one more row may be set; drops some that are gone. */
  hasRoom(now: number): boolean {
    this.sweep(swept, now)
    if (this.rows.size >= this.cap) this.sweep(sweptWhenFull, now)
    return this.rows.size < this.cap
  }

  private sweep(steps: number, now: number): void {
    for (let step = 0; step < steps; step++) {
      this.hand ??= this.rows.entries()
      const next = this.hand.next()
      if (next.done === true) {
        this.hand = undefined
        return
      }
      if (this.gone(next.value[1], now)) this.rows.delete(next.value[0])
    }
  }
}
