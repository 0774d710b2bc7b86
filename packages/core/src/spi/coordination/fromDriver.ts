/**
 * A coordinator over any backend (turns.md R3, R8, R9, R19, R23): the one place where tickets, epochs, renewals and their
 * repair are written. Everything goes through Clock and Random, so the simulation runs this very code.
 *
 * FD1 a waiter is known before its ticket is asked for, so no wake finds nobody (I6).
 * FD2 a wake is a hint: taken up only by a waiter of that ticket and epoch. What a wake missed, the renewal and the
 *     question of each second find (R8).
 * FD3 a renewal extends only a liveness that still stands; else the partition starts a new epoch (R3).
 * FD4 renewals are one a partition in use, however many turns it holds.
 */
import { Clock, Effect, Option, PubSub, Queue, Random, Schedule, type Scope, Semaphore, Stream } from "effect"
import type { CoordinatorEvent, CoordinatorShape, Lease, Ticket } from "../Coordinator.ts"
import type {
  CoordinatorDriver,
  CoordinatorDriverError,
  DriverSignal,
  GrantRow,
  HoldRow
} from "../CoordinatorDriver.ts"
import { CoordinationUnavailableError } from "../Errors.ts"
import { type Ends, Held, Life, type Waiter } from "./Life.ts"

export interface LeaseOptions {
  /** ms. */
  readonly lease: number
  /** ms without a grant on the key before a waiter gives up (R23). */
  readonly turnWait: number
  /** Unique among running replicas; a random one when absent. */
  readonly replicaId?: string | undefined
}

/** ms between two questions of a waiter that heard nothing. */
const askEvery = 1000

