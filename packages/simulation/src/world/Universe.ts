/**
 * One world in virtual time: machines whose fibers are run in an order drawn by the seed.
 *
 * U1 nothing outside decides anything: time jumps to the next timer when no machine has work, so a run depends on its
 *    seed alone.
 * U2 a frozen machine runs nothing, its timers included, until it thaws; then all that was due is a race (SIGSTOP).
 * U3 a dead machine runs nothing ever again: what it was doing is cut where it stood (kill -9).
 */
import { Clock, Context, Duration, Effect, type Fiber, Logger, type Scheduler } from "effect"
import type { Chance } from "./Chance.ts"

interface Task {
  readonly machine: Machine
  readonly run: () => void
}
interface Timer extends Task {
  readonly at: number
  readonly nth: number
  cancelled: boolean
}

/** Why a world stopped before its program ended. */
export type Ending = "stuck" | "endless"

/** Thousands of worlds fail on purpose: their story is the record, not their logs. */
const noLoggers: ReadonlySet<Logger.Logger<unknown, unknown>> = new Set()

/** One process of the world: the scheduler and the clock of its fibers. */
export class Machine implements Scheduler.Scheduler, Clock.Clock {
  readonly executionMode = "async" as const
  readonly name: string
  dead = false
  /** ms; runs nothing before. U2. */
  frozenUntil = 0
  private readonly universe: Universe

  constructor(universe: Universe, name: string) {
    this.universe = universe
    this.name = name
  }
  /** Not at the first op of a run: no real scheduler does, and a fiber interrupted before it began would begin after all. */
  shouldYield(fiber: Fiber.Fiber<unknown, unknown>): boolean {
    return fiber.currentOpCount > 1 && !this.universe.atomic && this.universe.chance.next() < this.universe.preempt
  }
  /** It woke from a freeze at this very instant. */
  get isThawing(): boolean {
    return this.frozenUntil === this.universe.now
  }
  makeDispatcher(): Scheduler.SchedulerDispatcher {
    return {
      scheduleTask: (run) => this.universe.ready(this, run),
      flush: () => {}
    }
  }
  currentTimeMillisUnsafe(): number {
    return this.universe.now
  }
  currentTimeNanosUnsafe(): bigint {
    return BigInt(Math.round(this.universe.now * 1e6))
  }
  monotonicTimeNanosUnsafe(): bigint {
    return this.currentTimeNanosUnsafe()
  }
  readonly currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
  readonly monotonicTimeNanos = this.currentTimeNanos
  sleep(duration: Duration.Duration): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      const timer = this.universe.timer(this, Duration.toMillis(duration), () => resume(Effect.void))
      return Effect.sync(() => {
        timer.cancelled = true
      })
    })
  }
  /** Runs an effect as a process of this machine. */
  run<A, E>(effect: Effect.Effect<A, E>): Fiber.Fiber<A, E> {
    const quiet = Context.make(Logger.CurrentLoggers, noLoggers)
    return Effect.runForkWith(Context.add(quiet, Clock.Clock, this))(effect, { scheduler: this })
  }
}

export class Universe {
  now: number
  steps = 0
  /** Nothing is preempted in the step that runs: what is done and what is seen of it are one. Ends with the step. */
  atomic = false
  readonly chance: Chance
  readonly preempt: number
  private readonly maxSteps: number
  private tasks: Array<Task> = []
  private readonly timers: Array<Timer> = []
  private nth = 0

  constructor(
    chance: Chance,
    options: { readonly preempt?: number; readonly start?: number; readonly maxSteps?: number } = {}
  ) {
    this.chance = chance
    this.preempt = options.preempt ?? 0.05
    this.now = options.start ?? 1_700_000_000_000
    this.maxSteps = options.maxSteps ?? 5_000_000
  }
  machine(name: string): Machine {
    return new Machine(this, name)
  }
  ready(machine: Machine, run: () => void): void {
    if (!machine.dead) this.tasks.push({ machine, run })
  }
  timer(machine: Machine, delay: number, run: () => void): Timer {
    const timer: Timer = { machine, run, at: this.now + Math.max(0, delay), nth: this.nth++, cancelled: false }
    push(this.timers, timer)
    return timer
  }

  /** Runs the world until `done` says so; answers why it ended otherwise. U1. */
  runUntil(done: () => boolean): Ending | undefined {
    while (!done()) {
      const task = this.take()
      if (task !== undefined) {
        if (++this.steps > this.maxSteps) return "endless"
        this.atomic = false
        task.run()
      } else if (!this.passTime()) return "stuck"
    }
    return undefined
  }

  private take(): Task | undefined {
    for (let tries = 0; this.tasks.length > 0 && tries < 64; tries++) {
      const index = this.chance.between(0, this.tasks.length - 1)
      const task = this.tasks[index]
      if (task === undefined) return undefined
      if (!task.machine.dead && task.machine.frozenUntil > this.now) {
        if (this.tasks.every(({ machine }) => machine.frozenUntil > this.now)) return undefined
        continue
      }
      const last = this.tasks.pop()
      if (last !== undefined && last !== task) this.tasks[index] = last
      if (!task.machine.dead) return task
    }
    return this.firstRunnable()
  }
  private firstRunnable(): Task | undefined {
    this.tasks = this.tasks.filter(({ machine }) => !machine.dead)
    const index = this.tasks.findIndex(({ machine }) => machine.frozenUntil <= this.now)
    return index < 0 ? undefined : this.tasks.splice(index, 1)[0]
  }

  /** Jumps to the next thing that can happen: a timer, or a thaw. */
  private passTime(): boolean {
    let next = Number.POSITIVE_INFINITY
    for (const { machine } of this.tasks) if (!machine.dead) next = Math.min(next, machine.frozenUntil)
    while (this.timers[0] !== undefined && (this.timers[0].cancelled || this.timers[0].machine.dead)) pop(this.timers)
    const first = this.timers[0]
    if (first !== undefined) next = Math.min(next, first.at)
    if (next === Number.POSITIVE_INFINITY) return false
    this.now = Math.max(this.now, next)
    for (;;) {
      const timer = this.timers[0]
      if (timer === undefined || timer.at > this.now) return true
      pop(this.timers)
      if (!timer.cancelled) this.ready(timer.machine, timer.run)
    }
  }
}

// A binary heap by time, then order of creation.
const before = (a: Timer, b: Timer): boolean => a.at < b.at || (a.at === b.at && a.nth < b.nth)
const push = (heap: Array<Timer>, timer: Timer): void => {
  let at = heap.push(timer) - 1
  while (at > 0) {
    const up = (at - 1) >> 1
    const parent = heap[up]
    if (parent === undefined || !before(timer, parent)) break
    heap[at] = parent
    at = up
  }
  heap[at] = timer
}
const pop = (heap: Array<Timer>): void => {
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return
  let at = 0
  for (;;) {
    const left = 2 * at + 1
    const a = heap[left]
    const b = heap[left + 1]
    const child = b !== undefined && a !== undefined && before(b, a) ? b : a
    if (child === undefined || !before(child, last)) break
    heap[at] = child
    at = child === b ? left + 1 : left
  }
  heap[at] = last
}
