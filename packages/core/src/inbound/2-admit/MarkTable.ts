/**
 * The marks of dedupe: a hash table of its own, because every message looks one up that is not there, adds it and drops
 * another, and building a text for a Map to do so would cost more than all of that.
 */
import type { DedupeMark } from "../InboundPort.ts"

/** Two hashes of 32 bits over chat, id and text. */
const mix = (mark: Mark, text: string): void => {
  let { a, b } = mark
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    a = Math.imul(a ^ unit, 2654435761)
    b = Math.imul(b ^ unit, 1597334677)
  }
  // Where a text ends counts too.
  mark.a = Math.imul(a ^ (a >>> 15) ^ text.length, 2246822507)
  mark.b = Math.imul(b ^ (b >>> 13), 3266489909)
}

/** Stands for one event: its chat and id as they are, its text as a hash. */
export class Mark implements DedupeMark {
  a = 0x5eadbeef | 0
  b = 0x41c6ce57
  admitting = true
  /** It was not pushed out. */
  stands = false
  /** Those who wait for the outcome of the admission, if any do. */
  private waiters: Array<(admitted: boolean) => void> | undefined = undefined
  private admitted = false
  older: Mark | undefined = undefined
  newer: Mark | undefined = undefined
  /** The next of the same bucket. */
  next: Mark | undefined = undefined
  readonly chat: string
  readonly id: string
  /** ms since the epoch. */
  readonly at: number

  /** @param chat "" for an event whose id is unique without it */
  constructor(chat: string, id: string, text: string, at: number) {
    this.chat = chat
    this.id = id
    this.at = at
    mix(this, chat)
    mix(this, id)
    mix(this, text)
  }
  settle(admitted: boolean): void {
    const { waiters } = this
    this.admitting = false
    this.admitted = admitted
    this.waiters = undefined
    if (waiters !== undefined) for (const tell of waiters) tell(admitted)
  }
  /** Who asks late, when the admission has ended since, is told at once. */
  outcome(tell: (admitted: boolean) => void): void {
    if (this.admitting) (this.waiters ??= []).push(tell)
    else tell(this.admitted)
  }
  /** Names it among the events of one key. */
  get name(): string {
    return `${this.id}/${(this.a >>> 0).toString(36)}${(this.b >>> 0).toString(36)}`
  }
  equals(that: Mark): boolean {
    return this.a === that.a && this.b === that.b && this.id === that.id && this.chat === that.chat
  }
}

export class MarkTable {
  size = 0
  oldest: Mark | undefined = undefined
  private newest: Mark | undefined = undefined
  /** Mostly empty ones, so that a look-up seldom goes to a mark that is not the one. */
  private buckets: Array<Mark | undefined> = emptyBuckets(1024)

  /** The mark that stands for the same event. */
  find(like: Mark): Mark | undefined {
    let mark = this.buckets[like.a & (this.buckets.length - 1)]
    while (mark !== undefined && !mark.equals(like)) mark = mark.next
    return mark
  }
  /** Adds a mark, of which none that is equal stands, as the newest. */
  add(mark: Mark): void {
    if (4 * this.size >= this.buckets.length) this.grow()
    this.size++
    mark.stands = true
    this.place(mark)
    this.link(mark)
  }
  remove(mark: Mark): void {
    this.size--
    mark.stands = false
    this.unlink(mark)
    const bucket = mark.a & (this.buckets.length - 1)
    let before = this.buckets[bucket]
    if (before === mark) this.buckets[bucket] = mark.next
    else {
      while (before !== undefined && before.next !== mark) before = before.next
      if (before !== undefined) before.next = mark.next
    }
    mark.next = undefined
  }
  /** Makes it the newest. */
  refresh(mark: Mark): void {
    this.unlink(mark)
    this.link(mark)
  }

  private place(mark: Mark): void {
    const bucket = mark.a & (this.buckets.length - 1)
    mark.next = this.buckets[bucket]
    this.buckets[bucket] = mark
  }
  private grow(): void {
    this.buckets = emptyBuckets(this.buckets.length * 2)
    for (let mark = this.oldest; mark !== undefined; mark = mark.newer) this.place(mark)
  }
  private link(mark: Mark): void {
    mark.older = this.newest
    mark.newer = undefined
    if (this.newest === undefined) this.oldest = mark
    else this.newest.newer = mark
    this.newest = mark
  }
  private unlink(mark: Mark): void {
    if (mark.older === undefined) this.oldest = mark.newer
    else mark.older.newer = mark.newer
    if (mark.newer === undefined) this.newest = mark.older
    else mark.newer.older = mark.older
    // A mark that went must not hold those that came after it.
    mark.older = undefined
    mark.newer = undefined
  }
}

const emptyBuckets = (count: number): Array<Mark | undefined> => Array.from({ length: count }, () => undefined)