export const fromDriver = Effect.fnUntraced(function* (
  driver: CoordinatorDriver,
  options: LeaseOptions
): Effect.fn.Return<CoordinatorShape, CoordinatorDriverError, Scope.Scope> {
  const { lease } = options
  const margin = Math.max(lease / 5, 200)
  const clock = yield* Clock.Clock
  const random = yield* Random.nextIntBetween(0, 0xffffffff)
  const incarnation = `${options.replicaId ?? `replica-${random.toString(36)}`}~${(yield* Random.nextIntBetween(0, 0xffffffff)).toString(36)}`
  const monotonic = (): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
  const lives = new Map<number, Life>()
  const doors = new Map<number, Semaphore.Semaphore>()
  const events = yield* PubSub.sliding<CoordinatorEvent>(1024)
  let counter = 0
  let floor = 0

  const lifeOf = (key: string): Life => {
    const index = driver.partitionOf(key)
    const life = lives.get(index) ?? new Life(index)
    lives.set(index, life)
    life.usedAt = monotonic()
    return life
  }
  const doorOf = (life: Life): Semaphore.Semaphore => {
    const door = doors.get(life.index) ?? Semaphore.makeUnsafe(1)
    doors.set(life.index, door)
    return door
  }

  // ------------------------------------------------------------ grants

  const ends: Ends = {
    monotonic,
    end: (life, key, ticket, epoch) =>
      Effect.catch(driver.release(life.index, { key, ticket, epoch, incarnation }), () =>
        Effect.sync(() => {
          if (life.epoch === epoch) life.unreleased.set(ticket, { key, epoch })
        })
      )
  }
  /** Takes up a grant for a waiter; a grant nobody waits for any more is given back. */
  const grant = (life: Life, ticket: string, row: GrantRow): boolean => {
    const waiter = life.waiting.get(ticket)
    if (waiter === undefined) return false
    life.waiting.delete(ticket)
    floor = Math.max(floor, row.fence)
    for (const other of life.waiting.values()) if (other.key === waiter.key) other.movedAt = monotonic()
    const held = new Held(life, ends, waiter.key, ticket, life.epoch, row.fence, row.previousHolder)
    life.held.set(ticket, held)
    waiter.grant(held)
    return true
  }

  // ------------------------------------------------------------ epochs

  /** FD3, LF3. The caller has the partition's door. */
  const begin = Effect.fnUntraced(function* (life: Life) {
    const old = life.epoch === "" ? undefined : life.epoch
    const epoch = `${incarnation}#${++counter}`
    for (const held of [...life.held.values()]) held.lose("expired")
    const sentAt = monotonic()
    yield* driver.begin(life.index, { epoch, old, lease })
    life.epoch = epoch
    life.goodUntil = sentAt + lease - margin
    life.strangers = new Set()
    life.unreleased.clear()
    const waiters = [...life.waiting.values()]
    life.waiting.clear()
    for (const waiter of waiters) yield* place(life, waiter)
  })
  const isAlive = (life: Life): boolean => life.epoch !== "" && monotonic() < life.goodUntil
  const alive = (life: Life): Effect.Effect<void, CoordinatorDriverError> =>
    Effect.suspend(() =>
      isAlive(life)
        ? Effect.void
        : doorOf(life).withPermit(Effect.suspend(() => (isAlive(life) ? Effect.void : begin(life))))
    )

  /** FD1: known first, then asked for. */
  const place = (life: Life, waiter: Waiter): Effect.Effect<void, CoordinatorDriverError> =>
    Effect.suspend(() => {
      const ticket = `${++counter}`
      const { epoch } = life
      waiter.ticket = ticket
      waiter.askedAt = monotonic()
      life.waiting.set(ticket, waiter)
      return Effect.flatMap(
        driver.enqueue(life.index, { key: waiter.key, epoch, ticket, incarnation, floor }),
        (result) => {
          if (result._tag === "granted") {
            // A renewal or a wake may have brought the grant before this answer did.
            if (life.epoch !== epoch || grant(life, ticket, result) || life.held.has(ticket)) return Effect.void
            return ends.end(life, waiter.key, ticket, epoch)
          }
          if (result._tag === "queued" || life.epoch !== epoch) return Effect.void
          // Dead at the backend, whatever our clock says: the next epoch takes the waiter along (LF3).
          life.goodUntil = 0
          return Effect.void
        }
      )
    })

  // ------------------------------------------------------------ tickets

  const retrying = Schedule.exponential(50).pipe(
    Schedule.modifyDelay(({ duration }) => Effect.succeed(duration)),
    Schedule.upTo({ duration: Math.max(lease, 1000) })
  )
  const enqueue = (key: string): Effect.Effect<Ticket, CoordinationUnavailableError> =>
    Effect.suspend(() => {
      const life = lifeOf(key)
      let lost: ((lease: Held) => void) | undefined
      let held: Held | undefined
      let cancelled = false
      const now = monotonic()
      const waiter: Waiter = {
        key,
        ticket: "",
        askedAt: now,
        movedAt: now,
        grant: (given) => {
          held = given
          lost?.(given)
        }
      }
      const forget = (): void => {
        life.waiting.delete(waiter.ticket)
      }
      const cancel = Effect.suspend(() => {
        if (cancelled) return Effect.void
        cancelled = true
        if (held !== undefined) return held.release
        forget()
        return waiter.ticket === "" ? Effect.void : ends.end(life, key, waiter.ticket, life.epoch)
      })
      const waits: Effect.Effect<Lease, CoordinationUnavailableError> = Effect.callback((resume) => {
        if (held !== undefined) return resume(Effect.succeed(held))
        lost = (given) => resume(Effect.succeed(given))
        return Effect.sync(() => {
          lost = undefined
        })
      })
      const bounded = Effect.suspend((): Effect.Effect<Lease, CoordinationUnavailableError> => {
        if (held !== undefined) return Effect.succeed(held)
        const rest = waiter.movedAt + options.turnWait - monotonic()
        if (rest <= 0) {
          return Effect.andThen(
            cancel,
            Effect.fail(new CoordinationUnavailableError({ key, detail: `no grant for ${options.turnWait} ms` }))
          )
        }
        return Effect.flatMap(Effect.timeoutOption(waits, rest), (given) =>
          Option.isSome(given) ? Effect.succeed(given.value) : bounded
        )
      })
      const isPlaced = (): boolean => held !== undefined || life.waiting.has(waiter.ticket)
      const taken = Effect.retry(
        Effect.andThen(
          alive(life),
          Effect.suspend(() =>
            Effect.andThen(
              isPlaced() ? Effect.void : place(life, waiter),
              Effect.suspend(() => alive(life))
            )
          )
        ),
        { schedule: retrying, while: (error) => error.isRetryable }
      )
      const answered = Effect.matchEffect(taken, {
        onSuccess: () => Effect.succeed<Ticket>({ granted: bounded, cancel }),
        onFailure: (error) =>
          Effect.andThen(cancel, Effect.fail(new CoordinationUnavailableError({ key, detail: error.message })))
      })
      // Whoever gives up before the answer has no ticket to give back.
      return Effect.onInterrupt(answered, () => cancel)
    })

  // ------------------------------------------------------------ repair

  /** What the backend says we hold, against what we know (R8). */
  const reconcile = (life: Life, rows: ReadonlyArray<HoldRow>, sentAt: number): Effect.Effect<void> =>
    Effect.suspend(() => {
      const theirs = new Set(rows.map((row) => row.ticket))
      for (const held of [...life.held.values()]) {
        if (held.grantedAt < sentAt && !theirs.has(held.ticket)) held.lose("superseded")
      }
      const strangers = new Set<string>()
      const back: Array<HoldRow> = []
      for (const row of rows) {
        if (life.held.has(row.ticket) || life.unreleased.has(row.ticket)) continue
        if (grant(life, row.ticket, { fence: row.fence, previousHolder: "" })) continue
        if (life.strangers.has(row.ticket)) back.push(row)
        else strangers.add(row.ticket)
      }
      life.strangers = strangers
      const owed = [...life.unreleased].map(([ticket, { epoch, key }]) => ({ ticket, epoch, key }))
      life.unreleased.clear()
      return Effect.forEach(
        [...owed, ...back.map((row) => ({ ...row, epoch: life.epoch }))],
        ({ epoch, key, ticket }) => ends.end(life, key, ticket, epoch),
        {
          discard: true
        }
      )
    })

  const renew = (life: Life): Effect.Effect<void> =>
    doorOf(life).withPermit(
      Effect.suspend(() => {
        const sentAt = monotonic()
        if (life.epoch === "") return Effect.void
        if (life.isIdle && sentAt - life.usedAt > lease) return rest(life)
        const { epoch } = life
        const renewed = Effect.flatMap(driver.renew(life.index, { epoch, lease }), (rows) => {
          // The local deadline may have passed while the answer was under way: then it is too late (LF2).
          if (rows === undefined || monotonic() >= life.goodUntil) return begin(life)
          life.goodUntil = sentAt + lease - margin
          return reconcile(life, rows, sentAt)
        })
        return Effect.ignore(renewed)
      })
    )
  /** Nothing held or waited for since a lease: the partition is left (FD4). */
  const rest = (life: Life): Effect.Effect<void> => {
    const { epoch } = life
    life.epoch = ""
    life.goodUntil = 0
    return Effect.ignore(driver.leave(life.index, { epoch }))
  }

  const ask = (life: Life, everybody: boolean): Effect.Effect<void> =>
    Effect.suspend(() => {
      const now = monotonic()
      const { epoch } = life
      // The first of a key stands for those behind it, which come later in any case: a long queue costs one question.
      const first = new Set<string>()
      const due = [...life.waiting.values()].filter((waiter) => {
        if (everybody) return true
        if (first.has(waiter.key)) return false
        first.add(waiter.key)
        return now - waiter.askedAt >= askEvery
      })
      if (due.length === 0 || epoch === "") return Effect.void
      for (const waiter of due) waiter.askedAt = now
      const rows = due.map((waiter) => ({ key: waiter.key, epoch, ticket: waiter.ticket, incarnation }))
      const answered = Effect.flatMap(driver.ask(life.index, rows), (results) => {
        const heard = Effect.forEach(
          results,
          (result, index) => {
            const row = rows[index]
            const waiter = due[index]
            if (row === undefined || waiter === undefined || life.epoch !== epoch) return Effect.void
            if (result._tag === "granted") {
              if (grant(life, row.ticket, result) || life.held.has(row.ticket)) return Effect.void
              return ends.end(life, row.key, row.ticket, epoch)
            }
            if (result._tag === "queued" || life.waiting.get(row.ticket) !== waiter) return Effect.void
            life.waiting.delete(row.ticket)
            return place(life, waiter)
          },
          { discard: true }
        )
        // Where one place is gone others may be: then all are asked about.
        const isGone = !everybody && results.some(({ _tag }) => _tag === "gone")
        return isGone ? Effect.andThen(heard, ask(life, true)) : heard
      })
      return Effect.ignore(answered)
    })

  const onSignal = (signal: DriverSignal): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (signal._tag === "wake") {
        const life = lives.get(driver.partitionOf(signal.key))
        if (life === undefined || life.epoch !== signal.epoch) return Effect.void
        grant(life, signal.ticket, signal)
        return Effect.void
      }
      const asked =
        signal._tag === "left"
          ? [...lives.values()].filter((life) => life.index === signal.partition)
          : [...lives.values()]
      return Effect.forEach(asked, (life) => ask(life, true), { discard: true, concurrency: 8 })
    })

  const everyone = (each: (life: Life) => Effect.Effect<void>) =>
    Effect.suspend(() => Effect.forEach([...lives.values()], each, { discard: true, concurrency: "unbounded" }))
  const forEver = (every: number, each: (life: Life) => Effect.Effect<void>) =>
    Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(every), everyone(each))))

  yield* Effect.addFinalizer(() => everyone((life) => (life.epoch === "" ? Effect.void : rest(life))))
  yield* forEver(lease / 3, renew)
  yield* forEver(Math.min(askEvery, lease / 3), (life) =>
    Effect.suspend(() => {
      life.loseExpired(monotonic())
      return ask(life, false)
    })
  )
  const signals = yield* driver.signals(incarnation)
  yield* Effect.forkScoped(Effect.forever(Effect.flatMap(Queue.take(signals), onSignal)))

  // ------------------------------------------------------------ leads

  const led = Effect.fnUntraced(function* (name: string, held: Lease) {
    yield* PubSub.publish(events, { _tag: "coordination:leader", name, fence: held.fence })
    yield* Effect.forkScoped(
      Effect.flatMap(held.whenLost, (error) =>
        PubSub.publish(events, { _tag: "coordination:follower", name, reason: error.reason })
      )
    )
  })
  const stepDown = (name: string, ticket: Ticket, wasLeader: () => boolean) =>
    Effect.suspend(() => {
      const leader = wasLeader()
      return Effect.andThen(
        ticket.cancel,
        leader ? PubSub.publish(events, { _tag: "coordination:follower", name, reason: "stepped down" }) : Effect.void
      )
    })
  const lead = Effect.fnUntraced(function* (name: string) {
    let held: Lease | undefined
    const ticket = yield* Effect.acquireRelease(enqueue(`lead/${name}`), (taken) =>
      stepDown(name, taken, () => held !== undefined && held.lost() === undefined)
    )
    held = yield* ticket.granted
    yield* led(name, held)
    return held
  })
  const tryLead = Effect.fnUntraced(function* (name: string) {
    let held: Lease | undefined
    const ticket = yield* Effect.acquireRelease(enqueue(`lead/${name}`), (taken) =>
      stepDown(name, taken, () => held !== undefined && held.lost() === undefined)
    )
    const now = yield* Effect.timeoutOption(ticket.granted, 0)
    if (Option.isNone(now)) {
      yield* ticket.cancel
      return Option.none<Lease>()
    }
    held = now.value
    yield* led(name, held)
    return Option.some<Lease>(held)
  })
  return { name: driver.name, shared: true, incarnation, enqueue, lead, tryLead, events: Stream.fromPubSub(events) }
})
