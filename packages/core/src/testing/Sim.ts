/**
 * Deterministic simulation: one seed fixes Random, virtual time and the order in which fibers run, so an interleaving
 * that breaks a program is found by trying seeds and comes back whenever its seed is run again.
 *
 * Fibers are preempted at random operations and ready ones run in random order; when nothing is ready, time jumps to the
 * next timer. For programs in memory only: real I/O is outside its control (promises that need no I/O are waited for).
 */
import { Cause, Clock, type Context, Duration, Effect, Exit, Random, Schema, type Scheduler, type Scope } from "effect"
import { LastFence } from "../memory/LocalCoordinator.ts"

/** A simulation that cannot end. `deadlock`: nothing is ready and no timer stands. `livelock`: `maxSteps` were run. */
export class SimulationError extends Schema.TaggedError<SimulationError>()("SimulationError", {
  reason: Schema.Literals(["deadlock", "livelock"]),
  seed: Schema.Number,
  /** Virtual ms since the epoch. */
  at: Schema.Number,
  steps: Schema.Number
}) {
  override get message(): string {
    return `${this.reason} at t=${this.at} ms after ${this.steps} steps (seed ${this.seed})`
  }
}

/** What `forAllSeeds` fails with: the seed that found it, and what happened. */
export class SeedError extends Schema.TaggedError<SeedError>()("SeedError", {
  seed: Schema.Number,
  detail: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `seed ${this.seed}: ${this.detail}`
  }
}

export interface SimulateOptions {
  /** How likely a fiber is preempted before an operation, 0 to 1. 0.2 */
  readonly preempt?: number
  /** The time at the start, ms since the epoch. 0 */
  readonly start?: number
  /** So many tasks may run before it counts as a livelock. 1,000,000 */
  readonly maxSteps?: number
}

const mulberry32 = (seed: number) => {
  let state = seed | 0
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

interface VirtualTimer {
  readonly at: number
  readonly fire: () => void
}

/** Scheduler and Clock in one. `simulate` makes it; use it directly only to look inside. */
export class Sim implements Scheduler.Scheduler, Clock.Clock {
  readonly executionMode = "async" as const
  readonly seed: number
  steps = 0
  private readonly random: () => number
  private readonly preempt: number
  private readonly maxSteps: number
  private readonly onEnd: (error: SimulationError) => void
  private now: number
  private ready: Array<() => void> = []
  private timers: Array<VirtualTimer> = []
  private armed = false
  /** Whether promises had their chance since the last task. */
  private quiet = false
  private stopped = false

  constructor(seed: number, onEnd: (error: SimulationError) => void, options?: SimulateOptions) {
    this.seed = seed
    this.onEnd = onEnd
    this.random = mulberry32(seed)
    this.preempt = options?.preempt ?? 0.2
    this.now = options?.start ?? 0
    this.maxSteps = options?.maxSteps ?? 1_000_000
  }

  /** Runs nothing any more. */
  stop(): void {
    this.stopped = true
    this.ready = []
    this.timers = []
  }

  /** Asked before every operation of every fiber. */
  shouldYield(): boolean {
    return this.random() < this.preempt
  }
  /** One queue for all fibers. */
  makeDispatcher(): Scheduler.SchedulerDispatcher {
    return this.dispatcher
  }
  private readonly dispatcher: Scheduler.SchedulerDispatcher = {
    scheduleTask: (task) => {
      this.ready.push(task)
      this.arm()
    },
    flush: () => this.pump()
  }

  private arm(): void {
    if (this.armed || this.stopped) return
    this.armed = true
    setImmediate(this.pump)
  }

  private readonly pump = (): void => {
    this.armed = false
    while (!this.stopped) {
      const task = this.pickTask()
      if (task !== undefined) {
        this.quiet = false
        if (++this.steps > this.maxSteps) return this.end("livelock")
        task()
      } else if (!this.quiet) {
        this.quiet = true
        return this.arm()
      } else if (!this.passTime()) return this.end("deadlock")
    }
  }

  private pickTask(): (() => void) | undefined {
    const last = this.ready.pop()
    if (last === undefined) return undefined
    const index = Math.floor(this.random() * (this.ready.length + 1))
    const picked = this.ready[index]
    if (picked === undefined) return last
    this.ready[index] = last
    return picked
  }

  /** Jumps to the next timer; timers of one instant are one race. */
  private passTime(): boolean {
    if (this.timers.length === 0) return false
    let next = Number.POSITIVE_INFINITY
    for (const timer of this.timers) next = Math.min(next, timer.at)
    if (next === Number.POSITIVE_INFINITY) return false
    this.now = next
    const later: Array<VirtualTimer> = []
    for (const timer of this.timers) {
      if (timer.at === next) this.ready.push(timer.fire)
      else later.push(timer)
    }
    this.timers = later
    return true
  }

  private end(reason: "deadlock" | "livelock"): void {
    this.stop()
    this.onEnd(new SimulationError({ reason, seed: this.seed, at: this.now, steps: this.steps }))
  }

  currentTimeMillisUnsafe(): number {
    return this.now
  }
  currentTimeNanosUnsafe(): bigint {
    return BigInt(Math.round(this.now * 1e6))
  }
  monotonicTimeNanosUnsafe(): bigint {
    return this.currentTimeNanosUnsafe()
  }
  readonly currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
  readonly monotonicTimeNanos = Effect.sync(() => this.monotonicTimeNanosUnsafe())
  sleep(duration: Duration.Duration): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      const timer: VirtualTimer = {
        at: this.now + Math.max(0, Duration.toMillis(duration)),
        fire: () => resume(Effect.void)
      }
      this.timers.push(timer)
      this.arm()
      return Effect.sync(() => {
        this.timers = this.timers.filter((other) => other !== timer)
      })
    })
  }
}

