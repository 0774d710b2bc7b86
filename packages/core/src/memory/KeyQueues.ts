/** FIFO queues by key, the heart of the local coordinator: plain synchronous code, no effect inside. */
import { Effect, Exit, type Scheduler } from "effect"
import { Direct } from "../model/Direct.ts"
import type { Lease, Ticket } from "../spi/Coordinator.ts"
import { CoordinationUnavailableError, LeaseLostError } from "../spi/Errors.ts"

type Resume = (granted: Effect.Effect<Lease, CoordinationUnavailableError>) => void

const waiting = 0
const held = 1
const released = 2
const cancelled = 3

/** A key in use or remembered: who holds it and who waits, or its place among the idle. */
class Slot {
  holder: Turn | undefined = undefined
  first: Turn | undefined = undefined
  last: Turn | undefined = undefined
  older: Slot | undefined = undefined
  newer: Slot | undefined = undefined
  readonly key: string
  constructor(key: string) {
    this.key = key
  }
}

/** What ends a turn's claim: kept, or freed. */
export type EndClaim = (keep: boolean) => void

/** A ticket, and the lease it becomes. Effects are made when asked for: most turns need one or two of them. */
export class Turn implements Ticket, Lease {
  state: typeof waiting | typeof held | typeof released | typeof cancelled = waiting
  fence = 0
  previousHolder: string | undefined = undefined
  ahead: Turn | undefined = undefined
  behind: Turn | undefined = undefined
  resumes: Array<Resume> | undefined = undefined
  endClaim: EndClaim | undefined = undefined
  private loss: LeaseLostError | undefined = undefined
  readonly slot: Slot
  private readonly queues: KeyQueues
  constructor(queues: KeyQueues, slot: Slot) {
    this.queues = queues
    this.slot = slot
  }
  get key(): string {
    return this.slot.key
  }
  /** How `granted` stands now. */
  outcome(): Effect.Effect<Lease, CoordinationUnavailableError> {
    if (this.state !== cancelled) return Effect.succeed(this)
    return Effect.fail(new CoordinationUnavailableError({ key: this.key, detail: "the ticket was given up" }))
  }
  get granted(): Effect.Effect<Lease, CoordinationUnavailableError> {
    if (this.state !== waiting) return this.outcome()
    return Effect.callback((resume) => {
      if (this.state !== waiting) return resume(this.outcome())
      const resumes = (this.resumes ??= [])
      resumes.push(resume)
      return Effect.sync(() => {
        const index = resumes.indexOf(resume)
        if (index >= 0) resumes.splice(index, 1)
      })
    })
  }
  get cancel(): Effect.Effect<void> {
    return Effect.sync(() => this.queues.cancel(this))
  }
  get release(): Effect.Effect<void> {
    return new Direct(() => {
      this.queues.release(this)
      return Exit.void
    })
  }
  get check(): Effect.Effect<void, LeaseLostError> {
    return Effect.suspend(() => {
      const loss = this.lost()
      return loss === undefined ? Effect.void : Effect.fail(loss)
    })
  }
  lost(): LeaseLostError | undefined {
    if (this.state === held) return undefined
    return (this.loss ??= new LeaseLostError({ key: this.key, reason: "ended" }))
  }
  raise(fence: number): void {
    this.queues.raise(this, fence)
  }
  regrant(above: number): Effect.Effect<void, LeaseLostError> {
    return Effect.suspend(() => {
      this.queues.raise(this, above)
      return this.check
    })
  }
  get unclaim(): Effect.Effect<void> {
    return Effect.sync(() => this.freeClaim())
  }
  freeClaim(): void {
    const { endClaim } = this
    this.endClaim = undefined
    endClaim?.(false)
  }
  get whenLost(): Effect.Effect<LeaseLostError> {
    return Effect.never
  }
}

/** So many waiters wake in one task of the scheduler; other fibers run in between. */
const wakesPerTask = 64

