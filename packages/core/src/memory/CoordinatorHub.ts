/**
 * A coordinator backend in memory, shared by the bots of one process: what Redis does, as strictly, for tests and
 * simulation (C17). Time is `Clock`, so expiry works under a TestClock and under the seeded simulation.
 *
 * HUB1 one counter of fences for all keys, never back, raised to the clock's µs (R19, I3).
 * HUB2 an expired epoch counts for nothing, whatever is left of its holds and tickets (CD2).
 * HUB3 `maxIdleKeys` last holders are remembered, the least used forgotten first; a forgotten key has no previous holder.
 * HUB4 a replica that crashed reaches the hub no more, and the hub not it; what it held ends with its lease.
 */
import { Clock, Effect, Layer, Queue } from "effect"
import { Coordinator } from "../spi/Coordinator.ts"
import { fromDriver, type LeaseOptions } from "../spi/coordination/fromDriver.ts"
import {
  type AskResult,
  type ClaimRow,
  type CoordinatorDriver,
  CoordinatorDriverError,
  type DriverSignal,
  type EnqueueResult,
  type GrantRow,
  type HoldRow,
  type TicketRow
} from "../spi/CoordinatorDriver.ts"
import { hashText } from "../model/Hash.ts"
import { Claims } from "./Claims.ts"
import { Locks } from "./Locks.ts"

export interface HubOptions {
  /** Default 8: enough to see that partitions do not mix. */
  readonly partitions?: number
  /** Default 10,000. */
  readonly maxIdleKeys?: number
}

export interface CoordinatorHub {
  /** The one driver; every replica of the process uses it. */
  readonly driver: CoordinatorDriver
  /**
   * Kills a replica, by the incarnation of its coordinator: nothing of it reaches the hub any more, also when it is closed.
   * Its turns and leads end with their lease (C17).
   */
  readonly crash: (incarnation: string) => Effect.Effect<void>
  /** Forgets everything but the clock: a backend that restarted without its data (R25). */
  readonly wipe: Effect.Effect<void>
  /** Moves the backend's clock by so many ms: a new primary whose clock differs (R19). */
  readonly shiftClock: (millis: number) => void
  /** Who holds a key now, for tests and checkers. */
  readonly holderOf: (
    key: string
  ) => { readonly epoch: string; readonly ticket: string; readonly fence: number } | undefined
  readonly waiting: () => number
}

interface Hold {
  readonly epoch: string
  readonly ticket: string
  readonly incarnation: string
  readonly fence: number
  readonly previousHolder: string
}
interface Waiting extends TicketRow {
  readonly incarnation: string
}
interface Partition {
  readonly live: Map<string, number>
  readonly holds: Map<string, Hold>
  readonly queues: Map<string, Array<Waiting>>
  readonly claims: Claims
  readonly locks: Locks
}

const skipLimit = 100

class Backend {
  fence = 0
  shift = 0
  readonly partitions = new Map<number, Partition>()
  readonly previous = new Map<string, string>()
  readonly crashed = new Set<string>()
  readonly listeners = new Map<string, Set<(signal: DriverSignal) => void>>()
  private readonly maxIdleKeys: number

  constructor(maxIdleKeys: number) {
    this.maxIdleKeys = maxIdleKeys
  }
  at(index: number): Partition {
    const found = this.partitions.get(index) ?? {
      live: new Map(),
      holds: new Map(),
      queues: new Map(),
      claims: new Claims(),
      locks: new Locks()
    }
    this.partitions.set(index, found)
    return found
  }
  isAlive(partition: Partition, epoch: string, now: number): boolean {
    const expiry = partition.live.get(epoch)
    return expiry !== undefined && now < expiry
  }
  /** HUB1. */
  nextFence(now: number, floor: number): number {
    this.fence = Math.max(this.fence + 1, Math.floor(now * 1000), floor + 1)
    return this.fence
  }
  /** HUB3. */
  remember(key: string, incarnation: string): void {
    this.previous.delete(key)
    this.previous.set(key, incarnation)
    if (this.previous.size <= this.maxIdleKeys) return
    for (const oldest of this.previous.keys()) {
      this.previous.delete(oldest)
      return
    }
  }
  grant(partition: Partition, row: Waiting, now: number, floor: number): GrantRow {
    const previousHolder = this.previous.get(row.key) ?? ""
    const fence = this.nextFence(now, floor)
    const { epoch, incarnation, ticket } = row
    partition.holds.set(row.key, { epoch, ticket, incarnation, fence, previousHolder })
    this.remember(row.key, incarnation)
    return { fence, previousHolder }
  }
  /** The hold of a key if its epoch lives; a dead one is cleared away (HUB2). */
  holdOf(partition: Partition, key: string, now: number): Hold | undefined {
    const hold = partition.holds.get(key)
    if (hold === undefined || this.isAlive(partition, hold.epoch, now)) return hold
    partition.holds.delete(key)
    return undefined
  }
  /** Grants the first living ticket of a free key and tells its owner. */
  grantNext(partition: Partition, key: string, now: number): void {
    const queue = partition.queues.get(key)
    if (queue === undefined || this.holdOf(partition, key, now) !== undefined) return
    for (let skipped = 0; skipped < skipLimit; skipped++) {
      const next = queue.shift()
      if (next === undefined) break
      if (!this.isAlive(partition, next.epoch, now)) continue
      const granted = this.grant(partition, next, now, 0)
      const { epoch, ticket } = next
      this.tell(next.incarnation, { _tag: "wake", key, epoch, ticket, ...granted })
      break
    }
    if (queue.length === 0) partition.queues.delete(key)
  }
  tell(incarnation: string, signal: DriverSignal): void {
    if (this.crashed.has(incarnation)) return
    for (const listener of this.listeners.get(incarnation) ?? []) listener(signal)
  }
}

