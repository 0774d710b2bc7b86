/**
 * Inbound dedupe (A4): an LRU of chat + id, with a hash of the body.
 *
 * D1 an identical event is let through once; the same id with another body (an edit) passes.
 * D2 an event without an id is never a duplicate.
 * D3 a claim that came to nothing is released: the transport's retry is processed.
 * D4 a duplicate of an event still in admission waits for its outcome (R15).
 */
import { eventId, type InboundEvent, type MessageEvent } from "../../model/Event.ts"
import { hashText } from "../../model/Hash.ts"

export interface DedupeOptions {
  readonly size: number
  /** ms from first acceptance; `undefined` keeps a mark until it is pushed out. */
  readonly ttl: number | undefined
}

interface Mark {
  readonly body: string
  readonly at: number
  /** While the event is being admitted: those who wait for the outcome. */
  waiters: Array<(admitted: boolean) => void> | undefined
}

export type Claim =
  | { readonly _tag: "claimed"; readonly key: string }
  | { readonly _tag: "duplicate" }
  | { readonly _tag: "admitting"; readonly outcome: (tell: (admitted: boolean) => void) => void }

export const dedupeKey = (event: InboundEvent): string => {
  const id = eventId(event)
  return id === "" ? "" : `${event.from}\u0000${id}`
}
const bodyMark = (event: MessageEvent): string =>
  event._tag === "interaction" ? hashText(event.payload) : hashText(event.body)

export class Dedupe {
  private readonly marks = new Map<string, Mark>()
  private readonly options: DedupeOptions
  constructor(options: DedupeOptions) {
    this.options = options
  }

  claim(event: MessageEvent, now: number): Claim {
    const key = dedupeKey(event)
    if (key === "") return { _tag: "claimed", key }
    const body = bodyMark(event)
    const mark = this.marks.get(key)
    if (mark !== undefined) {
      const alive = this.options.ttl === undefined || now - mark.at < this.options.ttl
      if (alive && mark.body === body) {
        const { waiters } = mark
        return waiters === undefined
          ? { _tag: "duplicate" }
          : { _tag: "admitting", outcome: (tell) => void waiters.push(tell) }
      }
      this.marks.delete(key)
    }
    this.marks.set(key, { body, at: now, waiters: [] })
    if (this.marks.size > this.options.size) this.evict()
    return { _tag: "claimed", key }
  }
  /** The claim became a message of ours. */
  confirm(key: string): void {
    const mark = this.marks.get(key)
    if (mark?.waiters === undefined) return
    const { waiters } = mark
    mark.waiters = undefined
    for (const tell of waiters) tell(true)
  }
  /** D3. Safe to repeat. */
  release(key: string): void {
    const mark = this.marks.get(key)
    if (mark === undefined) return
    this.marks.delete(key)
    for (const tell of mark.waiters ?? []) tell(false)
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
