/**
 * What a replica holds and waits for, and how it gets it: grants, epochs, places (R3).
 *
 * RP1 a waiter is known before its ticket is asked for, so no wake finds nobody (I6).
 * RP2 a partition starts a new epoch when its liveness is gone or our own deadline passed; the old one's leases are lost.
 * RP3 a hold that was good by our clock and that another got meanwhile is an overlap: it ends here and is counted (R25).
 * RP4 tickets of one key are placed one after the other in local order, also after an answer that failed, and in a new
 *     epoch before any that come then (I5).
 */
import { Effect, PubSub, Semaphore } from "effect"
import type { CoordinationCounts, CoordinatorEvent } from "../Coordinator.ts"
import {
  type CoordinatorDriver,
  CoordinatorDriverError,
  type EnqueueResult,
  type GrantRow
} from "../CoordinatorDriver.ts"
import { CoordinationUnavailableError } from "../Errors.ts"
import { type Ending, type Ends, Held, Life, type Waiter } from "./Life.ts"

export interface ReplicaOptions {
  readonly driver: CoordinatorDriver
  readonly incarnation: string
  /** ms. */
  readonly lease: number
  /** ms. */
  readonly turnWait: number
  /** Our monotonic time, ms. */
  readonly monotonic: () => number
  readonly events: PubSub.PubSub<CoordinatorEvent>
  /** A partition is used for the first time. At most once each. */
  readonly onNewLife: (life: Life) => void
}

/** The epoch ended, or a place in it was lost, before all was in order: what was asked for is to be asked for again. */
export const notPlaced = new CoordinatorDriverError({
  operation: "enqueue",
  reason: "moving",
  detail: "no place in the epoch yet"
})

/** Keys that are placed anew beside one another. */
const keysAtOnce = 16

type DriverEffect = Effect.Effect<void, CoordinatorDriverError>

export class Replica {
  readonly options: ReplicaOptions
  readonly lives = new Map<number, Life>()
  readonly counts: { -readonly [K in keyof CoordinationCounts]: number } = {
    leader: 0,
    follower: 0,
    leaseLost: 0,
    overlap: 0
  }
  /** The highest fence seen: none below is taken (R19). */
  floor = 0
  private readonly lanes = new Map<string | Life, { users: number; readonly door: Semaphore.Semaphore }>()
  private readonly doors = new Map<number, Semaphore.Semaphore>()
  /** ms before the end of a lease at which it counts as lost here. */
  readonly margin: number
  private counter = 0

  constructor(options: ReplicaOptions) {
    this.options = options
    this.margin = Math.max(options.lease / 5, 200)
  }
  lifeOf(key: string): Life {
    const index = this.options.driver.partitionOf(key)
    const known = this.lives.get(index)
    const life = known ?? new Life(index)
    life.usedAt = this.options.monotonic()
    if (known === undefined) {
      this.lives.set(index, life)
      this.options.onNewLife(life)
    }
    return life
  }
  doorOf(life: Life): Semaphore.Semaphore {
    const door = this.doors.get(life.index) ?? Semaphore.makeUnsafe(1)
    this.doors.set(life.index, door)
    return door
  }
  /** A name no other has in this life of the replica. */
  next(): string {
    return `${++this.counter}`
  }
  goodFrom(sentAt: number): number {
    return sentAt + this.options.lease - this.margin
  }

  tell(event: CoordinatorEvent): void {
    if (event._tag === "coordination:leader") this.counts.leader++
    else if (event._tag === "coordination:follower") this.counts.follower++
    else this.counts.leaseLost++
    PubSub.publishUnsafe(this.options.events, event)
  }

