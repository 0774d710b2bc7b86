/**
 * What keeps a replica's holds and places in step with the backend: renewals, questions, wakes (R8).
 *
 * RE1 a wake is a hint: taken up only by a waiter of that ticket and epoch. What a wake missed, the renewal and the
 *     question of each second find.
 * RE2 a renewal extends only a liveness that still stands; else the partition starts a new epoch (R3).
 * RE3 renewals are one a partition in use, however many turns it holds.
 * RE4 partitions do not wait for one another, nor wakes for questions.
 */
import { Effect, type Scope } from "effect"
import type { AskResult, DriverSignal, HoldRow } from "../CoordinatorDriver.ts"
import type { Life, Waiter } from "./Life.ts"
import type { Replica } from "./Replica.ts"

/** ms between two questions of a waiter that heard nothing. */
export const askEvery = 1000

export class Repair {
  private readonly replica: Replica
  private readonly scope: Scope.Scope
  constructor(replica: Replica, scope: Scope.Scope) {
    this.replica = replica
    this.scope = scope
  }

  /** What the backend says we hold, against what we know. */
  private reconcile(life: Life, rows: ReadonlyArray<HoldRow>, sentAt: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      const theirs = new Set(rows.map((row) => row.ticket))
      const missing = [...life.held.values()].filter((held) => held.grantedAt < sentAt && !theirs.has(held.ticket))
      for (const held of missing) held.lose("superseded")
      const strangers = new Set<string>()
      const back: Array<HoldRow> = []
      for (const row of rows) {
        if (life.held.has(row.ticket) || life.unreleased.has(row.ticket)) continue
        if (this.replica.grant(life, row.ticket, { fence: row.fence, previousHolder: "" })) continue
        if (life.strangers.has(row.ticket)) back.push(row)
        else strangers.add(row.ticket)
      }
      life.strangers = strangers
      const owed = [...life.unreleased.values()]
      life.unreleased.clear()
      for (const { key } of back) life.doubt(key)
      const ends = [...owed, ...back.map(({ key, ticket }) => ({ key, ticket, epoch: life.epoch, claim: undefined }))]
      return Effect.andThen(
        this.replica.countOverlaps(life, missing),
        Effect.forEach(ends, (ending) => this.replica.ends.end(life, ending), { discard: true })
      )
    })
  }

  renew(life: Life): Effect.Effect<void> {
    const { driver, incarnation, lease, monotonic } = this.replica.options
    const renewed = this.replica.doorOf(life).withPermit(
      Effect.suspend(() => {
        const sentAt = monotonic()
        if (life.epoch === "") return Effect.void
        if (life.isIdle && sentAt - life.usedAt > lease) return this.rest(life)
        const { epoch } = life
        const answered = Effect.flatMap(driver.renew(life.index, { incarnation, epoch, lease }), (rows) => {
          // The local deadline may have passed while the answer was under way: then it is too late (LF2).
          if (rows === undefined || monotonic() >= life.goodUntil) return this.replica.begin(life)
          life.goodUntil = this.replica.goodFrom(sentAt)
          return this.reconcile(life, rows, sentAt)
        })
        return Effect.ignore(answered)
      })
    )
    // Beside the renewals: those who wait may be many.
    const placed = Effect.suspend(() =>
      life.unfinished
        ? Effect.asVoid(Effect.forkIn(Effect.ignore(this.replica.placeAll(life)), this.scope))
        : Effect.void
    )
    return Effect.andThen(renewed, placed)
  }
  /** Nothing held or waited for since a lease, or the end: the partition is left (RE3). */
  rest(life: Life): Effect.Effect<void> {
    const { driver, incarnation } = this.replica.options
    const { epoch } = life
    if (epoch === "") return Effect.void
    life.epoch = ""
    life.goodUntil = 0
    return Effect.ignore(driver.leave(life.index, { incarnation, epoch }))
  }

  /** Waiters that are to ask: all, or the first of each key that heard nothing for a while. */
  private due(life: Life, everybody: boolean): ReadonlyArray<Waiter> {
    if (everybody) return life.inOrder()
    const now = this.replica.options.monotonic()
    // The first of a key stands for those behind it, which come later in any case: a long queue costs one question.
    const first = new Set<string>()
    return life.inOrder().filter((waiter) => {
      if (first.has(waiter.key)) return false
      first.add(waiter.key)
      return now - waiter.askedAt >= askEvery
    })
  }
  ask(life: Life, everybody: boolean): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { driver, incarnation, monotonic } = this.replica.options
      const { epoch } = life
      const due = this.due(life, everybody)
      if (due.length === 0 || epoch === "") return Effect.void
      for (const waiter of due) waiter.askedAt = monotonic()
      const asked = due.map((waiter) => ({ waiter, ticket: waiter.ticket }))
      const rows = asked.map(({ ticket, waiter }) => ({ key: waiter.key, epoch, ticket, incarnation }))
      const answered = Effect.flatMap(driver.ask(life.index, rows), (results) => {
        const heard = Effect.forEach(
          asked,
          ({ ticket, waiter }, index) => this.heard(life, epoch, waiter, ticket, results[index]),
          { discard: true }
        )
        if (!results.some(({ _tag }) => _tag === "gone")) return heard
        // Where one place is gone others may be: then all are asked about.
        return Effect.andThen(heard, everybody ? this.replica.alive(life) : this.ask(life, true))
      })
      return Effect.ignore(answered)
    })
  }
  private heard(life: Life, epoch: string, waiter: Waiter, ticket: string, result: AskResult | undefined) {
    return Effect.suspend(() => {
      if (result === undefined || life.epoch !== epoch) return Effect.void
      if (result._tag === "queued") {
        this.moved(life, waiter, result.fence)
        return Effect.void
      }
      if (result._tag === "granted") {
        if (this.replica.grant(life, ticket, result) || life.held.has(ticket)) return Effect.void
        life.doubt(waiter.key)
        return this.replica.ends.end(life, { key: waiter.key, ticket, epoch, claim: undefined })
      }
      if (life.waiting.get(ticket) !== waiter) return Effect.void
      // Lost at the backend: it is placed anew, and before whoever comes now.
      waiter.placedIn = ""
      life.unfinished = true
      life.doubt(waiter.key)
      return Effect.void
    })
  }

  /** Another hold than at the last question: the queue moves, wherever its tickets were taken (R23). */
  private moved(life: Life, waiter: Waiter, fence: number): void {
    if (waiter.behind === fence) return
    const now = this.replica.options.monotonic()
    for (const other of life.waiting.values()) {
      if (other.key !== waiter.key) continue
      other.behind = fence
      other.movedAt = now
    }
  }

  onSignal(signal: DriverSignal): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { lives, options } = this.replica
      if (signal._tag === "wake") {
        const life = lives.get(options.driver.partitionOf(signal.key))
        if (life !== undefined && life.epoch === signal.epoch) this.replica.grant(life, signal.ticket, signal)
        return Effect.void
      }
      const all = [...lives.values()]
      const asked = signal._tag === "left" ? all.filter((life) => life.index === signal.partition) : all
      return Effect.forEach(asked, (life) => this.question(life, true), { discard: true })
    })
  }
  /** RE4: asks beside everything else; what comes while a question is under way follows it. */
  question(life: Life, everybody: boolean): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (life.asking) {
        life.askAgain ||= everybody
        return Effect.void
      }
      if (life.waiting.size === 0) return Effect.void
      life.asking = true
      const asked = Effect.ensuring(
        this.ask(life, everybody),
        Effect.sync(() => {
          life.asking = false
        })
      )
      const followed = Effect.suspend(() => {
        if (!life.askAgain) return Effect.void
        life.askAgain = false
        return this.question(life, true)
      })
      return Effect.asVoid(Effect.forkIn(Effect.andThen(asked, followed), this.scope))
    })
  }
}
