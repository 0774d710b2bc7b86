/**
 * Last phase, in this order: after hooks → publish → settle (checkpoint → ack); the turn is released after it (design.md 5).
 * Publishing does not wait for settling. A message that was dropped has neither after hooks nor a `message` event.
 */
import { Effect } from "effect"
import { jumpOf } from "../../chat/Control.ts"
import type { Chat } from "../../chat/Chat.ts"
import type { Hook } from "../../hooks/Hooks.ts"
import { whenDone } from "../../model/Direct.ts"
import { begin } from "../../model/Erased.ts"
import type { InboundPort } from "../InboundPort.ts"
import type { Passage } from "../Passage.ts"
import { settleDrive } from "../Settle.ts"

export const makeClose = (port: InboundPort) => {
  /** Runs the hooks from the nth on, then publishes and settles. */
  const afterHooks = (
    passage: Passage,
    chat: Chat,
    hooks: ReadonlyArray<Hook<Chat>>,
    nth: number
  ): Effect.Effect<void> => {
    const hook = hooks[nth]
    if (hook === undefined) {
      publish(passage, chat)
      return settle(passage)
    }
    return whenDone(begin(hook, chat), {
      onSuccess: (_) => afterHooks(passage, chat, hooks, nth + 1),
      onFailure: (cause) =>
        jumpOf(cause) === undefined
          ? Effect.flatMap(port.failed({ cause, where: "an after hook", chat, quiet: true }), () =>
              afterHooks(passage, chat, hooks, nth + 1)
            )
          : afterHooks(passage, chat, hooks, nth + 1)
    })
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
    const { inbox } = port.durability
    const fence = turn === undefined ? {} : { fence: turn.lease.fence }
    const act =
      unsettled || turn === undefined
        ? inbox.release(port.scope, key, record, fence)
        : inbox.ack(port.scope, key, record, turn.lease.fence)
    return Effect.catchCause(act, (cause) =>
      port.failed({ cause, where: "signing off an inbox record", chat, engine: true, quiet: true })
    )
  }
  const publish = (passage: Passage, chat: Chat): void => {
    if (passage.turn === undefined || passage.turn.then.length === 0) {
      passage.fate = "handled"
      port.metrics.handled()
    } else passage.fate = "following"
    port.publish({ _tag: "message", chat })
    port.rearmIdle(chat)
  }
  return (passage: Passage): Effect.Effect<void> =>
    passage.fate === "open" && passage.chat !== undefined
      ? afterHooks(passage, passage.chat, port.message.after.items, 0)
      : settle(passage)
}
