/** The newest entries of what a double saw: a long test does not fill the heap (I23). */
export class BoundedLog<A> {
  private items: Array<A> = []
  private readonly capacity: number
  /** @param capacity how many entries are kept at least; twice as many at most */
  constructor(capacity: number) {
    this.capacity = capacity
  }
  add(item: A): void {
    this.items.push(item)
    if (this.items.length >= 2 * this.capacity + 1) this.items = this.items.slice(this.items.length - this.capacity)
  }
  /** The newest `capacity` entries, oldest first. */
  all(): ReadonlyArray<A> {
    return this.capacity === 0 ? [] : this.items.slice(-this.capacity)
  }
  clear(): void {
    this.items = []
  }
}