/** Runs one atomic act at the backend's time, unless the replica that asks is dead (HUB4). */
const act = <A>(
  backend: Backend,
  incarnation: string,
  run: (now: number) => A
): Effect.Effect<A, CoordinatorDriverError> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    backend.crashed.has(incarnation) ? Effect.fail(gone) : Effect.succeed(run(now + backend.shift))
  )
const gone = new CoordinatorDriverError({ operation: "act", reason: "unreachable", detail: "this replica crashed" })

/** Ticket names are each replica's own: only with its epoch do they name one place. */
const isOf = (
  place: { readonly epoch: string; readonly ticket: string } | undefined,
  row: { readonly epoch: string; readonly ticket: string }
): boolean => place?.ticket === row.ticket && place.epoch === row.epoch

interface Enqueuing extends Waiting {
  readonly floor: number
  readonly claim: ClaimRow | undefined
}
const enqueue = (
  backend: Backend,
  partition: Partition,
  { claim, floor, ...row }: Enqueuing,
  now: number
): EnqueueResult => {
  const isAlive = (epoch: string): boolean => backend.isAlive(partition, epoch, now)
  if (!isAlive(row.epoch)) return { _tag: "dead" }
  if (claim !== undefined && !partition.claims.take(claim, row.epoch, now, isAlive)) return { _tag: "duplicate" }
  const hold = backend.holdOf(partition, row.key, now)
  if (isOf(hold, row) && hold !== undefined)
    return { _tag: "granted", fence: hold.fence, previousHolder: hold.previousHolder }
  const queue = partition.queues.get(row.key) ?? []
  if (queue.some((waiting) => isOf(waiting, row))) return { _tag: "queued" }
  while (queue[0] !== undefined && !isAlive(queue[0].epoch)) queue.shift()
  if (hold === undefined && queue.length === 0) {
    partition.queues.delete(row.key)
    return { _tag: "granted", ...backend.grant(partition, row, now, floor) }
  }
  queue.push(row)
  partition.queues.set(row.key, queue)
  if (hold === undefined) backend.grantNext(partition, row.key, now)
  return { _tag: "queued" }
}

const ask = (backend: Backend, partition: Partition, row: Waiting, now: number): AskResult => {
  backend.grantNext(partition, row.key, now)
  const hold = backend.holdOf(partition, row.key, now)
  if (hold !== undefined && isOf(hold, row)) {
    return { _tag: "granted", fence: hold.fence, previousHolder: hold.previousHolder }
  }
  const queued = partition.queues.get(row.key)?.some((waiting) => isOf(waiting, row)) ?? false
  return queued ? { _tag: "queued", fence: hold?.fence ?? 0 } : { _tag: "gone" }
}

const release = (backend: Backend, partition: Partition, row: TicketRow, now: number): void => {
  const hold = partition.holds.get(row.key)
  if (hold !== undefined && isOf(hold, row)) {
    partition.holds.delete(row.key)
    backend.remember(row.key, hold.incarnation)
  }
  const queue = partition.queues.get(row.key)
  const at = queue?.findIndex((waiting) => isOf(waiting, row)) ?? -1
  if (at >= 0) queue?.splice(at, 1)
  if (queue?.length === 0) partition.queues.delete(row.key)
  backend.grantNext(partition, row.key, now)
}

const regrant = (
  backend: Backend,
  partition: Partition,
  row: TicketRow & { readonly above: number },
  now: number
): number | undefined => {
  const hold = backend.holdOf(partition, row.key, now)
  if (hold === undefined || !isOf(hold, row)) return undefined
  const fence = hold.fence > row.above ? hold.fence : backend.nextFence(now, row.above)
  partition.holds.set(row.key, { ...hold, fence })
  return fence
}

