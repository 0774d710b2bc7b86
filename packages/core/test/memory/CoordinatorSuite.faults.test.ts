/**
 * The suite finds what it is for: a plain driver of claims and locks over the hub passes it, and with each planted fault
 * the tests named here fail (a deviation that passes is an error), and no others.
 */
import {
  type ClaimEnd,
  type ClaimRow,
  Coordinator,
  type CoordinatorDriver,
  coordinatorFromDriver,
  type DriverSignal
} from "@botmesh/core/spi"
import { CoordinatorHub, CoordinatorSuite } from "@botmesh/core/testing"
import { Clock, Effect, Layer, Queue } from "effect"

const titles = {
  order: "I1 I5 R6 two replicas take turns in the order of their tickets, and know who held before",
  previous: "R6 a grant names the previous holder; a new key has none",
  stopped: "R25 what a replica held is free as soon as it has stopped",
  anew: "R19 a lease granted anew keeps its place, its fence above the one it was refused for",
  second: "R15 a claimed message gets no second ticket, whether it waits, runs or is done",
  many: "R15 of many who claim at once on two replicas exactly one gets a ticket",
  own: "R15 each message has a claim of its own",
  ends: "R15 a claim ends with its time",
  outlived: "R15 a turn that outlived its claim neither keeps nor frees the next one",
  givenUp: "R23 a ticket that is given up frees its claim",
  over: "R15 giving up the ticket of a turn that is over keeps the claim",
  lost: "R23 the claim of a lost message is freed by the release, or after it",
  replicas: "R15 R23 a claim holds over replicas; what was not done when its replica left can be redelivered",
  lock: "C15 a lock has one holder, and its fence grows with each",
  manyLocks: "C15 of many who want a lock at once exactly one gets it",
  late: "C15 COORD-08 a lock ends with its time; its late release leaves the next holder's alone",
  renewed: "C15 a renewed lock lasts",
  stays: "C15 a lock stays when the replica that took it stops, until its time is over"
} as const
type Title = keyof typeof titles

interface Claimed {
  readonly owner: string
  readonly epoch: string | undefined
  readonly ends: number
}

const claimFaults = {
  "claim looked up before the ticket is taken": ["many"],
  "claim freed with the turn": ["second", "ends", "over", "lost", "replicas"],
  "claim kept when the turn was not won": ["givenUp", "outlived"],
  "claim of a lost message kept": ["givenUp", "lost", "outlived"],
  "claim freed by whoever asks": ["outlived"],
  "claim without an end": ["ends", "outlived"],
  "claim of all messages of a key": ["own", "replicas"],
  "claim counts after its replica's end": ["replicas"],
  "claim ends with its replica": ["replicas"]
} as const satisfies Record<string, ReadonlyArray<Title>>
type ClaimFault = keyof typeof claimFaults

/** Claims as one would write them first, with one thing wrong. */
const plainClaims = (driver: CoordinatorDriver, fault?: ClaimFault): Partial<CoordinatorDriver> => {
  const claims = new Map<string, Claimed>()
  const dead = new Set<string>()
  const nameOf = (turn: string, key: string): string => (fault === "claim of all messages of a key" ? turn : key)
  const isTaken = (name: string, { owner }: ClaimRow, now: number): boolean => {
    const found = claims.get(name)
    if (found === undefined || found.owner === owner) return false
    if (fault !== "claim without an end" && found.ends <= now) return false
    if (fault === "claim counts after its replica's end") return true
    return found.epoch === undefined || !dead.has(found.epoch)
  }
  const end = (name: string, { keep, owner }: ClaimEnd, wasHeld: boolean): void => {
    const found = claims.get(name)
    if (found === undefined || (found.owner !== owner && fault !== "claim freed by whoever asks")) return
    const kept = keep && fault !== "claim freed with the turn"
    const spared =
      fault === "claim of a lost message kept" || (fault === "claim kept when the turn was not won" && !wasHeld)
    if (!kept && !spared) claims.delete(name)
    else if (fault !== "claim ends with its replica") claims.set(name, { ...found, epoch: undefined })
  }
  const held = new Set<string>()
  return {
    enqueue: Effect.fnUntraced(function* (partition, row) {
      const { claim, ...place } = row
      if (claim === undefined) return yield* driver.enqueue(partition, row)
      const name = nameOf(row.key, claim.key)
      const now = yield* Clock.currentTimeMillis
      if (isTaken(name, claim, now)) return { _tag: "duplicate" }
      if (fault === "claim looked up before the ticket is taken") yield* Effect.yieldNow
      claims.set(name, { owner: claim.owner, epoch: row.epoch, ends: now + claim.ttl })
      const result = yield* driver.enqueue(partition, { ...place, claim: undefined })
      if (result._tag === "granted") held.add(claim.owner)
      return result
    }),
    release: (partition, row) => {
      if (row.claim !== undefined) end(nameOf(row.key, row.claim.key), row.claim, held.has(row.claim.owner))
      return driver.release(partition, { ...row, claim: undefined })
    },
    leave: (partition, row) => {
      dead.add(row.epoch)
      return driver.leave(partition, row)
    }
  }
}

