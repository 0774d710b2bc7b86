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
  /** How many deadlines stand. */
  readonly size: () => number
  /** The wheel's clock, ms since the epoch. */
  readonly now: () => number
}

/** A corrected wall clock moves deadlines; so no sleep is longer than this, in ms. */
const longestSleep = 60 * 60 * 1000
/** So many deadlines fire before other fibers get their turn. */
const firesPerWake = 256

/** A deadline: a link in the list of its time, which keeps insertion order and makes `cancel` O(1). */
class Deadline implements Timer {
  previous: Deadline | undefined = undefined
  next: Deadline | undefined = undefined
  slot: Slot | undefined
  readonly wheel: Wheel
  readonly fire: () => void
  constructor(wheel: Wheel, slot: Slot, fire: () => void) {
    this.wheel = wheel
    this.slot = slot
    this.fire = fire
  }
  cancel(): void {
    this.wheel.remove(this)
  }
}

/** All deadlines of one time. */
class Slot {
  head: Deadline | undefined = undefined
  tail: Deadline | undefined = undefined
  index = 0
  readonly time: number
  constructor(time: number) {
    this.time = time
  }
}

/** A binary heap of slots that know their place, so an emptied slot leaves at once and nothing piles up. */
class SlotHeap {
  private readonly slots: Array<Slot> = []
  first(): Slot | undefined {
    return this.slots[0]
  }
  add(slot: Slot): void {
    this.slots.push(slot)
    this.rise(slot, this.slots.length - 1)
  }
  remove(slot: Slot): void {
    const last = this.slots.pop()
    if (last === undefined || last === slot) return
    const index = slot.index
    if (last.time < slot.time) this.rise(last, index)
    else this.sink(last, index)
  }
  private rise(slot: Slot, from: number): void {
    let index = from
    while (index > 0) {
      const above = (index - 1) >>> 1
      const parent = this.slots[above]
      if (parent === undefined || parent.time <= slot.time) break
      this.place(parent, index)
      index = above
    }
    this.place(slot, index)
  }
  private sink(slot: Slot, from: number): void {
    let index = from
    for (;;) {
      let below = 2 * index + 1
      let child = this.slots[below]
      const right = this.slots[below + 1]
      if (child !== undefined && right !== undefined && right.time < child.time) {
        child = right
        below++
      }
      if (child === undefined || child.time >= slot.time) break
      this.place(child, index)
      index = below
    }
    this.place(slot, index)
  }
  private place(slot: Slot, index: number): void {
    this.slots[index] = slot
    slot.index = index
  }
}

class Wheel implements Timers {
  private readonly clock: Clock.Clock
  private readonly fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
  private readonly slots = new Map<number, Slot>()
  private readonly heap = new SlotHeap()
  private count = 0
  private fiber: Fiber.Fiber<void> | undefined = undefined
  /** Until when the fiber sleeps; -Infinity while it is awake (it looks at the heap itself), Infinity when there is none. */
  private armed = Number.POSITIVE_INFINITY
  private closed = false

  constructor(clock: Clock.Clock, fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>) {
    this.clock = clock
    this.fork = fork
  }

  readonly now = (): number => this.clock.currentTimeMillisUnsafe()
  readonly size = (): number => this.count

  readonly at = (time: number, fire: () => void): Timer => {
    if (Number.isNaN(time)) throw new RangeError("A deadline needs a time in ms, got NaN")
    let slot = this.slots.get(time)
    if (slot === undefined) {
      slot = new Slot(time)
      this.slots.set(time, slot)
      this.heap.add(slot)
    }
    const deadline = new Deadline(this, slot, fire)
    if (slot.tail === undefined) slot.head = deadline
    else {
      slot.tail.next = deadline
      deadline.previous = slot.tail
    }
    slot.tail = deadline
    this.count++
    if (time < this.armed && !this.closed) this.rearm()
    return deadline
  }

  remove(deadline: Deadline): void {
    const slot = deadline.slot
    if (slot === undefined) return
    deadline.slot = undefined
    this.count--
    if (deadline.previous === undefined) slot.head = deadline.next
    else deadline.previous.next = deadline.next
    if (deadline.next === undefined) slot.tail = deadline.previous
    else deadline.next.previous = deadline.previous
    if (slot.head === undefined) {
      this.slots.delete(slot.time)
      this.heap.remove(slot)
    }
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
      const slot = this.heap.first()
      if (slot === undefined || slot.time > now || slot.head === undefined) break
      const deadline = slot.head
      this.remove(deadline)
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
