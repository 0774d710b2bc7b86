/**
 * Last phase, in this order: after hooks → publish → settle (checkpoint → ack); the turn is released after it (design.md 5).
 * Publishing does not wait for settling.
 */
import { Effect } from "effect"
import type { InboundPort } from "../InboundPort.ts"
import type { Passage } from "../Passage.ts"
import { settleDrive } from "../5-route/Active.ts"

export const makeClose = (port: InboundPort) => {
  const afterHooks = (passage: Passage): Effect.Effect<void> => {
    const { chat } = passage
    const hooks = port.message.after.items
    if (chat === undefined || hooks.length === 0) return Effect.void
    return Effect.forEach(
      hooks,
      (hook) =>
        Effect.catchCause(
          Effect.suspend(() => hook.bind(hook.run(chat))),
          (cause) => port.failed({ cause, where: "an after hook", chat })
        ),
      { discard: true }
    )
  }
  const settle = (passage: Passage): Effect.Effect<void> => {
    const { drive } = passage
    passage.drive = undefined
    const checkpointed = drive === undefined ? Effect.void : settleDrive(port, passage, drive.live, drive.settled)
    if (passage.record === "" || passage.turn === undefined) return checkpointed
    const { fence } = passage.turn.lease
    return Effect.andThen(
      checkpointed,
      Effect.catchCause(port.durability.ack(passage.key, passage.record, fence), (cause) =>
        port.failed({ cause, where: "the ack of an inbox record", chat: passage.chat })
      )
    )
  }
  const publish = (passage: Passage): void => {
    if (passage.chat === undefined) return
    if (!passage.dropped) port.metrics.handled()
    port.publish({ _tag: "message", chat: passage.chat })
    port.rearmIdle(passage.chat)
  }
  return (passage: Passage): Effect.Effect<void> =>
    Effect.flatMap(afterHooks(passage), () => {
      publish(passage)
      return settle(passage)
    })
}