const drop = (partition: Partition, epoch: string): void => {
  partition.live.delete(epoch)
  for (const [key, hold] of partition.holds) if (hold.epoch === epoch) partition.holds.delete(key)
  for (const [key, queue] of partition.queues) {
    const left = queue.filter((waiting) => waiting.epoch !== epoch)
    if (left.length === 0) partition.queues.delete(key)
    else partition.queues.set(key, left)
  }
}

const sum = (text: string): number => Number.parseInt(hashText(text).slice(-6), 36)

/** Makes a hub. Source: C17. */
export const make = (options: HubOptions = {}): CoordinatorHub => {
  const count = options.partitions ?? 8
  const backend = new Backend(options.maxIdleKeys ?? 10_000)
  const driver: CoordinatorDriver = {
    name: "memory hub",
    partitions: count,
    partitionOf: (key) => sum(key) % count,
    begin: (index, row) =>
      act(backend, row.incarnation, (now) => {
        const partition = backend.at(index)
        if (row.old !== undefined) drop(partition, row.old)
        partition.live.set(row.epoch, now + row.lease)
      }),
    enqueue: (index, row) => act(backend, row.incarnation, (now) => enqueue(backend, backend.at(index), row, now)),
    release: (index, row) =>
      act(backend, row.incarnation, (now) => {
        const partition = backend.at(index)
        release(backend, partition, row, now)
        if (row.claim !== undefined) partition.claims.end(row.claim)
      }),
    regrant: (index, row) => act(backend, row.incarnation, (now) => regrant(backend, backend.at(index), row, now)),
    renew: (index, row) =>
      act(backend, row.incarnation, (now): ReadonlyArray<HoldRow> | undefined => {
        const partition = backend.at(index)
        if (!backend.isAlive(partition, row.epoch, now)) return undefined
        partition.live.set(row.epoch, now + row.lease)
        return [...partition.holds].flatMap(([key, hold]) =>
          hold.epoch === row.epoch ? [{ key, ticket: hold.ticket, fence: hold.fence }] : []
        )
      }),
    ask: (index, rows) =>
      act(backend, rows[0]?.incarnation ?? "", (now) => rows.map((row) => ask(backend, backend.at(index), row, now))),
    holders: (index, { incarnation, keys }) =>
      act(backend, incarnation, (now) =>
        keys.map((key) => backend.holdOf(backend.at(index), key, now)?.incarnation ?? backend.previous.get(key) ?? "")
      ),
    leave: (index, row) =>
      act(backend, row.incarnation, (now) => {
        const partition = backend.at(index)
        drop(partition, row.epoch)
        for (const key of [...partition.queues.keys()]) backend.grantNext(partition, key, now)
      }),
    lock: (index, row) =>
      act(backend, row.incarnation, (now) =>
        backend.at(index).locks.take(row, row.ttl, now, () => backend.nextFence(now, row.floor))
      ),
    renewLock: (index, row) => act(backend, row.incarnation, (now) => backend.at(index).locks.renew(row, row.ttl, now)),
    unlock: (index, row) => act(backend, row.incarnation, () => backend.at(index).locks.release(row)),
    signals: Effect.fnUntraced(function* (incarnation) {
      const queue = yield* Queue.sliding<DriverSignal>(10_000)
      const listener = (signal: DriverSignal): void => {
        Queue.offerUnsafe(queue, signal)
      }
      const all = backend.listeners.get(incarnation) ?? new Set()
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          all.add(listener)
          backend.listeners.set(incarnation, all)
        }),
        () =>
          Effect.sync(() => {
            all.delete(listener)
            if (all.size === 0) backend.listeners.delete(incarnation)
          })
      )
      return queue
    })
  }
  return {
    driver,
    crash: (incarnation) =>
      Effect.sync(() => {
        backend.crashed.add(incarnation)
      }),
    wipe: Effect.sync(() => {
      backend.partitions.clear()
      backend.fence = 0
      backend.previous.clear()
    }),
    shiftClock: (millis) => {
      backend.shift += millis
    },
    holderOf: (key) => {
      const hold = backend.at(driver.partitionOf(key)).holds.get(key)
      return hold === undefined ? undefined : { epoch: hold.epoch, ticket: hold.ticket, fence: hold.fence }
    },
    waiting: () => {
      let all = 0
      for (const partition of backend.partitions.values())
        for (const queue of partition.queues.values()) all += queue.length
      return all
    }
  }
}

/** A replica's coordinator over a hub shared with others. @param options `lease` in ms, default 15 s (C3) */
export const layer = (
  hub: CoordinatorHub,
  options: Partial<LeaseOptions> = {}
): Layer.Layer<Coordinator, CoordinatorDriverError> =>
  Layer.effect(Coordinator, fromDriver(hub.driver, { lease: 15_000, turnWait: 120_000, ...options }))
