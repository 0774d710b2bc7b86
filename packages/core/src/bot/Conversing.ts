/** Wires the conversations: what they need of the bot, and what is told and counted of them. */
import type { Chat } from "../chat/Chat.ts"
import type { ConversationPort } from "../conversation/ConversationPort.ts"
import type { Live } from "../conversation/Live.ts"
import type { Turns } from "../conversation/Turns.ts"
import type { HandoverOutcome } from "../events/BotEvent.ts"
import { isWord } from "../i18n/Catalogue.ts"
import type { Failure } from "../inbound/InboundPort.ts"
import type { SavedMessage } from "../model/Checkpoint.ts"
import type { Outbound } from "../outbound/Send.ts"
import type { TurnHolder } from "../outbound/Turn.ts"
import type { Effect } from "effect"
import type { Parts } from "./Parts.ts"
import type { Registry } from "./Registry.ts"

interface Around {
  readonly turns: Turns
  readonly outbound: Outbound
  readonly chatOf: (holder: TurnHolder, message: SavedMessage) => Chat
  readonly failed: (failure: Failure) => Effect.Effect<void>
  readonly handedOff: (live: Live) => boolean
  /** How many are alive now. */
  readonly alive: () => number
  /** The conversation of a key is over: what was queued behind it runs (B18). */
  readonly over: (key: string) => void
  /** Messages it kept are new again. */
  readonly kept: ConversationPort["onKept"]
}

export const tellHandover = (
  { metrics, publish }: Pick<Parts, "metrics" | "publish">,
  key: string,
  name: string,
  outcome: HandoverOutcome
): void => {
  metrics.handover(outcome)
  publish({ _tag: "coordination:handover", key, name, outcome })
}

export const wireConversations = (parts: Parts, registry: Registry, around: Around): ConversationPort => {
  const { catalogue, coordinator, metrics, publish, settings, views } = parts
  const { chatOf, failed } = around
  return {
    store: parts.store,
    scope: parts.scope,
    timers: parts.timers,
    turns: around.turns,
    outbound: around.outbound,
    limits: {
      steps: settings.limits.steps,
      gotos: settings.limits.gotos,
      pending: settings.limits.pending,
      cuts: settings.limits.cuts,
      dormantAfter: settings.dormantAfter,
      timeout: settings.timeout
    },
    shared: coordinator.shared,
    handover: settings.handover,
    registered: (flow) => registry.flows.get(flow),
    known: () => [...registry.flows.keys()],
    catalogue,
    word: (body, lang) =>
      isWord(catalogue, lang, "core.words.cancel", body)
        ? "cancel"
        : isWord(catalogue, lang, "core.words.back", body)
          ? "back"
          : undefined,
    chatOf,
    handedOff: around.handedOff,
    onStarted: (live) => {
      metrics.conversationStarted()
      metrics.activeConversations(around.alive())
      publish({ _tag: "conversation:started", key: live.key, flow: live.registered.id, id: live.id })
    },
    onAwake: (live, { lease }) => {
      metrics.activeConversations(around.alive())
      // One that only slept here was not handed over.
      if (lease.previousHolder === coordinator.incarnation) return
      tellHandover(parts, live.key, live.registered.id, "resumed")
    },
    onEnded: (live, outcome) => {
      metrics.conversationEnded(outcome)
      metrics.activeConversations(around.alive())
      publish({ _tag: "conversation:ended", key: live.key, flow: live.registered.id, id: live.id, outcome })
      around.over(live.key)
    },
    onDropped: (key, checkpoint, outcome) => {
      metrics.conversationEnded(outcome)
      publish({ _tag: "conversation:ended", key, flow: checkpoint.flow, id: checkpoint.id, outcome })
      around.over(key)
    },
    onKept: around.kept,
    onDormant: (live) => {
      metrics.activeConversations(around.alive())
      views.forget(live.key)
    },
    onUnanswered: (key) => views.doubt(key),
    onRefusedCheckpoint: (live, turn) => {
      metrics.checkpointRefused()
      views.forget(live.key)
      // A turn whose lease was lost is told of already.
      if (turn.suspended === "lease-lost") return
      metrics.leaseLost()
      publish({ _tag: "coordination:lease-lost", key: live.key, reason: "superseded" })
    },
    onError: (live, cause, retried = false) =>
      failed({
        cause,
        retried,
        where: `${live.program.kind} ${live.registered.id}`,
        chat: chatOf(live.holder, live.current ?? live.origin)
      })
  }
}
