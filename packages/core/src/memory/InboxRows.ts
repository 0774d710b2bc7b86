/** The inbox of one bot, in memory. Every method is synchronous: no other fiber runs between its compare and its write. */
import { markTtl, type Pending } from "../spi/Durability.ts"
import type { ClaimedRow, InboxRow } from "../spi/DurabilityDriver.ts"
import {
  type Claimant,
  crashDetail,
  crashesDead,
  type DueInbox,
  type Listing,
  type ReleaseOptions
} from "../spi/Inbox.ts"
import type { Page } from "../spi/Store.ts"
import { CappedRows } from "./CappedRows.ts"
import { type KeyRow, type KeyRows, pageByNumber, type Writable } from "./KeyRows.ts"

/** Names a message that was recorded. It ends `markTtl` after its record. */
interface Mark {
  readonly id: string
  expires: number | null
}

export interface InboxCaps {
  readonly maxRecords: number
  readonly maxMarks: number
}

const last = Number.MAX_SAFE_INTEGER

export class InboxRows {
  private readonly keys: KeyRows
  private readonly caps: InboxCaps
  /** By key and dedupe key. */
  private readonly marks: CappedRows<Mark>
  /** Of each open or dead record, where its mark is. */
  private readonly marked = new Map<string, string>()
  private readonly dead = new Map<string, Writable<InboxRow>>()
  private opened = 0

  constructor(keys: KeyRows, caps: InboxCaps) {
    this.keys = keys
    this.caps = caps
    this.marks = new CappedRows(caps.maxMarks, ({ expires }, now) => expires !== null && expires <= now)
  }

  record(
    key: string,
    { dedupe, event, id }: { readonly id: string; readonly dedupe: string; readonly event: string },
    now: number
  ): { readonly isNew: boolean; readonly id: string } | "full" {
    const repeat = this.keys.get(key)?.open.some((row) => row.id === id) === true
    if (repeat) return { isNew: true, id }
    const place = `${key}\u0000${dedupe}`
    const known = dedupe === "" ? undefined : this.marks.rows.get(place)
    if (known !== undefined && (known.expires === null || known.expires > now)) return { isNew: false, id: known.id }
    if (this.opened + this.dead.size >= this.caps.maxRecords) return "full"
    const row = this.keys.take(key, now)
    if (row === undefined) return "full"
    if (dedupe !== "") {
      if (!this.marks.set(place, { id, expires: null }, now)) return "full"
      this.marked.set(id, place)
    }
    row.record = Math.max(row.record + 1, Math.ceil(now))
    row.open.push({ ...fresh, id, key, number: row.record, event, recordedAt: now })
    this.opened++
    this.keys.changed(key, row)
    return { isNew: true, id }
  }

  claim(key: string, { fence, owner }: Claimant, now: number): ClaimedRow | "full" {
    const row = this.keys.take(key, now)
    if (row === undefined) return "full"
    if (!this.keys.raise(row, fence, now)) return { _tag: "superseded", fence: row.fence }
    const [oldest] = row.open
    if (oldest?.claimFence === fence) return this.taken(row, oldest)
    if (row.spent === fence) return { _tag: "spent" }
    if (oldest === undefined) return { _tag: "empty" }
    if (oldest.claimFence !== null) {
      // Its owner is gone, unless it is this very one, which lost a turn and has another.
      if (oldest.claimOwner !== owner) oldest.crashes++
      unclaim(oldest)
      if (oldest.crashes >= crashesDead) {
        this.bury(key, row, oldest, "crashes", crashDetail(oldest.crashes), now)
        return { _tag: "buried", row: { ...oldest } }
      }
    }
    if (oldest.due > now) return { _tag: "waiting", until: oldest.due }
    oldest.claimFence = fence
    oldest.claimOwner = owner
    oldest.claimedAt = now
    row.spent = fence
    return this.taken(row, oldest)
  }

  private taken(row: KeyRow, oldest: InboxRow): ClaimedRow {
    return { _tag: "claimed", row: { ...oldest }, left: row.open.length > 1 }
  }

  ack(key: string, id: string, fence: number, now: number): boolean {
    const row = this.keys.get(key)
    if (row === undefined || row.fence > fence) return false
    const found = row.open.find((record) => record.id === id)
    // What this fence took and is no more was acknowledged before: a repeat.
    if (found === undefined) return row.spent === fence && !this.dead.has(id)
    if (found.claimFence !== fence) return false
    this.close(key, row, found)
    this.forget(id, now)
    return true
  }

