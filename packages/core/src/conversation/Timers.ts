/**
 * The deadline wheel: every deadline of a bot (question timeouts, idle watchers, settle limits) in one place, so that a
 * timer costs no fiber and no race (design.md 6, "Speed").
 *
 * One fiber sleeps through `Clock` until the earliest deadline. Inserting an earlier one replaces the sleeping fiber;
 * cancelling never does: it wakes for nothing, at most once. Nothing fires early, whatever the clock does meanwhile.
 */
import { Cause, Clock, Duration, Effect, Fiber, type Scope } from "effect"

export interface Timer {
  /** Takes the deadline back. Safe to repeat, and after it fired. Call it as a method. */
  readonly cancel: () => void
}

export interface Timers {
  /**
   * Calls `fire` once `time` has come, in the order of (time, insertion); a time that has passed fires soon, never inside
   * this call. A `fire` that throws is logged as a defect and stops nothing.
   *
   * @param time ms since the epoch; `Infinity` never comes. After the wheel's scope is closed nothing fires.
   */
  readonly at: (time: number, fire: () => void) => Timer
  /** The same with one argument for `fire`, so that what is set for every conversation makes no function of its own. */
  readonly atFor: <A>(time: number, fire: (about: A) => void, about: A) => Timer
  /** How many deadlines stand. */
  readonly size: () => number
  /** The wheel's clock, ms since the epoch. */
  readonly now: () => number
}

/** A corrected wall clock moves deadlines; so no sleep is longer than this, in ms. */
const longestSleep = 60 * 60 * 1000
/** So many deadlines fire before other fibers get their turn. */
const firesPerWake = 256

/** A deadline, whatever it is about. */
interface Entry {
  index: number
  readonly time: number
  readonly nth: number
  readonly isBefore: (that: Entry) => boolean
  readonly fire: () => void
}

class Deadline<A> implements Timer {
  /** Its place in the heap; -1 once it fired or was taken back. */
  index = -1
  readonly time: number
  /** Orders equal times. */
  readonly nth: number
  private readonly act: (about: A) => void
  private readonly about: A
  private readonly heap: Heap
  constructor(heap: Heap, time: number, nth: number, act: (about: A) => void, about: A) {
    this.heap = heap
    this.time = time
    this.nth = nth
    this.act = act
    this.about = about
  }
  fire(): void {
    this.act(this.about)
  }
  cancel(): void {
    this.heap.remove(this)
  }
  isBefore(that: Entry): boolean {
    return this.time < that.time || (this.time === that.time && this.nth < that.nth)
  }
}

/**
 * A binary heap whose entries know their place: what is taken back leaves at once and nothing piles up. Both ends cost
 * O(log n) at worst; a deadline later than most, and a cancel in random order, O(1) on average.
 */
class Heap {
  private readonly entries: Array<Entry> = []
  get size(): number {
    return this.entries.length
  }
  first(): Entry | undefined {
    return this.entries[0]
  }
  add(deadline: Entry): void {
    this.entries.push(deadline)
    this.rise(deadline, this.entries.length - 1)
  }
  remove(deadline: Entry): void {
    const index = deadline.index
    if (index < 0) return
    deadline.index = -1
    const last = this.entries.pop()
    if (last === undefined || last === deadline) return
    if (last.isBefore(deadline)) this.rise(last, index)
    else this.sink(last, index)
  }
  private rise(deadline: Entry, from: number): void {
    let index = from
    while (index > 0) {
      const above = (index - 1) >>> 1
      const parent = this.entries[above]
      if (parent === undefined || parent.isBefore(deadline)) break
      this.place(parent, index)
      index = above
    }
    this.place(deadline, index)
  }
  private sink(deadline: Entry, from: number): void {
    let index = from
    for (;;) {
      let below = 2 * index + 1
      let child = this.entries[below]
      const right = this.entries[below + 1]
      if (child !== undefined && right?.isBefore(child) === true) {
        child = right
        below++
      }
      if (child === undefined || deadline.isBefore(child)) break
      this.place(child, index)
      index = below
    }
    this.place(deadline, index)
  }
  private place(deadline: Entry, index: number): void {
    this.entries[index] = deadline
    deadline.index = index
  }
}

class Wheel implements Timers {
  private readonly clock: Clock.Clock
  private readonly fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
  private readonly heap = new Heap()
  private nth = 0
  private fiber: Fiber.Fiber<void> | undefined = undefined
  /** Until when the fiber sleeps; -Infinity while it is awake (it looks at the heap itself), Infinity when there is none. */
  private armed = Number.POSITIVE_INFINITY
  private closed = false

  constructor(clock: Clock.Clock, fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>) {
    this.clock = clock
    this.fork = fork
  }

  readonly now = (): number => this.clock.currentTimeMillisUnsafe()
  readonly size = (): number => this.heap.size

  readonly at = (time: number, fire: () => void): Timer => this.atFor(time, fire, undefined)

  readonly atFor = <A>(time: number, fire: (about: A) => void, about: A): Timer => {
    if (Number.isNaN(time)) throw new RangeError("A deadline needs a time in ms, got NaN")
    const deadline = new Deadline(this.heap, time, this.nth++, fire, about)
    this.heap.add(deadline)
    if (time < this.armed && !this.closed) this.rearm()
    return deadline
  }

  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    this.closed = true
    return this.fiber === undefined ? Effect.void : Fiber.interrupt(this.fiber)
  })

  private rearm(): void {
    this.fiber?.interruptUnsafe()
    this.fiber = this.fork(this.sleep())
  }

  /** Sleeps until the earliest deadline; the fiber ends when there is none. */
  private sleep(): Effect.Effect<void> {
    const earliest = this.heap.first()
    if (earliest === undefined || this.closed) {
      this.armed = Number.POSITIVE_INFINITY
      this.fiber = undefined
      return Effect.void
    }
    const now = this.now()
    this.armed = Math.min(earliest.time, now + longestSleep)
    const pause = this.armed > now ? this.clock.sleep(Duration.millis(this.armed - now)) : Effect.yieldNow
    return Effect.flatMap(pause, this.wake)
  }

  private readonly wake = (): Effect.Effect<void> => {
    this.armed = Number.NEGATIVE_INFINITY
    const defects = this.fireDue()
    if (defects === undefined) return this.sleep()
    const log = Effect.forEach(defects, (defect) => Effect.logError("A timer died", Cause.die(defect)), {
      discard: true
    })
    return Effect.flatMap(log, () => this.sleep())
  }

  private fireDue(): Array<unknown> | undefined {
    const now = this.now()
    let defects: Array<unknown> | undefined
    for (let fired = 0; fired < firesPerWake && !this.closed; fired++) {
      const deadline = this.heap.first()
      if (deadline === undefined || deadline.time > now) break
      this.heap.remove(deadline)
      try {
        deadline.fire()
      } catch (defect) {
        defects = [...(defects ?? []), defect]
      }
    }
    return defects
  }
}

/** A deadline wheel that stops with its scope. */
export const make: Effect.Effect<Timers, never, Scope.Scope> = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const context = yield* Effect.context<never>()
  const wheel = new Wheel(clock, Effect.runForkWith(context))
  yield* Effect.addFinalizer(() => wheel.close)
  return wheel
})
