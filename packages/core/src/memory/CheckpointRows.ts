import type { DueKey, Page } from "../spi/Store.ts"
import { type CheckpointRow, fenceTtl } from "../spi/StoreDriver.ts"
import { CappedRows } from "./CappedRows.ts"
import { Wakes } from "./Wakes.ts"

/** What a compare-and-set came to; `full` refused a new key for want of room. */
export type Put = "accepted" | "refused" | "full"

const isExpired = (row: CheckpointRow, now: number): boolean => row.expires !== null && row.expires <= now
/** Expired for so long that its fence is gone too: as if it had never been. */
const isGone = (row: CheckpointRow, now: number): boolean => row.expires !== null && row.expires + fenceTtl <= now
const isLive = (row: CheckpointRow, now: number): boolean => row.data !== null && !isExpired(row, now)

/** Checkpoints, tombstones and bare fences of one bot, one row a key. */
export class CheckpointRows {
  private readonly held: CappedRows<CheckpointRow>
  private readonly wakes = new Wakes()
  /** Keys in order, as the last listing found them; undefined once a new key came. */
  private sorted: ReadonlyArray<string> | undefined = undefined

  constructor(cap: number) {
    this.held = new CappedRows(cap, isGone)
  }

  get(key: string): CheckpointRow | undefined {
    return this.held.rows.get(key)
  }

  /** ST1 to ST5, in one synchronous step: nothing can come between the compare and the write. */
  put(key: string, next: CheckpointRow, now: number): Put {
    const stands = this.held.rows.get(key)
    const starts = next.revision === 1 && next.data !== null
    if (stands === undefined || isGone(stands, now)) return starts ? this.write(key, next, stands, now) : "refused"
    if (stands.fence > next.fence) return "refused"
    if (isExpired(stands, now)) return starts ? this.write(key, next, stands, now) : "refused"
    if (stands.id !== next.id) {
      return starts && stands.data === null ? this.write(key, next, stands, now) : "refused"
    }
    if (stands.revision === next.revision) return isSame(stands, next) ? "accepted" : "refused"
    return stands.data !== null && stands.revision === next.revision - 1
      ? this.write(key, next, stands, now)
      : "refused"
  }

  /** The fence that stands from now on. */
  raise(key: string, fence: number, now: number): number | "full" {
    const stands = this.held.rows.get(key)
    if (stands !== undefined && !isExpired(stands, now)) {
      if (stands.fence < fence) this.held.rows.set(key, { ...stands, fence })
      return Math.max(stands.fence, fence)
    }
    const highest = stands === undefined || isGone(stands, now) ? fence : Math.max(stands.fence, fence)
    return this.write(key, { ...bare, fence: highest, expires: now }, stands, now) === "full" ? "full" : highest
  }

  page(
    limit: number,
    after: string | undefined,
    now: number
  ): Page<{ readonly key: string; readonly row: CheckpointRow }> {
    this.sorted ??= [...this.held.rows.keys()].sort()
    const keys = this.sorted
    const items: Array<{ readonly key: string; readonly row: CheckpointRow }> = []
    for (let at = after === undefined ? 0 : above(keys, after); at < keys.length; at++) {
      const key = keys[at]
      const row = key === undefined ? undefined : this.held.rows.get(key)
      if (key === undefined || row === undefined || !isLive(row, now)) continue
      if (items.length === limit) return { items, next: items.at(-1)?.key ?? "" }
      items.push({ key, row })
    }
    return { items }
  }

  due(before: number, limit: number, now: number): ReadonlyArray<DueKey> {
    return this.wakes.due(before, limit, ({ key, wakeAt }) => {
      const row = this.held.rows.get(key)
      return row !== undefined && row.wakeAt === wakeAt && isLive(row, now)
    })
  }

  private write(key: string, next: CheckpointRow, stands: CheckpointRow | undefined, now: number): Put {
    if (stands === undefined) {
      if (!this.held.hasRoom(now)) return "full"
      this.sorted = undefined
    }
    this.held.rows.set(key, next)
    if (next.wakeAt === null) return "accepted"
    // An entry for the same time still lies in the heap, unless `due` met it while the old row was expired.
    if (stands === undefined || stands.wakeAt !== next.wakeAt || isExpired(stands, now)) {
      if (this.wakes.size > 2 * this.held.rows.size) this.wakes.rebuild(this.waking())
      else this.wakes.add(key, next.wakeAt)
    }
    return "accepted"
  }

  private *waking(): Iterable<DueKey> {
    for (const [key, { wakeAt }] of this.held.rows) if (wakeAt !== null) yield { key, wakeAt }
  }
}

const bare = { id: "", revision: 0, data: null, applied: "[]", wakeAt: null } as const

/** The very write that stands: a repeat after a lost reply (ST3). */
const isSame = (stands: CheckpointRow, next: CheckpointRow): boolean =>
  stands.fence === next.fence && stands.data === next.data && stands.applied === next.applied

/** The position of the first key above `after`. */
const above = (keys: ReadonlyArray<string>, after: string): number => {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >> 1
    const key = keys[middle]
    if (key !== undefined && key <= after) low = middle + 1
    else high = middle
  }
  return low
}
