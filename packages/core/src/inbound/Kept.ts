/**
 * Messages that a conversation kept for a question which never came: routed as new, each in a turn of its own (R2, R16).
 * They were admitted, hooked and published when they came; only their way to a handler begins again.
 */
import { Effect } from "effect"
import type { SavedMessage } from "../model/Checkpoint.ts"
import { makeRoute } from "./5-route/Route.ts"
import type { InboundPort, Lane } from "./InboundPort.ts"
import { Passage } from "./Passage.ts"
import { settleDrive } from "./Settle.ts"

export const makeKept = (port: InboundPort) => {
  const route = makeRoute(port)

  const settle = (passage: Passage): Effect.Effect<void> => {
    const { drive } = passage
    return drive === undefined ? Effect.void : settleDrive(port, passage, drive.live, drive.settled)
  }
  const submit = (lane: Lane, message: SavedMessage): void => {
    const { key } = lane
    const passage: Passage = new Passage(
      port.conversationPort.chatOf({ key, turn: undefined }, message).event,
      lane,
      undefined,
      port.timers.now()
    )
    port.turns.submit({
      holder: passage,
      run: (turn) =>
        Effect.matchCauseEffect(port.views.open(turn.lease, key, message.from, message.sender), {
          onFailure: (cause) =>
            port.failed({ cause, where: "opening the chat of a kept message", chat: undefined, engine: true }),
          onSuccess: (view) => {
            passage.view = view
            passage.chat = port.conversationPort.chatOf(passage, message)
            return route(passage, settle)
          }
        }),
      cut: (turn) => {
        const { drive } = passage
        passage.drive = undefined
        if (drive !== undefined) return settleDrive(port, passage, drive.live, drive.settled)
        const live = port.conversations.lives.get(key)
        return live === undefined ? Effect.void : port.conversations.abandon(live, turn)
      },
      unavailable: (error) => Effect.logWarning(`no turn for a message kept in ${key}`, error),
      over: () => lane.over()
    })
  }
  return (key: string, messages: ReadonlyArray<SavedMessage>): void => {
    // Stopping: nothing new is begun.
    if (port.lifecycle.state !== "running") return
    for (const message of messages) {
      const lane = port.queue.lane(key)
      lane.arrive().ready(() => submit(lane, message))
    }
  }
}
