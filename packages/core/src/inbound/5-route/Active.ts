/** The participant's own conversation takes the message (A13). */
import { Effect } from "effect"
import type { Live, Settled } from "../../conversation/Live.ts"
import type { InboundPort } from "../InboundPort.ts"
import { passed, type Passage, type Verdict } from "../Passage.ts"
import { savedOf } from "../SavedOf.ts"
import type { Stage } from "./Route.ts"

const consumed: Verdict = { _tag: "consumed", by: "conversation" }

/** Settles what a conversation did before anything else happens in the turn, and reports its failure. */
export const settleDrive = (port: InboundPort, passage: Passage, live: Live, settled: Settled): Effect.Effect<void> => {
  const { turn } = passage
  if (turn === undefined) return Effect.void
  const where = `${live.program.kind} ${live.registered.id}`
  const failed =
    settled._tag === "failed" ? port.failed({ cause: settled.cause, where, chat: passage.chat }) : Effect.void
  return Effect.andThen(
    failed,
    Effect.catchCause(port.conversations.settle(live, turn, settled), (cause) => {
      port.views.forget(passage.key)
      return port.failed({ cause, where: `the checkpoint of ${where}`, chat: passage.chat })
    })
  )
}

export const makeActive = (port: InboundPort): Stage => {
  const run = (passage: Passage): Effect.Effect<Verdict> =>
    Effect.suspend(() => {
      const { chat, key, turn } = passage
      const live = port.conversations.lives.get(key)
      if (live === undefined || chat === undefined || turn === undefined) return Effect.succeed(passed)
      return Effect.flatMap(port.conversations.deliver(live, savedOf(chat), passage.arrivedAt, turn), (driven) => {
        if (driven.consumed === "full") {
          port.dropped(passage.event, "pending-full")
          passage.dropped = true
          return Effect.succeed(consumed)
        }
        // The last drive of the turn is settled at its close, after the message was published (design.md 5).
        passage.drive = { live, settled: driven.settled }
        if (driven.consumed) return Effect.succeed(consumed)
        passage.drive = undefined
        return Effect.andThen(settleDrive(port, passage, live, driven.settled), run(passage))
      })
    })
  return {
    name: "active",
    applies: (passage) => port.conversations.lives.has(passage.key),
    run
  }
}
