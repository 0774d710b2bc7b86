/**
 * Fifth phase: who takes the message. The first stage that consumes it ends the routing (A11 to A16).
 * Each stage says first, without an effect, whether it applies at all.
 */
import { Effect } from "effect"
import type { InboundPort } from "../InboundPort.ts"
import type { Passage, Verdict } from "../Passage.ts"
import { makeActive } from "./Active.ts"
import { makeCatchAll } from "./CatchAll.ts"
import { makeCommand } from "./Command.ts"
import { makeDormant } from "./Dormant.ts"
import { makeFallback } from "./Fallback.ts"
import { makeHandoff } from "./Handoff.ts"
import { makeMatching } from "./Matching.ts"

export interface Stage {
  readonly name: string
  readonly applies: (passage: Passage) => boolean
  readonly run: (passage: Passage) => Effect.Effect<Verdict>
}

export const makeRoute = (port: InboundPort) => {
  const fallback = makeFallback(port)
  const active = makeActive(port, fallback)
  const stages: ReadonlyArray<Stage> = [
    makeHandoff(port),
    makeCommand(port),
    active,
    makeDormant(port, active, fallback),
    makeMatching(port),
    makeCatchAll(port)
  ]
  const from = (
    index: number,
    passage: Passage,
    next: (passage: Passage) => Effect.Effect<void>
  ): Effect.Effect<void> => {
    for (let i = index; i < stages.length; i++) {
      const stage = stages[i]
      if (stage?.applies(passage) !== true) continue
      return Effect.flatMap(stage.run(passage), (verdict) =>
        verdict._tag === "passed" ? from(i + 1, passage, next) : next(passage)
      )
    }
    return next(passage)
  }
  /** Ends with what comes `next`, whoever took the message. */
  return (passage: Passage, next: (passage: Passage) => Effect.Effect<void>): Effect.Effect<void> =>
    from(0, passage, next)
}
