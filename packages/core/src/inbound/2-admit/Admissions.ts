/**
 * Bounds the admission of a message (I8, I24, I25): a store that never answers must not hold the chat for ever.
 *
 * AD1 what is answered at once costs no timer, and what is had by a call no fiber; what is not has `admissionLimit`, on the deadline wheel.
 * AD2 an admission ends once: an answer that comes after its time, or after a stop, has no effect.
 */
import { Effect, type Exit, type Fiber } from "effect"
import type { Timers } from "../../conversation/Timers.ts"
import { exitOf } from "../../model/Direct.ts"
import { NotAcceptingError } from "../../spi/Provider.ts"
import { StoreError } from "../../spi/Store.ts"

/** ms. */
export const admissionLimit = 30_000

type Failure = StoreError | NotAcceptingError

export class Admissions {
  private readonly open = new Set<() => void>()
  private readonly timers: Timers
  private readonly store: string

  /** @param store its name, for the error */
  constructor(timers: Timers, store: string) {
    this.timers = timers
    this.store = store
  }

  /** Runs it within its bound, to be called by a running effect. @param late runs when it ends after it was given up */
  bounded<A, E>(admission: Effect.Effect<A, E>, late: () => void): Effect.Effect<A, E | Failure> {
    const exit = exitOf(admission)
    if (exit !== undefined) return exit
    return Effect.withFiber((caller): Effect.Effect<A, E | Failure> => {
      const fiber = Effect.runForkWith(caller.context)(admission)
      return fiber.pollUnsafe() ?? this.waited(fiber, late)
    })
  }

  /** Gives up all that are open: the bot stops. */
  stop(): void {
    for (const giveUp of [...this.open]) giveUp()
  }

  private waited<A, E>(fiber: Fiber.Fiber<A, E>, late: () => void): Effect.Effect<A, E | Failure> {
    return Effect.callback<A, E | Failure>((resume) => {
      const end = (result: Effect.Effect<A, E | Failure>): boolean => {
        if (!this.open.delete(stopped)) return false
        timer.cancel()
        resume(result)
        return true
      }
      const givenUp = (error: Failure): void => {
        if (end(Effect.fail(error))) fiber.interruptUnsafe()
      }
      const stopped = (): void => givenUp(new NotAcceptingError({ reason: "not-running", detail: "the bot stops" }))
      this.open.add(stopped)
      const timer = this.timers.at(this.timers.now() + admissionLimit, () =>
        givenUp(
          new StoreError({
            store: this.store,
            operation: "admit",
            reason: "unavailable",
            detail: `no answer within ${admissionLimit / 1000} s`
          })
        )
      )
      fiber.addObserver((exit: Exit.Exit<A, E>) => {
        if (!end(exit)) late()
      })
    })
  }
}
