/** The outbox of one bot, in memory. Every method is synchronous: no other fiber runs between its compare and its write. */
import { markTtl, type Pending } from "../spi/Durability.ts"
import {
  type AttemptedRow,
  decidable,
  type Decision,
  type PlanRow,
  type PlanRows,
  type ReportRow,
  type SendRow,
  type StandingRow
} from "../spi/DurabilityDriver.ts"
import { type DueLane, heard, type SendState, unfinished } from "../spi/Outbox.ts"
import type { Page } from "../spi/Store.ts"
import { CappedRows } from "./CappedRows.ts"
import { type KeyRow, type KeyRows, pageByNumber, type Writable } from "./KeyRows.ts"

interface Kept extends Writable<SendRow> {
  readonly hash: string
}

/** Out of the way for good: what is left is that it is known. */
const isOver = (state: SendState): boolean => state === "confirmed" || state === "dropped"

export class OutboxRows {
  private readonly keys: KeyRows
  /** By lane and id. */
  private readonly sends: CappedRows<Kept>

  constructor(keys: KeyRows, maxSends: number) {
    this.keys = keys
    this.sends = new CappedRows(maxSends, (row, now) => isGone(row, now))
  }

  plan(lane: string, fence: number, sends: ReadonlyArray<PlanRow>, now: number): PlanRows | "full" {
    const row = this.keys.take(lane, now)
    if (row === undefined) return "full"
    if (row.fence > fence) return { _tag: "superseded", fence: row.fence }
    const fresh = sends.filter(({ id }) => this.known(lane, id, now) === undefined)
    if (!this.fits(fresh.length, now)) return "full"
    this.keys.raise(row, fence, now)
    const standings = sends.map((send): StandingRow => {
      const found = this.known(lane, send.id, now)
      if (found === undefined) {
        this.add(lane, row, send, now)
        return { id: send.id, state: "planned", isNew: true, diverged: false, receipt: null }
      }
      const { receipt, state } = found
      return { id: send.id, state, isNew: false, diverged: found.hash !== send.hash, receipt }
    })
    this.keys.changed(lane, row)
    return { _tag: "planned", sends: standings }
  }

  attempt(lane: string, by: { readonly token: string; readonly until: number }, now: number): AttemptedRow {
    const row = this.keys.get(lane)
    const oldest = row?.lane[0]
    if (row === undefined || oldest === undefined) return { _tag: "empty" }
    const left = row.lane.length > 1
    if (oldest.state === "attempting") {
      if (oldest.token === by.token) return { _tag: "attempt", row: { ...oldest }, left }
      if (oldest.until !== null && oldest.until > now) return { _tag: "waiting", until: oldest.until }
      oldest.state = "unknown"
      oldest.until = null
      oldest.detail = "the attempt ended without a word"
      oldest.changedAt = now
    }
    if (oldest.state === "unknown") return { _tag: "unknown", row: { ...oldest } }
    if (oldest.due > now) return { _tag: "waiting", until: oldest.due }
    oldest.state = "attempting"
    oldest.token = by.token
    oldest.until = by.until
    oldest.attempts++
    oldest.changedAt = now
    return { _tag: "attempt", row: { ...oldest }, left }
  }

  report(lane: string, id: string, token: string, report: ReportRow, now: number): boolean {
    const found = this.known(lane, id, now)
    const row = this.keys.get(lane)
    if (found === undefined || row === undefined || found.token !== token) return false
    const what = heard(found.state, report.tag)
    if (what !== "apply") return what === "repeat"
    found.state = report.tag === "later" ? "planned" : report.tag
    found.due = report.due
    found.until = null
    found.receipt = report.receipt
    found.detail = report.detail
    found.changedAt = now
    this.leave(lane, row, found)
    return true
  }

  decide(lane: string, id: string, decision: Decision, now: number): boolean | "full" {
    const found = this.known(lane, id, now)
    if (found === undefined || !decidable[decision].has(found.state)) return false
    const row = this.keys.take(lane, now)
    if (row === undefined) return "full"
    if (decision === "resend" || found.state === "held") found.resends += decision === "drop" ? 0 : 1
    found.changedAt = now
    switch (decision) {
      case "hold":
        found.state = "held"
        break
      case "drop":
        found.state = "dropped"
        break
      case "resend":
        found.state = "planned"
        found.due = 0
        break
      default:
        found.state = "planned"
        found.due = 0
        row.send = Math.max(row.send + 1, Math.ceil(now))
        found.number = row.send
        row.lane.push(found)
    }
    this.leave(lane, row, found)
    return true
  }

  due(before: number, limit: number, after: string | undefined): Page<DueLane> {
    const items: Array<DueLane> = []
    for (const [key, { lane }] of this.keys.after(after)) {
      const [oldest] = lane
      if (oldest === undefined) continue
      const due = wants(oldest)
      if (due > before) continue
      if (items.length === limit) return { items, next: items.at(-1)?.lane ?? "" }
      items.push({ lane: key, due })
    }
    return { items }
  }

  list(state: SendState, limit: number, after: string | undefined, now: number): Page<SendRow> {
    const rows = [...this.sends.rows.values()].filter((row) => row.state === state && !isGone(row, now))
    const page = pageByNumber(rows, ({ id, lane }) => `${lane}\u0000${id}`, limit, after)
    return page.next === undefined
      ? { items: page.items.map(plain) }
      : { items: page.items.map(plain), next: page.next }
  }

  find(lane: string, id: string, now: number): SendRow | undefined {
    const found = this.known(lane, id, now)
    return found === undefined ? undefined : plain(found)
  }

  counts(): Pending {
    let pending = 0
    let dead = 0
    let oldest: number | undefined
    for (const { plannedAt, state } of this.sends.rows.values()) {
      if (unfinished.has(state)) {
        pending++
        oldest = Math.min(oldest ?? plannedAt, plannedAt)
      } else if (!isOver(state)) dead++
    }
    return oldest === undefined ? { pending, dead } : { pending, dead, oldest }
  }

  private known(lane: string, id: string, now: number): Kept | undefined {
    const found = this.sends.rows.get(`${lane}\u0000${id}`)
    return found === undefined || isGone(found, now) ? undefined : found
  }

  private fits(count: number, now: number): boolean {
    return count === 0 || (this.sends.hasRoom(now) && this.sends.rows.size + count <= this.sends.cap)
  }

  private add(lane: string, row: KeyRow, { content, hash, id }: PlanRow, now: number): void {
    row.send = Math.max(row.send + 1, Math.ceil(now))
    const send: Kept = { ...fresh, id, lane, number: row.send, content, hash, plannedAt: now, changedAt: now }
    this.sends.rows.set(`${lane}\u0000${id}`, send)
    row.lane.push(send)
  }

  /** OUT7. */
  private leave(lane: string, row: KeyRow, found: Kept): void {
    const at = row.lane.indexOf(found)
    if (!unfinished.has(found.state) && at !== -1) row.lane.splice(at, 1)
    this.keys.changed(lane, row)
  }
}

const isGone = ({ changedAt, state }: SendRow, now: number): boolean => isOver(state) && changedAt + markTtl <= now

/** When something can be done about a send: an attempt, or a decision. */
const wants = ({ changedAt, due, state, until }: SendRow): number =>
  state === "planned" ? due : state === "attempting" ? (until ?? changedAt) : changedAt

const fresh = {
  state: "planned",
  attempts: 0,
  resends: 0,
  due: 0,
  until: null,
  token: "",
  receipt: null,
  detail: null
} as const

const plain = ({ hash: _, ...row }: Kept): SendRow => row
