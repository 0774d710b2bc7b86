/**
 * Puts a bot together: the parts of one running bot, wired by plain functions. What each part promises stands in its own
 * file; this one only says who talks to whom.
 */
import { Cause, type Context, Effect } from "effect"
import { makeDormants } from "../conversation/Dormants.ts"
import { makeConversations } from "../conversation/Runtime.ts"
import { makeTurns } from "../conversation/Turns.ts"
import type { HandoverOutcome } from "../events/BotEvent.ts"
import { translate } from "../i18n/Catalogue.ts"
import { hears } from "../inbound/2-admit/GroupMode.ts"
import type { Follower, InboundPort } from "../inbound/InboundPort.ts"
import { makeKept } from "../inbound/Kept.ts"
import { makeReceive } from "../inbound/Receive.ts"
import { makeTrigger } from "../inbound/Trigger.ts"
import { normalise } from "../model/Normalise.ts"
import { makeAbort } from "./Abort.ts"
import { makeChatOf, makeChatPort } from "./Chats.ts"
import type { Settings } from "./Config.ts"
import { tellHandover, wireConversations } from "./Conversing.ts"
import type { AnyDefinition } from "./Definition.ts"
import { makeFailures } from "./Failures.ts"
import { makeHandoffs } from "./Handoffs.ts"
import { makeIdle } from "./Idle.ts"
import { wireOutbound } from "./Outgoing.ts"
import { makeParts, type Parts } from "./Parts.ts"
import { makeQuiet } from "./Quiet.ts"
import type { Registry } from "./Registry.ts"

export const assemble = Effect.fnUntraced(function* (
  definition: AnyDefinition,
  settings: Settings,
  registry: Registry,
  /** What the fibers of the bot are started with. */
  context: Context.Context<never>
) {
  let isLive = (_: string): boolean => false
  const parts = yield* makeParts(definition.id, settings, context, (key) => isLive(key))
  const wired = wire(parts, definition, registry)
  isLive = (key) => wired.conversations.lives.has(key)
  return { ...parts, ...wired }
})
export type Assembly = Effect.Success<ReturnType<typeof assemble>>

const wire = (parts: Parts, definition: AnyDefinition, registry: Registry) => {
  const { catalogue, hub, lifecycle, metrics, publish, queue, settings, store, scope, timers, views } = parts
  const apology = (lang: string): string => translate(catalogue, lang, "core.handler.failed")
  const failures = makeFailures({
    definition,
    registry,
    metrics,
    publish,
    bind: registry.bind,
    apology: settings.apology ? apology : undefined,
    log: parts.log
  })
  registry.matchers.onThrow = (error) => failures.report(Cause.die(error), "a predicate")

  const outbound = wireOutbound(parts, registry, failures.report)
  const quiet = makeQuiet(() => turns.pending() === 0 && queue.waiting === 0)
  const turns = wireTurns(parts, quiet.check, (key) => {
    conversations.distrust(key)
    // Also where this turn ends before it reads anything: the next one is to know.
    views.doubt(key)
  })
  const followers = makeFollowers(settings.limits.pending, () => lifecycle.state === "running")
  const chatOf = makeChatOf(parts, () => chatPort)
  const conversationPort = wireConversations(parts, registry, {
    turns,
    outbound,
    chatOf,
    failed: failures.failed,
    handedOff: (live) => handoffs.holds(live.origin.from),
    alive: () => conversations.lives.size,
    over: followers.over,
    kept: (key, messages) => kept(key, messages)
  })
  const conversations = makeConversations(conversationPort, parts.context)
  const handoffs = makeHandoffs({
    store,
    scope,
    views,
    conversations,
    timers,
    turns,
    publish,
    shared: parts.coordinator.shared
  })
  const abort = makeAbort(parts, turns, conversations)
  const idle = makeIdle({ registry, timers, turns, failed: failures.failed, heldSince: handoffs.since })

  const dropped: InboundPort["dropped"] = (event, reason) => {
    metrics.dropped(reason)
    publish({ _tag: "dropped", reason, event })
    quiet.check()
  }
  const chatPort = makeChatPort(parts, outbound, {
    abort,
    trigger: (flow, request) => trigger(flow, request),
    handOff: handoffs.start,
    handBack: handoffs.end
  })
  const port: InboundPort = {
    ...portOf(parts, registry, failures.report),
    turns,
    conversations,
    conversationPort,
    chatPort,
    afterConversation: followers.afterConversation,
    failed: failures.failed,
    dropped,
    rearmIdle: idle.rearm
  }
  const kept = makeKept(port)
  let counter = 0
  const trigger = makeTrigger(port, () => `trigger/${parts.random}/${++counter}`)
  const dormants = makeDormants(conversationPort, conversations, {
    running: () => lifecycle.state === "running",
    read: Effect.fnUntraced(function* (turn, key) {
      const checkpoint = yield* views.stored(turn.lease, key)
      const heldSince = checkpoint === undefined ? undefined : yield* handoffs.since(checkpoint.origin.from)
      return { heldSince, checkpoint }
    }),
    forget: (key) => views.forget(key),
    run: parts.run
  })
  return {
    events: hub.stream,
    turns,
    outbound,
    conversations,
    handoffs,
    idle,
    failures,
    dormants,
    followers,
    receive: makeReceive(port),
    trigger,
    abort,
    settled: quiet.settled
  }
}

