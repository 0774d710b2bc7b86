/** Fourth phase: the chat object, its language, and the before hooks (A9, A10). */
import { Cause, Effect } from "effect"
import { Chat } from "../../chat/Chat.ts"
import { jumpOf } from "../../chat/Control.ts"
import type { Hook } from "../../hooks/Hooks.ts"
import { whenDone } from "../../model/Direct.ts"
import { begin } from "../../model/Erased.ts"
import { bodyType } from "../../model/Event.ts"
import type { TurnHolder } from "../../outbound/Turn.ts"
import type { InboundPort } from "../InboundPort.ts"
import type { Passage, Verdict, View } from "../Passage.ts"
import { passed } from "../Passage.ts"
import { resolveLanguage } from "./Language.ts"

const stopped: Verdict = { _tag: "stopped", reason: "stopped-by-hook" }

/** What comes after it, called with the verdict: a result handed back would cost every message two steps more. */
type Next = (passage: Passage, verdict: Verdict) => Effect.Effect<void>

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

  const hooked = (
    passage: Passage,
    view: View,
    chat: Chat,
    hooks: ReadonlyArray<Hook<Chat, Chat | void>>,
    nth: number,
    next: Next
  ): Effect.Effect<void> => {
    const hook = hooks[nth]
    if (hook === undefined) return next(passage, passed)
    return whenDone(begin(hook, chat), {
      onSuccess: (changed) => {
        const current = changed === undefined ? chat : relit(passage, view, chat, changed)
        passage.chat = current
        return hooked(passage, view, current, hooks, nth + 1, next)
      },
      onFailure: (cause) => {
        const jump = jumpOf(cause)
        if (jump?._tag === "stop" || jump?._tag === "pass") return next(passage, stopped)
        // Suspended: the turn's own closing tells what became of it (R17).
        if (Cause.hasInterruptsOnly(cause) && passage.turn?.suspended !== undefined) {
          return Effect.failCause(Cause.interrupt())
        }
        return Effect.flatMap(port.failed({ cause, where: "a before hook", chat }), () => next(passage, stopped))
      }
    })
  }

  /** A before hook that fails stops the message, as one that aborts does: what it guards must not run unguarded. */
  return (passage: Passage, holder: TurnHolder, view: View, next: Next): Effect.Effect<void> => {
    const chat = greet(passage, holder, view)
    passage.chat = chat
    return hooked(passage, view, chat, port.message.before.items, 0, next)
  }
}

const none: ReadonlyArray<string> = []
