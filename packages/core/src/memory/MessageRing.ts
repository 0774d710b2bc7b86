import type { MessageRow, Page } from "../spi/Store.ts"

/**
 * The newest messages of one chat. A ring and a row of hashes beside it: a map per chat would cost several times as much
 * once it drops its oldest for each new one.
 */
export class MessageRing {
  private rows: Array<MessageRow> = []
  private hashes: Array<number> = []
  /** Where the oldest lies; above 0 only when the ring is full. */
  private start = 0
  /** How many were ever dropped: a row's number, and so a cursor, stays the same while others come and go. */
  private dropped = 0

  get size(): number {
    return this.rows.length
  }

  /** Adds a message as the newest: 1 when there is one more now, 0 when it took the oldest's place or was known. */
  add(message: MessageRow, cap: number): 0 | 1 {
    const hash = hashOf(message.id)
    // Without an id of its own a message is never taken for another one (A4).
    if (message.id !== "" && this.has(message.id, hash)) return 0
    if (this.rows.length < cap && this.start === 0) {
      this.rows.push(copy(message))
      this.hashes.push(hash)
      return 1
    }
    this.rows[this.start] = copy(message)
    this.hashes[this.start] = hash
    this.start = (this.start + 1) % this.rows.length
    this.dropped++
    return 0
  }

  /** Drops all, or all but the newest; answers how many. */
  clear(keep: 0 | 1): number {
    const newest = keep === 0 ? undefined : this.rows.at(this.start - 1)
    const gone = this.rows.length - (newest === undefined ? 0 : 1)
    this.rows = newest === undefined ? [] : [newest]
    this.hashes = newest === undefined ? [] : [hashOf(newest.id)]
    this.start = 0
    this.dropped += gone
    return gone
  }

  /** Newest first, from the one after the cursor on. */
  page(limit: number, after: string | undefined): Page<MessageRow> {
    const { dropped, rows, start } = this
    const items: Array<MessageRow> = []
    let number = Math.min(after === undefined ? Infinity : Number(after), dropped + rows.length) - 1
    for (; number >= dropped && items.length < limit; number--) {
      const row = rows[(start + number - dropped) % rows.length]
      if (row !== undefined) items.push(row)
    }
    return number >= dropped ? { items, next: String(number + 1) } : { items }
  }

  private has(id: string, hash: number): boolean {
    const { hashes } = this
    for (let at = hashes.length - 1; at >= 0; at--) {
      if (hashes[at] === hash && this.rows[at]?.id === id) return true
    }
    return false
  }
}

const hashOf = (id: string): number => {
  let hash = 0
  for (let at = 0; at < id.length; at++) hash = (Math.imul(hash, 31) + id.charCodeAt(at)) | 0
  return hash
}

/** Exactly the columns: whatever else hangs on the caller's object is not kept alive. */
const copy = (row: MessageRow): MessageRow => ({
  id: row.id,
  chatId: row.chatId,
  sender: row.sender,
  direction: row.direction,
  type: row.type,
  body: row.body,
  at: row.at
})