  readonly ends: Ends = {
    monotonic: () => this.options.monotonic(),
    // Who leads is told of by `follower`.
    onLost: ({ key, reason }, lead) => {
      if (!lead) this.tell({ _tag: "coordination:lease-lost", key, reason })
    },
    end: (life, ending) => this.end(life, ending),
    regrant: (life, { epoch, key, ticket }, above) =>
      Effect.mapBoth(
        this.options.driver.regrant(life.index, {
          key,
          epoch,
          ticket,
          incarnation: this.options.incarnation,
          above: Math.max(above, this.floor)
        }),
        {
          onSuccess: (fence) => {
            this.floor = Math.max(this.floor, fence ?? 0)
            return fence
          },
          onFailure: (error) => new CoordinationUnavailableError({ key, detail: error.message })
        }
      )
  }
  private end(life: Life, ending: Ending): Effect.Effect<void> {
    const { driver, incarnation } = this.options
    return Effect.catch(driver.release(life.index, { ...ending, incarnation }), () =>
      Effect.sync(() => {
        // What an ended epoch held is free; its claims are not.
        if (life.epoch === ending.epoch || ending.claim !== undefined) life.unreleased.set(ending.ticket, ending)
      })
    )
  }
  /** A waiting place nobody waits at any more. */
  leave(life: Life, { claim, key }: Waiter, ticket: string, epoch: string): Effect.Effect<void> {
    const ends = claim === undefined ? undefined : { key: claim.key, owner: claim.owner, keep: false }
    life.doubt(key)
    return this.end(life, { key, ticket, epoch, claim: ends })
  }

  /** Takes up a grant for a waiter; false when nobody waits for it. */
  grant(life: Life, ticket: string, row: GrantRow): boolean {
    const waiter = life.waiting.get(ticket)
    if (waiter === undefined) return false
    life.waiting.delete(ticket)
    // Given up since: a turn that nobody takes would be held for ever.
    if (waiter.over) return false
    this.floor = Math.max(this.floor, row.fence)
    for (const other of life.waiting.values()) if (other.key === waiter.key) other.movedAt = this.options.monotonic()
    // Held by us, says the backend; but in a turn that nobody here took up others may have come before it (R6).
    const unknown = row.previousHolder === this.options.incarnation && !life.isOurs(waiter.key)
    life.took(waiter.key)
    const held = new Held(life, this.ends, waiter, unknown ? { ...row, previousHolder: "" } : row)
    life.held.set(ticket, held)
    waiter.grant(held)
    return true
  }

  /** RP2, LF3. The caller has the partition's door. */
  readonly begin = Effect.fnUntraced(function* (this: Replica, life: Life) {
    const { driver, incarnation, lease, monotonic } = this.options
    const old = life.epoch === "" ? undefined : life.epoch
    const epoch = `${incarnation}#${this.next()}`
    const unsure = this.isGood(life) ? [...life.held.values()] : life.unsure
    life.unsure = []
    for (const held of [...life.held.values()]) held.lose("expired")
    const sentAt = monotonic()
    yield* driver.begin(life.index, { incarnation, epoch, old, lease })
    life.epoch = epoch
    life.goodUntil = this.goodFrom(sentAt)
    life.strangers = new Set()
    for (const [ticket, { claim }] of life.unreleased) if (claim === undefined) life.unreleased.delete(ticket)
    for (const { key } of life.waiting.values()) life.doubt(key)
    life.unfinished = life.waiting.size > 0
    yield* this.countOverlaps(life, unsure)
  })
  /** RP3. */
  countOverlaps(life: Life, lost: ReadonlyArray<Held>): Effect.Effect<void> {
    const { driver, incarnation } = this.options
    if (lost.length === 0) return Effect.void
    const asked = driver.holders(life.index, { incarnation, keys: lost.map(({ key }) => key) })
    return Effect.ignore(
      Effect.map(asked, (holders) => {
        for (const holder of holders) if (holder !== "" && holder !== incarnation) this.counts.overlap++
      })
    )
  }
  private isGood(life: Life): boolean {
    return life.epoch !== "" && this.options.monotonic() < life.goodUntil
  }
  /** The epoch lives, and whoever waits has a place in it. */
  isReady(life: Life): boolean {
    return !life.unfinished && this.isGood(life)
  }
  /** Makes it so; fails when that changes meanwhile. */
  alive(life: Life): DriverEffect {
    return Effect.suspend(() => {
      if (this.isReady(life)) return Effect.void
      const living = this.doorOf(life).withPermit(
        Effect.suspend(() => (this.isGood(life) ? Effect.void : this.begin(life)))
      )
      return Effect.andThen(living, this.placeAll(life))
    })
  }

