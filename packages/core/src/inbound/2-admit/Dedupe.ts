/**
 * Inbound dedupe (A4): an LRU of chat + id + a hash of the body (R15).
 *
 * D1 an identical event is let through once; the same id with another body (an edit) passes.
 * D2 an event without an id is never a duplicate.
 * D3 a claim that came to nothing is released: the transport's retry is processed.
 * D4 a duplicate of an event still in admission waits for its outcome (R15).
 */
import { AgedMap } from "../../model/AgedMap.ts"
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
  admitting = true
  /** It was not pushed out, and nobody else has claimed the key. */
  stands = true
  /** Those who wait for the outcome of the admission, if any do. */
  waiters: Array<(admitted: boolean) => void> | undefined = undefined
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
  private readonly marks = new AgedMap<Mark>()
  private readonly options: DedupeOptions
  constructor(options: DedupeOptions) {
    this.options = options
  }

  readonly claim = (event: MessageEvent, now: number): Claim => {
    const key = dedupeKey(event)
    if (key === "") return unmarked
    const known = this.marks.get(key)
    if (known !== undefined) {
      if (known.admitting) return { _tag: "admitting", outcome: (tell) => void (known.waiters ??= []).push(tell) }
      if (this.options.ttl === undefined || now - known.at < this.options.ttl) {
        // Used again: it goes last, but lives no longer for it.
        this.marks.set(key, known)
        return duplicate
      }
      this.remove(known)
    }
    const mark = new Mark(key, now)
    this.marks.add(key, mark)
    if (this.marks.size > this.options.size) this.evict()
    return { _tag: "claimed", mark }
  }

  /** The claim became a message of ours. */
  readonly confirm = (claimed: DedupeMark | undefined): void => {
    if (claimed instanceof Mark && claimed.stands) settle(claimed, true)
  }

  /** D3. Safe to repeat. */
  readonly release = (claimed: DedupeMark | undefined): void => {
    if (!(claimed instanceof Mark) || !claimed.stands) return
    this.remove(claimed)
    settle(claimed, false)
  }

  private remove(mark: Mark): void {
    mark.stands = false
    this.marks.delete(mark.key)
  }

  /** The oldest goes first; one still in admission stays, or its duplicates would wait for ever. */
  private evict(): void {
    let aged = this.marks.oldest
    while (aged?.value.admitting === true) aged = aged.newer
    if (aged !== undefined) this.remove(aged.value)
  }
}

const settle = (mark: Mark, admitted: boolean): void => {
  const { waiters } = mark
  mark.admitting = false
  mark.waiters = undefined
  if (waiters !== undefined) for (const tell of waiters) tell(admitted)
}