/** One FIFO a key. All of it is synchronous; only waking a waiter goes through the scheduler. */
export class KeyQueues {
  private readonly slots = new Map<string, Slot>()
  private oldestIdle: Slot | undefined = undefined
  private newestIdle: Slot | undefined = undefined
  private idle = 0
  private wakes: Array<Turn> = []
  private scheduled = false
  private readonly incarnation: string
  private readonly fences: { value: number }
  private readonly maxIdle: number
  private readonly dispatcher: Scheduler.SchedulerDispatcher
  constructor(
    incarnation: string,
    fences: { value: number },
    maxIdle: number,
    dispatcher: Scheduler.SchedulerDispatcher
  ) {
    this.incarnation = incarnation
    this.fences = fences
    this.maxIdle = maxIdle
    this.dispatcher = dispatcher
  }

  take(key: string): Turn {
    let slot = this.slots.get(key)
    if (slot === undefined) {
      slot = new Slot(key)
      this.slots.set(key, slot)
      return this.grant(new Turn(this, slot), undefined)
    }
    const turn = new Turn(this, slot)
    if (slot.holder === undefined) {
      this.forgetIdle(slot)
      return this.grant(turn, this.incarnation)
    }
    turn.ahead = slot.last
    if (slot.last === undefined) slot.first = turn
    else slot.last.behind = turn
    slot.last = turn
    return turn
  }

  isFree(key: string): boolean {
    return this.slots.get(key)?.holder === undefined
  }

  release(turn: Turn): void {
    if (turn.state !== held) return
    turn.state = released
    turn.endClaim?.(true)
    const slot = turn.slot
    const next = slot.first
    if (next === undefined) {
      slot.holder = undefined
      this.rememberIdle(slot)
    } else {
      this.leaveQueue(next)
      this.grant(next, this.incarnation)
      this.wake(next)
    }
  }

  cancel(turn: Turn): void {
    if (turn.state !== held && turn.state !== waiting) return
    turn.freeClaim()
    if (turn.state === held) return this.release(turn)
    turn.state = cancelled
    this.leaveQueue(turn)
    this.wake(turn)
  }

  raise(turn: Turn, fence: number): void {
    if (turn.state !== held || fence < turn.fence) return
    this.fences.value = Math.max(this.fences.value, fence)
    turn.fence = ++this.fences.value
  }

  private grant(turn: Turn, previousHolder: string | undefined): Turn {
    turn.state = held
    turn.fence = ++this.fences.value
    turn.previousHolder = previousHolder
    turn.slot.holder = turn
    return turn
  }

  private leaveQueue(turn: Turn): void {
    if (turn.ahead === undefined) turn.slot.first = turn.behind
    else turn.ahead.behind = turn.behind
    if (turn.behind === undefined) turn.slot.last = turn.ahead
    else turn.behind.ahead = turn.ahead
    turn.ahead = undefined
    turn.behind = undefined
  }

  private rememberIdle(slot: Slot): void {
    slot.older = this.newestIdle
    if (this.newestIdle === undefined) this.oldestIdle = slot
    else this.newestIdle.newer = slot
    this.newestIdle = slot
    this.idle++
    if (this.idle > this.maxIdle && this.oldestIdle !== undefined) {
      const evicted = this.oldestIdle
      this.forgetIdle(evicted)
      this.slots.delete(evicted.key)
    }
  }

  private forgetIdle(slot: Slot): void {
    if (slot.older === undefined) this.oldestIdle = slot.newer
    else slot.older.newer = slot.newer
    if (slot.newer === undefined) this.newestIdle = slot.older
    else slot.newer.older = slot.older
    slot.older = undefined
    slot.newer = undefined
    this.idle--
  }

  /** Resuming runs the waiter's fiber on this stack, so it waits for a task of its own: a deep queue stays a flat stack. */
  private wake(turn: Turn): void {
    if (turn.resumes === undefined) return
    this.wakes.push(turn)
    if (this.scheduled) return
    this.scheduled = true
    this.dispatcher.scheduleTask(this.wakeAll, 0)
  }

  private readonly wakeAll = (): void => {
    let woken = 0
    for (; woken < this.wakes.length && woken < wakesPerTask; woken++) {
      const turn = this.wakes[woken]
      const resumes = turn?.resumes
      if (turn === undefined || resumes === undefined) continue
      turn.resumes = undefined
      for (const resume of resumes) resume(turn.outcome())
    }
    this.wakes = this.wakes.slice(woken)
    this.scheduled = this.wakes.length > 0
    if (this.scheduled) this.dispatcher.scheduleTask(this.wakeAll, 0)
  }
}
