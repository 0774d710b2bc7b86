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

interface Lane {
  /** Messages of the key that are not over yet. */
  count: number
  head: Slot | undefined
  tail: Slot | undefined
}
interface Slot {
  start: (() => void) | undefined
  voided: boolean
  next: Slot | undefined
}

export class ChatQueue {
  private readonly lanes = new Map<string, Lane>()
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
    const lane = this.lanes.get(key) ?? { count: 0, head: undefined, tail: undefined }
    if (lane.count === 0) this.lanes.set(key, lane)
    const slot: Slot = { start: undefined, voided: false, next: undefined }
    lane.count++
    this.waiting++
    if (lane.tail === undefined) lane.head = slot
    else lane.tail.next = slot
    lane.tail = slot
    return {
      ready: (start) => {
        slot.start = start
        advance(lane)
      },
      void: () => {
        if (slot.voided) return
        slot.voided = true
        this.over(key)
        advance(lane)
      }
    }
  }
  /** A started message is over. */
  over(key: string): void {
    const lane = this.lanes.get(key)
    if (lane === undefined) return
    this.waiting--
    if (--lane.count === 0) this.lanes.delete(key)
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