const wireTurns = (parts: Parts, onQuiet: () => void, distrust: (key: string) => void) => {
  const { coordinator, metrics, publish } = parts
  return makeTurns({
    coordinator,
    timers: parts.timers,
    scope: parts.scope,
    settle: parts.settings.settle,
    turnWait: parts.settings.turnWait,
    context: parts.context,
    lead: () => parts.lifecycle.lead,
    onGranted: (turn) => {
      metrics.turn()
      // Somebody else may have moved the conversation meanwhile: what is stored is the truth (R6).
      if (coordinator.shared && turn.lease.previousHolder !== coordinator.incarnation) distrust(turn.key)
    },
    onSuspended: (turn, reason) => {
      metrics.suspended(reason)
      publish({ _tag: "suspended", key: turn.key, reason })
      if (reason === "settle") {
        parts.warn(`${turn.key}: a handler or step ran for over ${parts.settings.settle} ms (option settle) and is cut`)
      }
    },
    onLost: (turn, { reason }) => {
      metrics.leaseLost()
      publish({ _tag: "coordination:lease-lost", key: turn.key, reason })
    },
    onOverrun: (turn) => {
      metrics.overrun()
      publish({ _tag: "overrun", key: turn.key })
    },
    onQuiet
  })
}

/** Triggers that wait for a conversation to end (B18): so many a key, further ones are refused; a stop ends the wait, told. */
const makeFollowers = (limit: number, isRunning: () => boolean) => {
  const waiting = new Map<string, ReadonlyArray<Follower>>()
  return {
    afterConversation: (key: string, follower: Follower): boolean => {
      const others = waiting.get(key) ?? []
      if (others.length >= limit) return false
      waiting.set(key, [...others, follower])
      return true
    },
    over: (key: string): void => {
      const told = waiting.get(key)
      if (told === undefined) return
      waiting.delete(key)
      // Stopping: nothing new is begun.
      for (const follower of told) isRunning() ? follower.run() : follower.lost()
    },
    stop: (): void => {
      const lost = [...waiting.values()].flat()
      waiting.clear()
      for (const follower of lost) follower.lost()
    }
  }
}

/** The inbound port's share of the parts and the registry. */
const portOf = (parts: Parts, registry: Registry, report: (cause: Cause.Cause<unknown>, where: string) => void) => {
  const { settings } = parts
  const { detect } = settings
  return {
    providerId: parts.provider.id,
    lifecycle: parts.lifecycle,
    store: parts.store,
    scope: parts.scope,
    durability: parts.durability,
    coordinator: parts.coordinator,
    timers: parts.timers,
    access: parts.access,
    admissions: parts.admissions,
    run: parts.run,
    dedupe: parts.dedupe,
    echo: parts.echo,
    queue: parts.queue,
    views: parts.views,
    handover: {
      fallback: settings.handover.fallback,
      notifyMessage: settings.handover.notifyMessage,
      told: (key: string, flow: string, outcome: HandoverOutcome) => tellHandover(parts, key, flow, outcome)
    },
    hears: (event: Parameters<typeof hears>[1]) => hears(settings.groupMode, event),
    perParticipant: settings.perParticipant,
    detect:
      detect === undefined
        ? undefined
        : (body: string): string | undefined => {
            try {
              return detect(body)
            } catch (error) {
              report(Cause.die(error), "i18n.detect")
              return undefined
            }
          },
    defaultLang: settings.lang,
    handoffCommands: new Set(settings.handoffCommands.map((name) => normalise(name.replace(/^\//u, "")))),
    matchers: registry.matchers,
    commands: registry.commands,
    catchAlls: registry.catchAlls,
    signals: registry.signals,
    message: registry.message,
    call: registry.call,
    metrics: parts.metrics,
    publish: parts.publish
  }
}
