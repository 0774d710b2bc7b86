/**
 * The order of one key inside this process (A8): tickets are taken in arrival order, even if the admission of a later
 * message ends first.
 *
 * Q1 `start` of a message runs once all that arrived before it have started or were dropped.
 * Q2 bounded: so many waiting a key, so many in the process (I23).
 */
import type { Lane, Place } from "../InboundPort.ts"

export interface QueueLimits {
  readonly perKey: number
  readonly total: number
}

/** So many lanes that nobody is in are kept, the names of their keys with them; then all such lanes are dropped at once. */
const emptyKept = 10_000

class Row implements Lane {
  /** Events of the key that are not over yet. */
  count = 0
  head: Slot | undefined = undefined
  tail: Slot | undefined = undefined
  readonly key: string
  readonly ticket: string
  private readonly queue: ChatQueue
  constructor(queue: ChatQueue, key: string, ticket: string) {
    this.queue = queue
    this.key = key
    this.ticket = ticket
  }
  isFull(): boolean {
    const { limits, waiting } = this.queue
    return waiting >= limits.total || this.count >= limits.perKey
  }
  arrive(): Place {
    const slot = new Slot(this)
    this.count++
    this.queue.waiting++
    if (this.tail === undefined) this.head = slot
    else this.tail.next = slot
    this.tail = slot
    return slot
  }
  over(): void {
    this.count--
    this.queue.waiting--
  }
  /** Q1. */
  advance(): void {
    for (;;) {
      const slot = this.head
      if (slot === undefined || (slot.start === undefined && !slot.voided)) return
      this.head = slot.next
      if (this.head === undefined) this.tail = undefined
      if (!slot.voided) slot.start?.()
    }
  }
}

class Slot implements Place {
  start: (() => void) | undefined = undefined
  voided = false
  next: Slot | undefined = undefined
  private readonly row: Row
  constructor(row: Row) {
    this.row = row
  }
  ready(start: () => void): void {
    this.start = start
    this.row.advance()
  }
  void(): void {
    if (this.voided) return
    this.voided = true
    this.row.over()
    this.row.advance()
  }
}

export class ChatQueue {
  private rows = new Map<string, Row>()
  readonly limits: QueueLimits
  private readonly scope: string
  /** Events of all keys that are not over yet. */
  waiting = 0

  /** @param scope prefix of coordinator keys: tenant and bot (R21) */
  constructor(limits: QueueLimits, scope: string) {
    this.limits = limits
    this.scope = scope
  }
  lane(key: string): Lane {
    const known = this.rows.get(key)
    if (known !== undefined) return known
    if (this.rows.size >= emptyKept + this.waiting) this.sweep()
    const row = new Row(this, key, `${this.scope}/${key}`)
    this.rows.set(key, row)
    return row
  }
  private sweep(): void {
    const used = new Map<string, Row>()
    for (const [key, row] of this.rows) if (row.count > 0) used.set(key, row)
    this.rows = used
  }
}
