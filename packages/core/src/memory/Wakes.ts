import type { DueKey } from "../spi/Store.ts"

/**
 * The times at which rows want to be woken, earliest first: a binary heap. A row that moved leaves its old entry behind;
 * it is dropped when it comes up, or by a rebuild once such entries are the greater part.
 */
export class Wakes {
  private heap: Array<DueKey> = []

  get size(): number {
    return this.heap.length
  }

  add(key: string, wakeAt: number): void {
    const { heap } = this
    let at = heap.length
    const entry = { key, wakeAt }
    heap.push(entry)
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = heap[parent]
      if (above === undefined || above.wakeAt <= wakeAt) break
      heap[at] = above
      at = parent
    }
    heap[at] = entry
  }

  /** The first `limit` entries at or before `before` that still hold; the ones that do not are dropped on the way. */
  due(before: number, limit: number, holds: (entry: DueKey) => boolean): ReadonlyArray<DueKey> {
    const found: Array<DueKey> = []
    const seen = new Set<string>()
    for (let first = this.heap[0]; first !== undefined && first.wakeAt <= before; first = this.heap[0]) {
      if (found.length === limit) break
      this.pop()
      if (seen.has(first.key) || !holds(first)) continue
      seen.add(first.key)
      found.push(first)
    }
    for (const entry of found) this.add(entry.key, entry.wakeAt)
    return found
  }

  /** Replaces all entries. */
  rebuild(entries: Iterable<DueKey>): void {
    this.heap = [...entries].sort((a, b) => a.wakeAt - b.wakeAt)
  }

  private pop(): void {
    const { heap } = this
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      const right = left + 1
      const leftEntry = heap[left]
      if (leftEntry === undefined) break
      const rightEntry = heap[right]
      const smaller = rightEntry !== undefined && rightEntry.wakeAt < leftEntry.wakeAt ? right : left
      const entry = smaller === right && rightEntry !== undefined ? rightEntry : leftEntry
      if (entry.wakeAt >= last.wakeAt) break
      heap[at] = entry
      at = smaller
    }
    heap[at] = last
  }
}
