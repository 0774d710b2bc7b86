/** The participant's own conversation takes the message (A13). */
import { Effect } from "effect"
import type { Live } from "../../conversation/Live.ts"
import type { InboundPort } from "../InboundPort.ts"
import { drop, passed, type Passage, type Verdict } from "../Passage.ts"
import { savedOf } from "../SavedOf.ts"
import { settleDrive } from "../Settle.ts"
import type { Fallback, Left } from "./Fallback.ts"
import type { Stage } from "./Route.ts"

const consumed: Verdict = { _tag: "consumed", by: "conversation" }

/** Its log and its code differ: what it knew is of no use any more. */
const leftOf = ({ id, initial, origin, registered, stepId }: Live): Left => ({
  flow: registered.id,
  id,
  stepId,
  state: {},
  origin,
  ...(initial === undefined ? {} : { initial })
})

export const makeActive = (port: InboundPort, fallback: Fallback): Stage => {
  const run = (passage: Passage): Effect.Effect<Verdict> =>
    Effect.suspend(() => {
      const { chat, key, turn } = passage
      const live = port.conversations.lives.get(key)
      if (live === undefined || chat === undefined || turn === undefined) return Effect.succeed(passed)
      return Effect.flatMap(port.conversations.deliver(live, savedOf(chat), passage.arrivedAt, turn), (driven) => {
        if (driven.consumed === "full") {
          // Its record stays open and comes again; without one it is lost, counted (R16).
          passage.unsettled = true
          drop(port, passage, "pending-full")
          return Effect.succeed(consumed)
        }
        // The last drive of the turn is settled at its close, after the message was published (design.md 5).
        passage.drive = { live, settled: driven.settled }
        if (driven.consumed) return Effect.succeed(consumed)
        passage.drive = undefined
        const { settled } = driven
        const hasChanged = settled._tag === "ended" && settled.outcome === "changed"
        return Effect.andThen(
          settleDrive(port, passage, live, settled),
          hasChanged ? fallback(passage, leftOf(live), "changed") : run(passage)
        )
      })
    })
  return {
    name: "active",
    applies: (passage) => port.conversations.lives.has(passage.key),
    run
  }
}
