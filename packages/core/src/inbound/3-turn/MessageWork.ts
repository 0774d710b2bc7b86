/** A message as work for a turn: one object a message, so that nothing else is made for it. */
import type { Effect, Exit } from "effect"
import type { TurnWork } from "../../conversation/Turns.ts"
import type { Turn } from "../../outbound/Turn.ts"
import type { Claim } from "../../spi/Coordinator.ts"
import type { CoordinationUnavailableError } from "../../spi/Errors.ts"
import type { Passage } from "../Passage.ts"

/** The way of every message under its turn, and its ways out. */
export interface Path {
  readonly handle: (passage: Passage, turn: Turn) => Effect.Effect<void>
  readonly cut: (passage: Passage, turn: Turn, exit: Exit.Exit<void>) => Effect.Effect<void>
  readonly unavailable: (passage: Passage, error: CoordinationUnavailableError) => Effect.Effect<void>
  readonly abandon: (passage: Passage) => void
  readonly claim: (passage: Passage) => Claim | undefined
  readonly duplicate: (passage: Passage) => void
  /** All that was to follow it has. */
  readonly over: (passage: Passage) => void
}

/** What is done with a message under its turn. */
export class MessageWork implements TurnWork {
  readonly holder: Passage
  private readonly path: Path
  constructor(path: Path, passage: Passage) {
    this.path = path
    this.holder = passage
  }
  get claim(): Claim | undefined {
    return this.path.claim(this.holder)
  }
  duplicate(): void {
    this.path.duplicate(this.holder)
  }
  run(turn: Turn): Effect.Effect<void> {
    return this.path.handle(this.holder, turn)
  }
  ended(): void {
    this.holder.closed = true
  }
  cut(turn: Turn, exit: Exit.Exit<void>): Effect.Effect<void> {
    return this.path.cut(this.holder, turn, exit)
  }
  unavailable(error: CoordinationUnavailableError): Effect.Effect<void> {
    return this.path.unavailable(this.holder, error)
  }
  over(): void {
    this.path.over(this.holder)
    // Neither run, cut nor refused: the coordinator died.
    if (!this.holder.closed && this.holder.record === "") this.path.abandon(this.holder)
    this.holder.lane.over()
  }
}
