/**
 * Inbound dedupe (A4): an LRU of chat + id + a hash of the body (R15).
 *
 * D1 an identical event is let through once; the same id with another body (an edit) passes.
 * D2 an event without an id is never a duplicate.
 * D3 a claim that came to nothing is released: the transport's retry is processed.
 * D4 a duplicate of an event still in admission waits for its outcome (R15).
 */
import type { MessageEvent } from "../../model/Event.ts"
import { hashText } from "../../model/Hash.ts"
import type { Claim, DedupeMark } from "../InboundPort.ts"

export interface DedupeOptions {
  readonly size: number
  /** ms from first acceptance; `undefined` keeps a mark until it is pushed out. */
  readonly ttl: number | undefined
}

class Mark implements DedupeMark {
  readonly key: string
  readonly at: number
  /** While the event is being admitted: those who wait for the outcome. */
  waiters: Array<(admitted: boolean) => void> | undefined = []
  constructor(key: string, at: number) {
    this.key = key
    this.at = at
  }
}

const unmarked: Claim = { _tag: "claimed", mark: undefined }
const duplicate: Claim = { _tag: "duplicate" }

/** What stands for an event; "" when it has no id. The text itself is not kept. */
const dedupeKey = (event: MessageEvent): string => {
  if (event._tag === "interaction") return event.interactionId === "" ? "" : `i\u0000${event.interactionId}`
  if (event.ref.id === "") return ""
  const { location } = event
  // A live location moves as edits without a text.
  const place = location === undefined ? "" : `\u0000${location.latitude},${location.longitude}`
  return `m\u0000${event.from}\u0000${event.ref.id}\u0000${hashText(event.body + place)}`
}

export class Dedupe {
  private readonly marks = new Map<string, Mark>()
  private readonly options: DedupeOptions
  constructor(options: DedupeOptions) {
    this.options = options
  }

  readonly claim = (event: MessageEvent, now: number): Claim => {
    const key = dedupeKey(event)
    if (key === "") return unmarked
    const known = this.marks.get(key)
    if (known !== undefined) {
      const { waiters } = known
      if (waiters !== undefined) return { _tag: "admitting", outcome: (tell) => void waiters.push(tell) }
      this.marks.delete(key)
      if (this.options.ttl === undefined || now - known.at < this.options.ttl) {
        // Used again: it goes last, but lives no longer for it.
        this.marks.set(key, known)
        return duplicate
      }
    }
    const mark = new Mark(key, now)
    this.marks.set(key, mark)
    if (this.marks.size > this.options.size) this.evict()
    return { _tag: "claimed", mark }
  }

  /** The claim became a message of ours. */
  readonly confirm = (claimed: DedupeMark | undefined): void => {
    const mark = this.own(claimed)
    if (mark?.waiters === undefined) return
    const { waiters } = mark
    mark.waiters = undefined
    for (const tell of waiters) tell(true)
  }

  /** D3. Safe to repeat. */
  readonly release = (claimed: DedupeMark | undefined): void => {
    const mark = this.own(claimed)
    if (mark === undefined) return
    this.marks.delete(mark.key)
    for (const tell of mark.waiters ?? []) tell(false)
  }

  /** The claim if it still stands: another delivery may have claimed the same key after it was pushed out. */
  private own(claimed: DedupeMark | undefined): Mark | undefined {
    const mark = claimed === undefined ? undefined : this.marks.get(claimed.key)
    return mark === claimed ? mark : undefined
  }

  /** The oldest goes first; one still in admission stays, or its duplicates would wait for ever. */
  private evict(): void {
    for (const [key, mark] of this.marks) {
      if (mark.waiters !== undefined) continue
      this.marks.delete(key)
      return
    }
  }
}
