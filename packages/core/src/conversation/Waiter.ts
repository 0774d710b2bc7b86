/** What the fiber of a conversation is parked on, and how it goes on. */
import { Effect } from "effect"
import type { SavedMessage, Wait } from "../model/Checkpoint.ts"
import type { LeaseLostError } from "../spi/Errors.ts"

/** What ends a wait. */
export type Signal =
  | { readonly _tag: "message"; readonly message: SavedMessage }
  | { readonly _tag: "timeout" }
  | { readonly _tag: "idle" }

/** What ended a wait, and the wait as it was then: its deadlines may have been moved (B14). */
export interface Parted {
  readonly signal: Signal
  readonly wait: Wait
}

/** A parked fiber. */
export interface Parked {
  readonly wake: (parted: Parted) => void
  /** Its conversation is over or suspended: where it waits, it fails. */
  readonly refuse: (error: LeaseLostError) => void
}

/** An object and no functions of its own: a conversation that waits holds one. */
export abstract class Waiter<A, E> implements Parked {
  /** Set while a fiber is parked on it. */
  resume: ((how: Effect.Effect<A, E | LeaseLostError>) => void) | undefined = undefined
  abstract woken(parted: Parted): Effect.Effect<A, E>

  wake(parted: Parted): void {
    this.resume?.(Effect.suspend(() => this.woken(parted)))
  }
  refuse(error: LeaseLostError): void {
    this.resume?.(Effect.fail(error))
  }
}
