/**
 * A message that a conversation has taken already, delivered again because its turn or its replica was lost: applied at
 * most once (I9), to a conversation that lives on or has ended (R7). A step that was cut under it goes on.
 */
import { Effect, Result } from "effect"
import type { Turn } from "../../outbound/Turn.ts"
import { eventId } from "../../model/Event.ts"
import type { InboundPort } from "../InboundPort.ts"
import { drop, type Passage, type View } from "../Passage.ts"
import { settleDrive } from "../Settle.ts"

/** To be asked of a view that was just read: what this process knows itself its dedupe answers for. */
export const wasApplied = ({ event, record }: Passage, { applied, dormant }: View): boolean => {
  const id = eventId(event)
  return id !== "" && record === "" && (applied.includes(id) || dormant?.applied.includes(id) === true)
}

export const makeAgain =
  (port: InboundPort) =>
  (passage: Passage, view: View, turn: Turn): Effect.Effect<void> =>
    Effect.suspend(() => {
      drop(port, passage, "duplicate")
      const { dormant } = view
      // One that waits has said all it had to; without a wait nobody knows how far it came.
      if (dormant === undefined || dormant.wait !== undefined || view.handoff !== undefined) return Effect.void
      view.dormant = undefined
      const awake = port.conversations.awaken(passage.key, dormant, turn)
      if (Result.isSuccess(awake)) {
        const live = awake.success
        return Effect.flatMap(port.conversations.revive(live, turn), (settled) =>
          settleDrive(port, passage, live, settled)
        )
      }
      return Effect.catchCause(port.conversations.dropStored(passage.key, dormant, turn, awake.failure), (cause) =>
        port.failed({ cause, where: `the checkpoint of ${dormant.flow}`, chat: undefined, engine: true })
      )
    })