const lockFaults = {
  "lock looked up before it is taken": ["manyLocks"],
  "lock with the fence of the last": ["lock", "late", "stays"],
  "lock freed by whoever asks": ["late"],
  "lock renewed by whoever asks": ["late"],
  "lock without an end": ["late", "stays"],
  "lock not renewed": ["renewed"]
} as const satisfies Record<string, ReadonlyArray<Title>>
type LockFault = keyof typeof lockFaults

const plainLocks = (fault?: LockFault): Partial<CoordinatorDriver> => {
  const locks = new Map<string, { readonly token: string; readonly fence: number; readonly ends: number }>()
  let last = 1_000
  const isOver = (ends: number, now: number): boolean => ends <= now && fault !== "lock without an end"
  return {
    lock: Effect.fnUntraced(function* (_, { key, token, ttl }) {
      const now = yield* Clock.currentTimeMillis
      const found = locks.get(key)
      if (found !== undefined && found.token !== token && !isOver(found.ends, now)) return undefined
      if (fault === "lock looked up before it is taken") yield* Effect.yieldNow
      const fence = fault === "lock with the fence of the last" ? last : ++last
      locks.set(key, { token, fence, ends: now + ttl })
      return fence
    }),
    renewLock: (_, { key, token, ttl }) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const found = locks.get(key)
        if (found === undefined) return false
        if (fault !== "lock renewed by whoever asks" && (found.token !== token || isOver(found.ends, now))) return false
        if (fault !== "lock not renewed") locks.set(key, { ...found, ends: now + ttl })
        return true
      }),
    unlock: (_, { key, token }) =>
      Effect.sync(() => {
        if (fault === "lock freed by whoever asks" || locks.get(key)?.token === token) locks.delete(key)
      })
  }
}

const check = (
  fault: string,
  found: ReadonlyArray<Title>,
  change: (driver: CoordinatorDriver) => Partial<CoordinatorDriver>
) => {
  const { driver } = CoordinatorHub.make()
  const changed = { ...driver, ...change(driver) }
  CoordinatorSuite.suite(
    found.length === 0 ? fault : `planted: ${fault}`,
    Layer.effect(Coordinator, coordinatorFromDriver(changed, { lease: 15_000, turnWait: 120_000 })),
    found.length === 0 ? {} : { deviations: [{ reason: fault, tests: found.map((title) => titles[title]) }] }
  )
}

check("plain claims and locks without a fault", [], (driver) => ({ ...plainClaims(driver), ...plainLocks() }))

const isIn =
  <K extends string>(faults: Readonly<Record<K, unknown>>) =>
  (name: string): name is K =>
    name in faults
for (const fault of Object.keys(claimFaults).filter(isIn(claimFaults)))
  check(fault, claimFaults[fault], (driver) => plainClaims(driver, fault))
for (const fault of Object.keys(lockFaults).filter(isIn(lockFaults)))
  check(fault, lockFaults[fault], () => plainLocks(fault))

check("a regrant gives the old fence", ["anew"], (driver) => ({
  regrant: (partition, row) => driver.regrant(partition, { ...row, above: 0 })
}))
check("a regrant takes a new place", ["anew"], (driver) => ({
  regrant: Effect.fnUntraced(function* (partition, row) {
    yield* driver.release(partition, { ...row, claim: undefined })
    const taken = yield* driver.enqueue(partition, { ...row, floor: row.above, claim: undefined })
    return taken._tag === "granted" ? taken.fence : undefined
  })
}))
check("nobody is told who held before", ["previous", "order"], (driver) => ({
  enqueue: (partition, row) =>
    Effect.map(driver.enqueue(partition, row), (result) =>
      result._tag === "granted" ? { ...result, previousHolder: "" } : result
    ),
  signals: Effect.fnUntraced(function* (incarnation) {
    const source = yield* driver.signals(incarnation)
    const told = yield* Queue.sliding<DriverSignal>(1_000)
    const pass = Effect.flatMap(Queue.take(source), (signal) =>
      Queue.offer(told, signal._tag === "wake" ? { ...signal, previousHolder: "" } : signal)
    )
    yield* Effect.forkScoped(Effect.forever(pass))
    return told
  })
}))
check("a replica that stops leaves its holds behind", ["stopped", "replicas"], () => ({ leave: () => Effect.void }))
