/** Stores what a conversation did in the turn, before anything else happens in it (design.md 5: checkpoint → ack → release). */
import { Effect } from "effect"
import type { Live, Settled } from "../conversation/Live.ts"
import type { InboundPort } from "./InboundPort.ts"
import type { Passage } from "./Passage.ts"

/** Settles a drive and reports its failure. A refused or failed checkpoint leaves the message `unsettled` (I10). */
export const settleDrive = (port: InboundPort, passage: Passage, live: Live, settled: Settled): Effect.Effect<void> => {
  const { turn } = passage
  if (turn === undefined) return Effect.void
  const where = `${live.program.kind} ${live.registered.id}`
  const stored = Effect.catchCause(port.conversations.settle(live, turn, settled), (cause) => {
    port.views.forget(passage.key)
    passage.unsettled = true
    return port.failed({ cause, where: `the checkpoint of ${where}`, chat: passage.chat, engine: true, quiet: true })
  })
  return settled._tag === "failed"
    ? Effect.andThen(
        port.failed({
          cause: settled.cause,
          where,
          chat: passage.chat,
          retried: port.conversations.willRetry(live, settled)
        }),
        stored
      )
    : stored
}
