import type { MessageRow, Page } from "../spi/Store.ts"
import type { MessageLog } from "./MessageLog.ts"

/**
 * The newest messages of one chat: a ring of their numbers in the log, and of hashes of their ids. A map per chat would
 * cost several times as much once it drops its oldest for each new one.
 */
export class MessageRing {
  private room = firstRoom
  /** The hashes of the messages' ids, then their numbers, `room` of each. */
  private cells = new Int32Array(2 * firstRoom)
  private count = 0
  /** Where the oldest lies; above 0 only when the ring is full. */
  private start = 0
  /** How many were ever dropped: a row's number, and so a cursor, stays the same while others come and go. */
  private dropped = 0
  private readonly log: MessageLog

  constructor(log: MessageLog) {
    this.log = log
  }

  get size(): number {
    return this.count
  }

  /** Adds a message as the newest: 1 when there is one more now, 0 when it took the oldest's place or was known. */
  add(message: MessageRow, cap: number): 0 | 1 {
    const hash = hashOf(message.id)
    // Without an id of its own a message is never taken for another one (A4).
    if (message.id !== "" && this.has(message.id, hash)) return 0
    if (this.count < cap && this.start === 0) {
      this.put(this.count++, hash, this.log.add(message))
      return 1
    }
    this.log.set(this.numberAt(this.start), message)
    this.cells[this.start] = hash
    this.start = (this.start + 1) % this.count
    this.dropped++
    return 0
  }

  /** Drops all, or all but the newest; answers how many. */
  clear(keep: 0 | 1): number {
    const kept = Math.min(keep, this.count)
    const gone = this.count - kept
    for (let nth = 0; nth < gone; nth++) this.log.remove(this.numberAt((this.start + nth) % this.count))
    const newest = (this.start + gone) % this.count
    const [hash = 0, number = 0] = kept === 0 ? [] : [this.cells[newest], this.numberAt(newest)]
    this.room = firstRoom
    this.cells = new Int32Array(2 * firstRoom)
    this.count = kept
    this.start = 0
    if (kept === 1) this.put(0, hash, number)
    this.dropped += gone
    return gone
  }

  /** Newest first, from the one after the cursor on. */
  page(chatId: string, limit: number, after: string | undefined): Page<MessageRow> {
    const { count, dropped, start } = this
    const items: Array<MessageRow> = []
    let number = Math.min(after === undefined ? Infinity : Number(after), dropped + count) - 1
    for (; number >= dropped && items.length < limit; number--) {
      items.push(this.log.get(this.numberAt((start + number - dropped) % count), chatId))
    }
    return number >= dropped ? { items, next: String(number + 1) } : { items }
  }

  private put(at: number, hash: number, number: number): void {
    if (at === this.room) this.widen()
    this.cells[at] = hash
    this.cells[this.room + at] = number
  }
  private widen(): void {
    const { cells, room } = this
    this.cells = new Int32Array(4 * room)
    this.cells.set(cells.subarray(0, room))
    this.cells.set(cells.subarray(room), 2 * room)
    this.room = 2 * room
  }
  private numberAt(at: number): number {
    return this.cells[this.room + at] ?? 0
  }
  private has(id: string, hash: number): boolean {
    const { cells } = this
    for (let at = this.count - 1; at >= 0; at--) {
      if (cells[at] === hash && this.log.idOf(this.numberAt(at)) === id) return true
    }
    return false
  }
}

/** Messages a chat has room for at first. */
const firstRoom = 8

const hashOf = (id: string): number => {
  let hash = 0
  for (let at = 0; at < id.length; at++) hash = (Math.imul(hash, 31) + id.charCodeAt(at)) | 0
  return hash
}
