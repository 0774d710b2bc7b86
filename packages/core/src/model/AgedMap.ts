/**
 * A map that finds its oldest entry at once. A plain Map keeps the order too, but where old entries go as new ones come
 * its iterator walks over the holes they left, and an eviction costs as much as the map is large.
 */
export interface Aged<V> {
  readonly key: string
  readonly value: V
  readonly older: Aged<V> | undefined
  readonly newer: Aged<V> | undefined
}

interface Entry<V> extends Aged<V> {
  value: V
  older: Entry<V> | undefined
  newer: Entry<V> | undefined
}

export class AgedMap<V> {
  private readonly entries = new Map<string, Entry<V>>()
  private first: Entry<V> | undefined = undefined
  private last: Entry<V> | undefined = undefined

  get size(): number {
    return this.entries.size
  }
  /** The entry that was set longest ago; `newer` leads on from it. */
  get oldest(): Aged<V> | undefined {
    return this.first
  }
  get(key: string): V | undefined {
    return this.entries.get(key)?.value
  }
  /** Sets the entry and makes it the newest. */
  set(key: string, value: V): void {
    const known = this.entries.get(key)
    if (known === undefined) return this.add(key, value)
    known.value = value
    if (known === this.last) return
    this.unlink(known)
    this.link(known)
  }
  /** Sets an entry whose key is known not to be there. */
  add(key: string, value: V): void {
    const entry: Entry<V> = { key, value, older: undefined, newer: undefined }
    this.entries.set(key, entry)
    this.link(entry)
  }
  /** Safe to repeat. */
  delete(key: string): void {
    const entry = this.entries.get(key)
    if (entry === undefined) return
    this.entries.delete(key)
    this.unlink(entry)
  }
  keys(): IterableIterator<string> {
    return this.entries.keys()
  }

  private link(entry: Entry<V>): void {
    entry.older = this.last
    entry.newer = undefined
    if (this.last === undefined) this.first = entry
    else this.last.newer = entry
    this.last = entry
  }
  private unlink(entry: Entry<V>): void {
    if (entry.older === undefined) this.first = entry.newer
    else entry.older.newer = entry.newer
    if (entry.newer === undefined) this.last = entry.older
    else entry.newer.older = entry.older
    // An entry that went must not hold those that came after it.
    entry.older = undefined
    entry.newer = undefined
  }
}
