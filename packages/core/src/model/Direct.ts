/**
 * Effects that are one plain call, for what happens with every message: an answer from memory needs no fiber, and no step
 * of one, to be had. To everybody else they are effects like any other.
 */
import { type Cause, Effect, Effectable, Exit } from "effect"

/** An effect that neither waits nor needs anything of the fiber around it. Run it as often as you like. */
export class Direct<A, E = never> extends Effectable.Class<A, E> {
  readonly call: () => Exit.Exit<A, E>
  constructor(call: () => Exit.Exit<A, E>) {
    super()
    this.call = call
  }
  asEffect(): Effect.Effect<A, E> {
    return Effect.suspend(this.call)
  }
}

/** What came of an effect that is over, or can be had by a call; `undefined` when it takes a fiber. */
export const exitOf = <A, E>(effect: Effect.Effect<A, E>): Exit.Exit<A, E> | undefined => {
  if (effect instanceof Direct) {
    try {
      return effect.call()
    } catch (defect) {
      return Exit.die(defect)
    }
  }
  return isOver(effect) ? effect : undefined
}

/** Whether an effect has nothing left to do. */
export const isOver = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Exit<A, E> => Exit.isExit(effect)

/** `Effect.matchCauseEffect` for code that is run by an effect already: what can be had by a call is had in this very step. */
export const whenDone = <A, E, B, E2, C, E3>(
  effect: Effect.Effect<A, E>,
  then: {
    readonly onSuccess: (value: A) => Effect.Effect<B, E2>
    readonly onFailure: (cause: Cause.Cause<E>) => Effect.Effect<C, E3>
  }
): Effect.Effect<B | C, E2 | E3> => {
  const exit = exitOf(effect)
  if (exit === undefined) return Effect.matchCauseEffect(effect, then)
  return exit._tag === "Success" ? then.onSuccess(exit.value) : then.onFailure(exit.cause)
}