  /** RP4: places for all who have none in this epoch. It keeps no renewal waiting: a new epoch starts it anew. */
  placeAll(life: Life): DriverEffect {
    return this.inLane(
      life,
      Effect.suspend(() => {
        if (!life.unfinished) return Effect.void
        const { epoch } = life
        const keys = new Map<string, Array<Waiter>>()
        for (const waiter of life.inOrder()) {
          if (waiter.placedIn === epoch) continue
          const others = keys.get(waiter.key)
          if (others === undefined) keys.set(waiter.key, [waiter])
          else others.push(waiter)
        }
        const one = (waiter: Waiter) =>
          Effect.suspend(() => (life.epoch === epoch ? this.place(life, waiter) : Effect.fail(notPlaced)))
        const placed = Effect.forEach(
          [...keys.values()],
          (waiters) => Effect.forEach(waiters, one, { discard: true }),
          {
            discard: true,
            concurrency: keysAtOnce
          }
        )
        return Effect.andThen(
          placed,
          Effect.suspend(() => {
            if (life.epoch !== epoch) return Effect.fail(notPlaced)
            life.unfinished = false
            for (const waiter of life.waiting.values()) if (waiter.placedIn !== epoch) life.unfinished = true
            return life.unfinished ? Effect.fail(notPlaced) : Effect.void
          })
        )
      })
    )
  }
  /** RP4: one at a time a key, in the order in which they came. */
  inLane<A, E>(key: string | Life, act: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      const lane = this.lanes.get(key) ?? { users: 0, door: Semaphore.makeUnsafe(1) }
      this.lanes.set(key, lane)
      lane.users++
      return Effect.ensuring(
        lane.door.withPermit(act),
        Effect.sync(() => {
          if (--lane.users === 0) this.lanes.delete(key)
        })
      )
    })
  }

  /** RP1: known first, then asked for. Safe to repeat. */
  place(life: Life, waiter: Waiter): DriverEffect {
    return Effect.suspend(() => {
      // Whoever asks for it, its own caller or a new epoch: it has one place, or a second grant would be nobody's.
      if (waiter.isPlaced) return Effect.void
      const { driver, incarnation, monotonic } = this.options
      const { claim, key } = waiter
      const { epoch } = life
      if (waiter.ticketOf !== epoch) {
        life.waiting.delete(waiter.ticket)
        waiter.ticket = this.next()
        waiter.ticketOf = epoch
      }
      const { ticket } = waiter
      waiter.askedAt = monotonic()
      life.waiting.set(ticket, waiter)
      const row = { key, epoch, ticket, incarnation, floor: this.floor, claim }
      return Effect.flatMap(driver.enqueue(life.index, row), (result) =>
        this.placed(life, waiter, epoch, ticket, result)
      )
    })
  }
  private placed(
    life: Life,
    waiter: Waiter,
    epoch: string,
    ticket: string,
    result: EnqueueResult
  ): Effect.Effect<void> {
    if (life.epoch !== epoch) return Effect.void
    if (result._tag === "dead") {
      // At the backend, whatever our clock says: the next epoch takes the waiter along (LF3).
      if (this.isGood(life)) life.unsure = [...life.held.values()]
      life.goodUntil = 0
      return Effect.void
    }
    if (result._tag === "duplicate") {
      if (life.waiting.get(ticket) === waiter) life.waiting.delete(ticket)
      waiter.refuse()
      return Effect.void
    }
    if (waiter.over) return this.leave(life, waiter, ticket, epoch)
    waiter.placedIn = epoch
    // A renewal or a wake may have brought the grant before this answer did.
    if (result._tag === "queued" || this.grant(life, ticket, result) || life.held.has(ticket)) return Effect.void
    life.doubt(waiter.key)
    return this.end(life, { key: waiter.key, ticket, epoch, claim: undefined })
  }
}
