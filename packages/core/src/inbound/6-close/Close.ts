/**
 * Last phase, in this order: after hooks → publish → settle (checkpoint → ack); the turn is released after it (design.md 5).
 * Publishing does not wait for settling. A message that was dropped has neither after hooks nor a `message` event.
 */
import { Effect } from "effect"
import { jumpOf } from "../../chat/Control.ts"
import type { InboundPort } from "../InboundPort.ts"
import type { Passage } from "../Passage.ts"
import { settleDrive } from "../Settle.ts"

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
          (cause) =>
            jumpOf(cause) === undefined
              ? port.failed({ cause, where: "an after hook", chat, quiet: true })
              : Effect.void
        ),
      { discard: true }
    )
  }
  const settle = (passage: Passage): Effect.Effect<void> => {
    const { drive } = passage
    passage.drive = undefined
    const checkpointed = drive === undefined ? Effect.void : settleDrive(port, passage, drive.live, drive.settled)
    return passage.record === ""
      ? checkpointed
      : Effect.andThen(
          checkpointed,
          Effect.suspend(() => signOff(passage))
        )
  }
  /** The ack comes only after the checkpoint that holds the effect; without it the record is released (I10). */
  const signOff = (passage: Passage): Effect.Effect<void> => {
    const { chat, key, record, turn, unsettled } = passage
    const act =
      unsettled || turn === undefined
        ? port.durability.release(key, record)
        : port.durability.ack(key, record, turn.lease.fence)
    return Effect.catchCause(act, (cause) =>
      port.failed({ cause, where: "signing off an inbox record", chat, engine: true, quiet: true })
    )
  }
  const publish = (passage: Passage): void => {
    if (passage.chat === undefined) return
    passage.fate = "handled"
    port.metrics.handled()
    port.publish({ _tag: "message", chat: passage.chat })
    port.rearmIdle(passage.chat)
  }
  return (passage: Passage): Effect.Effect<void> =>
    passage.fate === "open"
      ? Effect.flatMap(afterHooks(passage), () => {
          publish(passage)
          return settle(passage)
        })
      : settle(passage)
}
