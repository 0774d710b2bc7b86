/**
 * Inbound dedupe (A4): an LRU of chat + id + a hash of the body (R15).
 *
 * D1 an identical event is let through once; the same id with another body (an edit) passes.
 * D2 an event without an id is never a duplicate.
 * D3 a claim that came to nothing is released: the transport's retry is processed.
 * D4 a duplicate of an event still in admission waits for its outcome (R15).
 * D5 where replicas share the coordinator the event is claimed of all of them, with its ticket (R15).
 */
import type { MessageEvent } from "../../model/Event.ts"
import type { Claim as SharedClaim } from "../../spi/Coordinator.ts"
import type { Claim, DedupeMark } from "../InboundPort.ts"
import { Mark, MarkTable } from "./MarkTable.ts"

export interface DedupeOptions {
  readonly size: number
  /** ms from first acceptance; `undefined` keeps a mark until it is pushed out. */
  readonly ttl: number | undefined
}

const unmarked: Claim = { _tag: "claimed", mark: undefined }
const duplicate: Claim = { _tag: "duplicate" }

/** What stands for an event; undefined when it has no id. The text itself is not kept. */
const markOf = (event: MessageEvent, now: number): Mark | undefined => {
  if (event._tag === "interaction") {
    return event.interactionId === "" ? undefined : new Mark("", event.interactionId, "", now)
  }
  if (event.ref.id === "") return undefined
  const { body, location } = event
  // A live location moves as edits without a text.
  const text = location === undefined ? body : `${body}\u0000${location.latitude},${location.longitude}`
  return new Mark(event.from, event.ref.id, text, now)
}

/** How long a claim of all replicas stands where no ttl is set, ms: beyond most retries of a webhook. */
export const claimTtl = 60 * 60 * 1000

export class Dedupe {
  private readonly marks = new MarkTable()
  private readonly options: DedupeOptions
  constructor(options: DedupeOptions) {
    this.options = options
  }

  readonly claim = (event: MessageEvent, now: number): Claim => {
    const mark = markOf(event, now)
    if (mark === undefined) return unmarked
    const known = this.marks.find(mark)
    if (known !== undefined) {
      if (known.admitting) return { _tag: "admitting", outcome: (tell) => known.outcome(tell) }
      if (this.options.ttl === undefined || now - known.at < this.options.ttl) {
        // Used again: it goes last, but lives no longer for it.
        this.marks.refresh(known)
        return duplicate
      }
      this.marks.remove(known)
    }
    this.marks.add(mark)
    if (this.marks.size > this.options.size) this.evict()
    return { _tag: "claimed", mark }
  }

  /** The claim became a message of ours. */
  readonly confirm = (claimed: DedupeMark | undefined): void => {
    if (claimed instanceof Mark && claimed.stands) claimed.settle(true)
  }

  /** D5. */
  readonly shared = (claimed: DedupeMark | undefined): SharedClaim | undefined =>
    claimed instanceof Mark ? { key: claimed.name, ttl: this.options.ttl ?? claimTtl } : undefined

  /** D3. Safe to repeat. */
  readonly release = (claimed: DedupeMark | undefined): void => {
    if (!(claimed instanceof Mark) || !claimed.stands) return
    this.marks.remove(claimed)
    claimed.settle(false)
  }

  /** The oldest goes first; one still in admission stays, or its duplicates would wait for ever. */
  private evict(): void {
    let mark = this.marks.oldest
    while (mark?.admitting === true) mark = mark.newer
    if (mark !== undefined) this.marks.remove(mark)
  }
}
