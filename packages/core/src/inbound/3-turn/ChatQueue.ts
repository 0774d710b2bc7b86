/**
 * The order of one key inside this process (A8): tickets are taken in arrival order, even if the admission of a later
 * message ends first.
 *
 * Q1 `start` of a message runs once all that arrived before it have started or were dropped.
 * Q2 bounded: so many waiting a key, so many in the process (I23).
 */
import type { Place } from "../InboundPort.ts"

export interface QueueLimits {
  readonly perKey: number
  readonly total: number
}

/** So many lanes that nobody is in any more are kept, and then all dropped at once: a map that only ever holds one or two would be
 * rebuilt with every message. */
const emptyKept = 1024

interface Lane {
  readonly key: string
  /** Messages of the key that are not over yet. */
  count: number
  head: Slot | undefined
  tail: Slot | undefined
}

class Slot implements Place {
  start: (() => void) | undefined = undefined
  voided = false
  next: Slot | undefined = undefined
  private readonly queue: ChatQueue
  private readonly lane: Lane
  constructor(queue: ChatQueue, lane: Lane) {
    this.queue = queue
    this.lane = lane
  }
  ready(start: () => void): void {
    this.start = start
    advance(this.lane)
  }
  void(): void {
    if (this.voided) return
    this.voided = true
    this.queue.over(this.lane.key)
    advance(this.lane)
  }
}

export class ChatQueue {
  private lanes = new Map<string, Lane>()
  private readonly limits: QueueLimits
  waiting = 0

  constructor(limits: QueueLimits) {
    this.limits = limits
  }
  isFull(key: string): boolean {
    return this.waiting >= this.limits.total || this.countOf(key) >= this.limits.perKey
  }
  countOf(key: string): number {
    return this.lanes.get(key)?.count ?? 0
  }
  arrive(key: string): Place {
    let lane = this.lanes.get(key)
    if (lane === undefined) {
      lane = { key, count: 0, head: undefined, tail: undefined }
      this.lanes.set(key, lane)
    }
    const slot = new Slot(this, lane)
    lane.count++
    this.waiting++
    if (lane.tail === undefined) lane.head = slot
    else lane.tail.next = slot
    lane.tail = slot
    return slot
  }
  /** A started message is over. */
  over(key: string): void {
    const lane = this.lanes.get(key)
    if (lane === undefined) return
    this.waiting--
    lane.count--
    if (this.lanes.size > emptyKept + this.waiting) this.sweep()
  }
  private sweep(): void {
    const used = new Map<string, Lane>()
    for (const [key, lane] of this.lanes) if (lane.count > 0) used.set(key, lane)
    this.lanes = used
  }
}

/** Q1. */
const advance = (lane: Lane): void => {
  for (;;) {
    const slot = lane.head
    if (slot === undefined || (slot.start === undefined && !slot.voided)) return
    lane.head = slot.next
    if (lane.head === undefined) lane.tail = undefined
    if (!slot.voided) slot.start?.()
  }
}