  release(key: string, id: string, { due, failed, fence }: Required<ReleaseOptions>): boolean {
    const row = this.keys.get(key)
    if (row === undefined || row.fence > fence) return false
    const found = row.open.find((record) => record.id === id)
    if (found === undefined) return false
    // Given back already: a repeat, if nobody has claimed it since.
    if (found.claimFence !== fence) return found.claimFence === null && row.spent === fence
    unclaim(found)
    if (failed) found.attempts++
    found.due = due
    return true
  }

  deadLetter(key: string, id: string, fence: number, reason: string, detail: string, now: number): boolean {
    const row = this.keys.get(key)
    if (row === undefined || row.fence > fence) return false
    const found = row.open.find((record) => record.id === id)
    if (found === undefined) return row.spent === fence && this.dead.has(id)
    if (found.claimFence !== fence) return false
    unclaim(found)
    this.bury(key, row, found, reason, detail, now)
    return true
  }

  due(before: number, limit: number, after: string | undefined): Page<DueInbox> {
    const items: Array<DueInbox> = []
    for (const [key, { open }] of this.keys.after(after)) {
      const [oldest] = open
      if (oldest === undefined || oldest.due > before) continue
      if (items.length === limit) return { items, next: items.at(-1)?.key ?? "" }
      const { claimOwner, due } = oldest
      items.push(claimOwner === null ? { key, due } : { key, due, owner: claimOwner })
    }
    return { items }
  }

  list({ after, limit, state }: Listing): Page<InboxRow> {
    const rows = state === "dead" ? this.dead.values() : this.open()
    return pageByNumber<InboxRow>(rows, ({ key }) => key, limit, after)
  }

  find(key: string, id: string): InboxRow | undefined {
    const found = this.keys.get(key)?.open.find((row) => row.id === id) ?? this.dead.get(id)
    return found === undefined || found.key !== key ? undefined : { ...found }
  }

  requeue(key: string, id: string, now: number): boolean | "full" {
    const found = this.dead.get(id)
    if (found === undefined || found.key !== key) return false
    const row = this.keys.take(key, now)
    if (row === undefined) return "full"
    this.dead.delete(id)
    row.record = Math.max(row.record + 1, Math.ceil(now))
    row.open.push({ ...fresh, id, key, number: row.record, event: found.event, recordedAt: found.recordedAt })
    this.opened++
    this.keys.changed(key, row)
    return true
  }

  drop(key: string, id: string, now: number): boolean {
    const row = this.keys.get(key)
    const found = row?.open.find((record) => record.id === id)
    if (row !== undefined && found !== undefined) {
      if (found.claimFence !== null) return false
      this.close(key, row, found)
    } else if (this.dead.get(id)?.key !== key) return false
    else this.dead.delete(id)
    this.forget(id, now)
    return true
  }

  counts(): Pending {
    let oldest = last
    for (const { recordedAt } of this.open()) oldest = Math.min(oldest, recordedAt)
    const counts = { pending: this.opened, dead: this.dead.size }
    return oldest === last ? counts : { ...counts, oldest }
  }

  private *open(): Iterable<InboxRow> {
    for (const [, { open }] of this.keys.after(undefined)) yield* open
  }

  private bury(key: string, row: KeyRow, found: Writable<InboxRow>, reason: string, detail: string, now: number): void {
    found.reason = reason
    found.detail = detail
    found.diedAt = now
    this.close(key, row, found)
    this.dead.set(found.id, found)
  }

  private close(key: string, row: KeyRow, found: Writable<InboxRow>): void {
    row.open.splice(row.open.indexOf(found), 1)
    this.opened--
    this.keys.changed(key, row)
  }

  /** Its record is no more: the mark outlives it by `markTtl` (R15). */
  private forget(id: string, now: number): void {
    const mark = this.marks.rows.get(this.marked.get(id) ?? "")
    if (mark !== undefined) mark.expires = now + markTtl
    this.marked.delete(id)
  }
}

const fresh = {
  attempts: 0,
  crashes: 0,
  due: 0,
  claimFence: null,
  claimOwner: null,
  claimedAt: null,
  reason: null,
  detail: null,
  diedAt: null
}

const unclaim = (row: Writable<InboxRow>): void => {
  row.claimFence = null
  row.claimOwner = null
  row.claimedAt = null
}
