/** A row that says whether it was used since the hand last passed. */
export interface Marked {
  used: boolean
}

/**
 * Rows by key that know which was least used, at no cost to a use but setting a mark: a hand goes round, spares a marked
 * row once and stops at the first without a mark.
 */
export class MarkedRows<Row extends Marked> {
  readonly rows = new Map<string, Row>()
  // Kept between calls: a new iterator would walk over the holes that earlier deletions left.
  private hand: Iterator<[string, Row]> | undefined = undefined

  /** The least used row, left in place; undefined when there is none. */
  next(): [string, Row] | undefined {
    if (this.rows.size === 0) return undefined
    for (;;) {
      this.hand ??= this.rows.entries()
      const next = this.hand.next()
      if (next.done === true) {
        this.hand = undefined
        continue
      }
      if (!next.value[1].used) return next.value
      next.value[1].used = false
    }
  }
}
