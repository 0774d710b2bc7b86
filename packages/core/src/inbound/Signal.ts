/**
 * Calls, reactions, votes and deletions: a path of their own (A20). No dedupe, no storing, no message hooks, no
 * matchers: only their typed triggers, under the chat's turn and in its order.
 *
 * SG1 a call: handoff → before and after call hooks → `call` event → language → CALL triggers, in this order.
 * SG2 each is handled, or dropped with a reason; never both (I24).
 */
import { Cause, Effect } from "effect"
import { Chat } from "../chat/Chat.ts"
import { jumpOf } from "../chat/Control.ts"
import type { DropReason } from "../model/DropReason.ts"
import type { InboundMessage, SignalEvent } from "../model/Event.ts"
import type { Turn, TurnHolder } from "../outbound/Turn.ts"
import { resolveLanguage } from "./4-prepare/Language.ts"
import { runHandler } from "./5-route/RunHandler.ts"
import type { InboundPort, Lane } from "./InboundPort.ts"
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

const publish = (port: InboundPort, event: SignalEvent, chat: Chat): void => {
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

/** The call hooks, before then after; `undefined` when one of them stopped the call or failed. */
const callHooks = Effect.fnUntraced(function* (port: InboundPort, chat: Chat) {
  let current = chat
  for (const hook of port.call.before.items) {
    const exit = yield* Effect.exit(Effect.suspend(() => hook.bind(hook.run(current))))
    if (exit._tag === "Failure") {
      if (jumpOf(exit.cause) === undefined) yield* port.failed({ ...failure(exit.cause, "a call hook"), chat: current })
      return undefined
    }
    if (exit.value !== undefined) current = exit.value
  }
  for (const hook of port.call.after.items) {
    yield* Effect.catchCause(
      Effect.suspend(() => hook.bind(hook.run(current))),
      (cause) =>
        jumpOf(cause) === undefined ? port.failed({ ...failure(cause, "a call hook"), chat: current }) : Effect.void
    )
  }
  return current
})
const failure = (cause: Cause.Cause<unknown>, where: string) => ({ cause, where, during: "call", quiet: true }) as const

export const makeSignal = (port: InboundPort) => {
  const handle = Effect.fnUntraced(function* (holder: TurnHolder, event: SignalEvent, view: View) {
    const first = resolveLanguage(port, view, event.lang, "")
    const made = new Chat(
      port.chatPort,
      holder,
      asMessage(event),
      view.user,
      "",
      "unknown",
      first.lang,
      first.source,
      undefined,
      []
    )
    const hooked = event._tag === "call" ? yield* callHooks(port, made) : made
    if (hooked === undefined) return "stopped-by-hook" as const
    publish(port, event, hooked)
    // A hook may have stored the person's language meanwhile; one it set itself stands.
    const { lang, source } = resolveLanguage(port, view, event.lang, "")
    const chat = hooked.langSource === "hook" ? hooked : hooked.with({ lang, langSource: source })
    const during = event._tag === "call" ? "call" : "message"
    for (const { bind, run } of port.signals.items) {
      const verdict = yield* runHandler(
        port,
        chat,
        event._tag,
        { run: (current) => run({ chat: current, event }), bind },
        during
      )
      if (verdict._tag === "consumed") break
    }
    return undefined
  })

  const submit = (event: SignalEvent, lane: Lane): void => {
    const { key, ticket } = lane
    const holder: TurnHolder = { key, ticket, turn: undefined }
    let open = true
    /** SG2. */
    const close = (reason: DropReason | undefined): void => {
      if (!open) return
      open = false
      if (reason === undefined) port.metrics.handled()
      else port.dropped(event, reason)
    }
    const failed = (cause: Cause.Cause<unknown>, where: string, reason: DropReason): Effect.Effect<void> => {
      close(reason)
      const during = event._tag === "call" ? "call" : "message"
      return port.failed({ cause, where, chat: undefined, engine: true, during })
    }
    const run = (turn: Turn): Effect.Effect<void> => {
      if (port.lifecycle.state !== "running") return Effect.sync(() => close("not-running"))
      return Effect.matchCauseEffect(port.views.open(turn.lease, key, event.from, event.sender), {
        onFailure: (cause) => failed(cause, "opening the chat", "store-failed"),
        onSuccess: (view) =>
          view.handoff === undefined
            ? Effect.map(handle(holder, event, view), close)
            : Effect.sync(() => close("handoff"))
      })
    }
    port.turns.submit({
      holder,
      run,
      cut: (_, exit) =>
        exit._tag === "Failure" && !Cause.hasInterruptsOnly(exit.cause)
          ? failed(exit.cause, `the path of a ${event._tag}`, "turn-lost")
          : Effect.sync(() => close("turn-lost")),
      unavailable: (error) => failed(Cause.fail(error), "waiting for a turn", "turn-timeout"),
      over: () => lane.over()
    })
  }
  return (event: SignalEvent, lane: Lane): void => lane.arrive().ready(() => submit(event, lane))
}
