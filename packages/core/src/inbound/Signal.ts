/**
 * Calls, reactions, votes and deletions: a path of their own (A20). No dedupe, no storing, no message hooks, no
 * matchers: only their typed triggers, under the chat's turn.
 */
import { Cause, Effect } from "effect"
import { Chat } from "../chat/Chat.ts"
import { jumpOf } from "../chat/Control.ts"
import type { InboundMessage, SignalEvent } from "../model/Event.ts"
import type { Turn, TurnHolder } from "../outbound/Turn.ts"
import { resolveLanguage } from "./4-prepare/Language.ts"
import { runHandler } from "./5-route/RunHandler.ts"
import type { InboundPort } from "./InboundPort.ts"
import { keyOf } from "./Key.ts"
import type { View } from "./Passage.ts"

/** A signal as a message, for the chat object its handlers see. */
const asMessage = (event: SignalEvent): InboundMessage => ({
  _tag: "message",
  from: event.from,
  sender: event.sender,
  isGroup: event.isGroup,
  type: "unknown",
  body: event._tag === "reaction" ? event.emoji : "",
  ref: event._tag === "reaction" || event._tag === "delete" ? event.target : { id: "", chatId: event.from },
  ...(event.lang === undefined ? {} : { lang: event.lang }),
  ...(event.topic === undefined ? {} : { topic: event.topic })
})

export const makeSignal = (port: InboundPort) => {
  const publish = (event: SignalEvent, chat: Chat): void => {
    switch (event._tag) {
      case "call":
        return port.publish({ _tag: "call", chat, call: event })
      case "reaction":
        return port.publish({ _tag: "reaction", reaction: event })
      case "pollVote":
        return port.publish({ _tag: "pollVote", vote: event })
      case "delete":
        return port.publish({ _tag: "delete", event })
    }
  }

  const handle = Effect.fnUntraced(function* (holder: TurnHolder, event: SignalEvent, view: View) {
    const { lang, source } = resolveLanguage(port, view, event.lang, "")
    let chat = new Chat(port.chatPort, holder, asMessage(event), view.user, "", "unknown", lang, source, undefined, [])
    if (event._tag === "call") {
      for (const hook of port.call.before.items) {
        const exit = yield* Effect.exit(hook.bind(hook.run(chat)))
        if (exit._tag === "Failure") {
          if (jumpOf(exit.cause) === undefined) yield* port.failed({ cause: exit.cause, where: "a call hook", chat })
          port.dropped(event, "stopped-by-hook")
          return
        }
        if (exit.value !== undefined) chat = exit.value
      }
    }
    publish(event, chat)
    for (const handler of port.signals.items) {
      const verdict = yield* runHandler(port, chat, event._tag, {
        run: (current) => handler.run({ chat: current, event }),
        bind: handler.bind
      })
      if (verdict._tag === "consumed") break
    }
    if (event._tag === "call") {
      for (const hook of port.call.after.items) {
        yield* Effect.catchCause(hook.bind(hook.run(chat)), (cause) =>
          port.failed({ cause, where: "a call hook", chat })
        )
      }
    }
    port.metrics.handled()
  })

  return (event: SignalEvent): void => {
    const holder = { key: keyOf(event, port.perParticipant), turn: undefined }
    const lost = (turn: Turn) =>
      Effect.sync(() => (turn.suspended === undefined ? undefined : port.dropped(event, "turn-lost")))
    port.turns.submit({
      holder,
      run: (turn) =>
        Effect.matchCauseEffect(port.views.open(turn.lease, holder.key, event.from, event.sender), {
          onFailure: (cause) => {
            port.dropped(event, "store-failed")
            return port.failed({ cause, where: "opening the chat", chat: undefined })
          },
          onSuccess: (view) => {
            if (view.handoff === undefined) return handle(holder, event, view)
            port.dropped(event, "handoff")
            return Effect.void
          }
        }),
      cut: lost,
      unavailable: (error) => {
        port.dropped(event, "turn-timeout")
        return port.failed({ cause: Cause.fail(error), where: "waiting for a turn", chat: undefined })
      },
      over: () => {}
    })
  }
}
