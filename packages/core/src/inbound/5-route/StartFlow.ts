/** Starts a flow in the turn of the message that triggered it. */
import { Effect } from "effect"
import type { State } from "../../conversation/Step.ts"
import type { InboundPort } from "../InboundPort.ts"
import type { Passage } from "../Passage.ts"
import { savedOf } from "../SavedOf.ts"
import { settleDrive } from "../Settle.ts"

export const startFlow = (port: InboundPort, passage: Passage, flow: string, state: State): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { chat, turn } = passage
    const registered = port.conversationPort.registered(flow)
    if (registered === undefined || chat === undefined || turn === undefined) {
      return Effect.logWarning(`flow "${flow}" is no longer registered: the message that triggers it is not handled`)
    }
    const origin = savedOf(chat)
    // Derived from the message, so that a start repeated after a crash has the same id (R1).
    const id = `${passage.key}/${flow}/${passage.record || origin.id || String(passage.arrivedAt)}`
    const previous = passage.drive
    passage.drive = undefined
    const before = previous === undefined ? Effect.void : settleDrive(port, passage, previous.live, previous.settled)
    return Effect.flatMap(
      Effect.andThen(before, port.conversations.start(registered, passage.key, id, origin, state, turn)),
      ({ live, settled }) =>
        Effect.sync(() => {
          passage.drive = { live, settled }
        })
    )
  })