/**
 * Runs a program to its end in virtual time, with Clock, Random, Scheduler and the local fences all fixed by `seed`.
 * Build everything with state inside it (layers too): what was built outside runs on the outer clock and scheduler.
 *
 * @param seed any whole number; the same seed gives the same run
 * Fails with `SimulationError` when the program can never end; else as the program does. Source: B22.
 */
export const simulate = <A, E, R>(
  seed: number,
  self: Effect.Effect<A, E, R>,
  options?: SimulateOptions
): Effect.Effect<A, E | SimulationError, Exclude<R, Scope.Scope>> =>
  Effect.contextWith((context: Context.Context<Exclude<R, Scope.Scope>>) =>
    Effect.callback<A, E | SimulationError>((resume) => {
      const sim = new Sim(seed, (error) => resume(Effect.fail(error)), options)
      const program = Effect.scoped(self).pipe(
        Random.withSeed(seed),
        Effect.provideService(LastFence, { value: 0 }),
        Effect.provideService(Clock.Clock, sim)
      )
      const fiber = Effect.runForkWith(context)(program, { scheduler: sim })
      fiber.addObserver((exit) => {
        sim.stop()
        resume(exit)
      })
      return Effect.sync(() => sim.stop())
    })
  )

/**
 * Simulates a program under `count` seeds, one after another, and fails at the first that breaks with a `SeedError` whose
 * message begins with the seed. Run that seed alone with `{ from: seed }` and a count of 1. Source: B22.
 */
export const forAllSeeds = <A, E, R>(
  count: number,
  program: (seed: number) => Effect.Effect<A, E, R>,
  options?: SimulateOptions & { readonly from?: number }
): Effect.Effect<void, SeedError, Exclude<R, Scope.Scope>> => {
  const from = options?.from ?? 0
  const run = (seed: number) =>
    Effect.flatMap(
      Effect.exit(
        simulate(
          seed,
          Effect.suspend(() => program(seed)),
          options
        )
      ),
      (exit) => {
        if (Exit.isSuccess(exit)) return Effect.void
        const error = Cause.squash(exit.cause)
        const detail = error instanceof Error ? error.message : Cause.pretty(exit.cause)
        return Effect.fail(new SeedError({ seed, detail, cause: error }))
      }
    )
  return Effect.forEach(
    Array.from({ length: count }, (_, i) => from + i),
    run,
    { discard: true }
  )
}
