/**
 * What a replica holds and waits for, and how it gets it: grants, epochs, places (R3).
 *
 * RP1 a waiter is known before its ticket is asked for, so no wake finds nobody (I6).
 * RP2 a partition starts a new epoch when its liveness is gone or our own deadline passed; the old one's leases are lost.
 * RP3 a hold that was good by our clock and that another got meanwhile is an overlap: it ends here and is counted (R25).
 */
import { Effect, PubSub, Semaphore } from "effect"
import type { CoordinationCounts, CoordinatorEvent } from "../Coordinator.ts"
import type { CoordinatorDriver, CoordinatorDriverError, EnqueueResult, GrantRow } from "../CoordinatorDriver.ts"
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
}

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
    const life = this.lives.get(index) ?? new Life(index)
    this.lives.set(index, life)
    life.usedAt = this.options.monotonic()
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
    return this.end(life, { key, ticket, epoch, claim: ends })
  }

  /** Takes up a grant for a waiter; false when nobody waits for it. */
  grant(life: Life, ticket: string, row: GrantRow): boolean {
    const waiter = life.waiting.get(ticket)
    if (waiter === undefined) return false
    life.waiting.delete(ticket)
    this.floor = Math.max(this.floor, row.fence)
    for (const other of life.waiting.values()) if (other.key === waiter.key) other.movedAt = this.options.monotonic()
    const held = new Held(life, this.ends, waiter, row)
    life.held.set(ticket, held)
    waiter.grant(held)
    return true
  }

  /** RP2, LF3. The caller has the partition's door. */
  readonly begin = Effect.fnUntraced(function* (this: Replica, life: Life) {
    const { driver, incarnation, lease, monotonic } = this.options
    const old = life.epoch === "" ? undefined : life.epoch
    const epoch = `${incarnation}#${this.next()}`
    const unsure = this.isAlive(life) ? [...life.held.values()] : life.unsure
    life.unsure = []
    for (const held of [...life.held.values()]) held.lose("expired")
    const sentAt = monotonic()
    yield* driver.begin(life.index, { incarnation, epoch, old, lease })
    life.epoch = epoch
    life.goodUntil = this.goodFrom(sentAt)
    life.strangers = new Set()
    for (const [ticket, { claim }] of life.unreleased) if (claim === undefined) life.unreleased.delete(ticket)
    // One by one: should an answer fail to come, the others are found gone by the next question and placed then (R8).
    for (const waiter of [...life.waiting.values()]) {
      life.waiting.delete(waiter.ticket)
      yield* this.place(life, waiter)
    }
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
  private isAlive(life: Life): boolean {
    return life.epoch !== "" && this.options.monotonic() < life.goodUntil
  }
  alive(life: Life): DriverEffect {
    return Effect.suspend(() =>
      this.isAlive(life)
        ? Effect.void
        : this.doorOf(life).withPermit(Effect.suspend(() => (this.isAlive(life) ? Effect.void : this.begin(life))))
    )
  }

  /** RP1: known first, then asked for. */
  place(life: Life, waiter: Waiter): DriverEffect {
    return Effect.suspend(() => {
      const { driver, incarnation, monotonic } = this.options
      const { claim, key } = waiter
      const ticket = this.next()
      const { epoch } = life
      waiter.ticket = ticket
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
      if (this.isAlive(life)) life.unsure = [...life.held.values()]
      life.goodUntil = 0
      return Effect.void
    }
    if (result._tag === "duplicate") {
      if (life.waiting.get(ticket) === waiter) life.waiting.delete(ticket)
      waiter.refuse()
      return Effect.void
    }
    if (waiter.over) return this.leave(life, waiter, ticket, epoch)
    // A renewal or a wake may have brought the grant before this answer did.
    if (result._tag === "queued" || this.grant(life, ticket, result) || life.held.has(ticket)) return Effect.void
    return this.end(life, { key: waiter.key, ticket, epoch, claim: undefined })
  }
}
