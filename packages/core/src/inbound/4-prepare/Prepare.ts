/** Fourth phase: the chat object, its language, and the before hooks (A9, A10). */
import { Cause, Effect } from "effect"
import { Chat } from "../../chat/Chat.ts"
import { jumpOf } from "../../chat/Control.ts"
import type { Hook } from "../../hooks/Hooks.ts"
import { bodyType } from "../../model/Event.ts"
import type { TurnHolder } from "../../outbound/Turn.ts"
import type { InboundPort } from "../InboundPort.ts"
import type { Passage, Verdict, View } from "../Passage.ts"
import { passed } from "../Passage.ts"
import { resolveLanguage } from "./Language.ts"

const stopped: Verdict = { _tag: "stopped", reason: "stopped-by-hook" }

export const makePrepare = (port: InboundPort) => {
  const greet = (passage: Passage, holder: TurnHolder, view: View): Chat => {
    const { event } = passage
    const { lang, source } = resolveLanguage(port, view, event.lang, event.body)
    return new Chat(port.chatPort, holder, event, view.user, event.body, bodyType(event), lang, source, undefined, none)
  }

  /** A hook that rewrote the text gets its language resolved anew, unless it set one itself. */
  const relit = (passage: Passage, view: View, before: Chat, after: Chat): Chat => {
    if (after.body === before.body || after.langSource === "hook") return after
    if (after.langSource !== "detect" && after.langSource !== "default") return after
    const { lang, source } = resolveLanguage(port, view, passage.event.lang, after.body)
    return after.with({ lang, langSource: source })
  }

  const hooked = Effect.fnUntraced(function* (
    passage: Passage,
    view: View,
    chat: Chat,
    hooks: ReadonlyArray<Hook<Chat, Chat | void>>
  ) {
    let current = chat
    for (const hook of hooks) {
      const exit = yield* Effect.exit(Effect.suspend(() => hook.bind(hook.run(current))))
      if (exit._tag === "Failure") {
        const jump = jumpOf(exit.cause)
        if (jump?._tag !== "stop" && jump?._tag !== "pass") {
          if (Cause.hasInterruptsOnly(exit.cause) && passage.turn?.suspended !== undefined) {
            return yield* Effect.failCause(exit.cause)
          }
          yield* port.failed({ cause: exit.cause, where: "a before hook", chat: current })
        }
        return stopped
      }
      if (exit.value !== undefined) {
        current = relit(passage, view, current, exit.value)
        passage.chat = current
      }
    }
    return passed
  })

  /** A before hook that fails stops the message, as one that aborts does: what it guards must not run unguarded. */
  return (passage: Passage, holder: TurnHolder, view: View): Effect.Effect<Verdict> => {
    const chat = greet(passage, holder, view)
    passage.chat = chat
    const hooks = port.message.before.items
    return hooks.length === 0 ? Effect.succeed(passed) : Effect.orDie(hooked(passage, view, chat, hooks))
  }
}

const none: ReadonlyArray<string> = []
