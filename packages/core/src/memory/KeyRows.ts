/**
 * What a bot's durability keeps of each key: its fence, its open records and its unfinished sends. A key with neither is
 * bare, and may go once its fence has stood an hour (R5).
 */
import { readCursor, writeCursor } from "../spi/durability/Cursor.ts"
import type { InboxRow, SendRow } from "../spi/DurabilityDriver.ts"
import { fenceTtl } from "../spi/StoreDriver.ts"
import { CappedRows } from "./CappedRows.ts"

export type Writable<Row> = { -readonly [Field in keyof Row]: Row[Field] }

export class KeyRow {
  fence = 0
  /** ms since the epoch: when its fence was written last. */
  touched = 0
  /** The last number given to a record, and to a send. */
  record = 0
  send = 0
  /** The fence under which a record was taken last: it has had its one (R4). */
  spent = 0
  readonly open: Array<Writable<InboxRow>> = []
  readonly lane: Array<Writable<SendRow>> = []

  get isBare(): boolean {
    return this.open.length === 0 && this.lane.length === 0
  }
}

export class KeyRows {
  private readonly held: CappedRows<KeyRow>
  /** Those that are not bare. */
  private readonly busy = new Map<string, KeyRow>()

  constructor(cap: number) {
    this.held = new CappedRows(cap, (row, now) => row.isBare && row.touched + fenceTtl <= now)
  }

  get(key: string): KeyRow | undefined {
    return this.held.rows.get(key)
  }

  /** The row of a key, made when there is none; undefined when there is no room. */
  take(key: string, now: number): KeyRow | undefined {
    const found = this.held.rows.get(key)
    if (found !== undefined) {
      // Nobody is left whom its fence would refuse.
      if (found.isBare && found.touched + fenceTtl <= now) found.fence = 0
      return found
    }
    const row = new KeyRow()
    return this.held.set(key, row, now) ? row : undefined
  }

  /** False, and nothing changed, when a higher fence stands. */
  raise(row: KeyRow, fence: number, now: number): boolean {
    if (row.fence > fence) return false
    row.fence = fence
    row.touched = now
    return true
  }

  /** Tells that a row may have become bare, or is so no more. */
  changed(key: string, row: KeyRow): void {
    if (row.isBare) this.busy.delete(key)
    else this.busy.set(key, row)
  }

  /** Busy keys above `after`, in order. */
  *after(after: string | undefined): Iterable<readonly [string, KeyRow]> {
    const keys = [...this.busy.keys()].filter((key) => after === undefined || key > after).sort()
    for (const key of keys) {
      const row = this.busy.get(key)
      if (row !== undefined) yield [key, row]
    }
  }
}

interface Numbered {
  readonly number: number
}

/** A page of rows by number, then by key; the cursor is the last one's. */
export const pageByNumber = <Row extends Numbered>(
  rows: Iterable<Row>,
  keyOf: (row: Row) => string,
  limit: number,
  after: string | undefined
): { readonly items: ReadonlyArray<Row>; readonly next?: string } => {
  const { key, number } = readCursor(after)
  const isAfter = (row: Row) => row.number > number || (row.number === number && keyOf(row) > key)
  const sorted = [...rows]
    .filter(isAfter)
    .sort((a, b) => a.number - b.number || (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0))
  const items = sorted.slice(0, limit).map((row) => ({ ...row }))
  const last = items.at(-1)
  return sorted.length > limit && last !== undefined
    ? { items, next: writeCursor({ number: last.number, key: keyOf(last) }) }
    : { items }
}
