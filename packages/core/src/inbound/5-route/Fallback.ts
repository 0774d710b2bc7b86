/** A stored conversation cannot go on: what the option `handover.fallback` says happens to the message that met it (C18). */
import { Cause, Effect, Result } from "effect"
import type { Chat } from "../../chat/Chat.ts"
import type { HandoverInfo } from "../../chat/Handover.ts"
import { decodeFields } from "../../conversation/StateCopy.ts"
import type { State } from "../../conversation/Step.ts"
import type { HandoverOutcome } from "../../events/BotEvent.ts"
import type { Checkpoint } from "../../model/Checkpoint.ts"
import type { InboundPort } from "../InboundPort.ts"
import { passed, type Passage, type Verdict } from "../Passage.ts"
import { startFlow } from "./StartFlow.ts"

/** What is left of it; its checkpoint is cleared already. */
export type Left = Pick<Checkpoint, "flow" | "id" | "stepId" | "state" | "origin" | "initial">

const consumed: Verdict = { _tag: "consumed", by: "handover" }

export const makeFallback = (port: InboundPort) => {
  const { fallback, notifyMessage, told } = port.handover

  const as = (info: HandoverInfo, outcome: HandoverOutcome): Verdict => {
    told(info.key, info.flow, outcome)
    return outcome === "dropped" ? passed : consumed
  }
  const notify = (info: HandoverInfo, chat: Chat): Effect.Effect<Verdict> =>
    Effect.matchCauseEffect(
      chat.reply(notifyMessage ?? port.chatPort.translate(chat.lang, "core.conversation.interrupted", {})),
      {
        onSuccess: () => Effect.sync(() => as(info, "notified")),
        onFailure: (cause) =>
          Effect.as(
            port.failed({ cause, where: "telling of an interruption", chat, quiet: true }),
            as(info, "notified")
          )
      }
    )
  const restart = (info: HandoverInfo, left: Left, passage: Passage): Effect.Effect<Verdict> => {
    const registered = port.conversationPort.registered(left.flow)
    if (registered === undefined) return Effect.sync(() => as(info, "dropped"))
    const initial = decodeFields(registered.program, left.initial ?? {})
    const state: State = Result.getOrElse(initial, () => ({}))
    return Effect.map(startFlow(port, passage, left.flow, state), () => as(info, "restarted"))
  }
  const decide = (
    info: HandoverInfo,
    chat: Chat,
    handle: (info: HandoverInfo, chat: Chat) => Effect.Effect<boolean, unknown>
  ): Effect.Effect<Verdict> =>
    Effect.matchCauseEffect(
      Effect.suspend(() => handle(info, chat)),
      {
        onSuccess: (handled) => Effect.sync(() => as(info, handled ? "handled" : "dropped")),
        onFailure: (cause): Effect.Effect<Verdict> =>
          // Suspended: the turn's own closing tells what became of it (R17).
          Cause.hasInterruptsOnly(cause)
            ? Effect.failCause(Cause.interrupt())
            : Effect.map(port.failed({ cause, where: "handover.fallback", chat }), () => as(info, "dropped"))
      }
    )

  return (passage: Passage, left: Left, reason: HandoverInfo["reason"]): Effect.Effect<Verdict> =>
    Effect.suspend(() => {
      const { chat, key } = passage
      const { flow, id, origin, state, stepId } = left
      const info: HandoverInfo = { key, flow, id, step: stepId, reason, state, origin }
      if (chat === undefined || fallback === "drop") return Effect.succeed(as(info, "dropped"))
      if (fallback === "notify") return notify(info, chat)
      return fallback === "restart" ? restart(info, left, passage) : decide(info, chat, fallback)
    })
}
export type Fallback = ReturnType<typeof makeFallback>
