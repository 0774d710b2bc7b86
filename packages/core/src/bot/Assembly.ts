/**
 * Puts a bot together: the parts of one running bot, wired by plain functions. What each part promises stands in its own
 * file; this one only says who talks to whom.
 */
import { type Context, Effect, Random } from "effect"
import { Chat, type ChatPort } from "../chat/Chat.ts"
import { UserProfile } from "../chat/UserProfile.ts"
import type { ConversationPort } from "../conversation/ConversationPort.ts"
import { makeDormants } from "../conversation/Dormants.ts"
import { makeConversations } from "../conversation/Runtime.ts"
import * as Timers from "../conversation/Timers.ts"
import { makeTurns } from "../conversation/Turns.ts"
import type { BotEvent } from "../events/BotEvent.ts"
import { makeEventHub } from "../events/EventHub.ts"
import { makeMetrics } from "../events/Metrics.ts"
import { isWord, makeCatalogue, translate } from "../i18n/Catalogue.ts"
import { EchoFilter } from "../inbound/1-receive/Echo.ts"
import { Access } from "../inbound/2-admit/Access.ts"
import { Dedupe } from "../inbound/2-admit/Dedupe.ts"
import { ChatQueue } from "../inbound/3-turn/ChatQueue.ts"
import { Views } from "../inbound/3-turn/Views.ts"
import type { InboundPort } from "../inbound/InboundPort.ts"
import { makeReceive } from "../inbound/Receive.ts"
import { makeTrigger } from "../inbound/Trigger.ts"
import type { SavedMessage } from "../model/Checkpoint.ts"
import type { InboundMessage } from "../model/Event.ts"
import { normalise } from "../model/Normalise.ts"
import type { LifecycleCell } from "../outbound/Lifecycle.ts"
import { makeOutbound } from "../outbound/Send.ts"
import { CurrentTurn, type TurnHolder } from "../outbound/Turn.ts"
import { Coordinator } from "../spi/Coordinator.ts"
import { Durability } from "../spi/Durability.ts"
import { Provider } from "../spi/Provider.ts"
import { Scheduler } from "../spi/Scheduler.ts"
import { Store } from "../spi/Store.ts"
import type { Settings } from "./Config.ts"
import type { AnyDefinition } from "./Definition.ts"
import { makeFailures } from "./Failures.ts"
import { makeHandoffs } from "./Handoffs.ts"
import { makeIdle } from "./Idle.ts"
import type { Registry } from "./Registry.ts"

/** A saved message as an event again, for code that runs without a message of its own: timers and triggers. */
const eventOf = (message: SavedMessage): InboundMessage => ({
  _tag: "message",
  ref: { id: message.id, chatId: message.from },
  from: message.from,
  sender: message.sender,
  isGroup: message.isGroup,
  type: message.media?.kind ?? "text",
  body: message.body,
  ...(message.media === undefined ? {} : { media: message.media }),
  ...(message.topic === undefined ? {} : { topic: message.topic })
})

export const assemble = Effect.fnUntraced(function* (
  definition: AnyDefinition,
  settings: Settings,
  registry: Registry
) {
  const provider = yield* Provider
  const store = yield* Store
  const coordinator = yield* Coordinator
  const durability = yield* Durability
  const scheduler = yield* Scheduler
  const context: Context.Context<never> = yield* Effect.context<never>()
  const random = yield* nonce

  const scope = `${settings.tenant}/${definition.id}`
  const timers = yield* Timers.make
  const metrics = yield* makeMetrics(definition.id)
  const hub = makeEventHub<BotEvent<Chat, unknown>>({ onLost: metrics.eventsLost })
  const publish = hub.publish
  const lifecycle: LifecycleCell = { state: "idle" }
  const catalogue = makeCatalogue({ languages: settings.languages, defaultLang: settings.lang })
  const echo = settings.echo === undefined ? undefined : new EchoFilter(settings.echo)
  const access = new Access(settings.access)
  const queue = new ChatQueue({ perKey: settings.limits.perKey, total: settings.limits.total })
  const views = new Views(store, scope, coordinator.incarnation, settings.limits.views, (key) =>
    conversations.lives.has(key)
  )

  const outbound = makeOutbound({
    bot: definition.id,
    provider,
    lifecycle,
    before: registry.beforeSend,
    after: registry.afterSend,
    onError: registry.failedSend,
    typing: settings.typing,
    watch: {
      delivered: (message, receipt) => {
        metrics.sent()
        echo?.remember(message.chatId, receipt.ref.id, timers.now())
      },
      failed: (message, reason) => {
        metrics.sendFailed(reason)
        publish({ _tag: "send-failed", message, reason })
      },
      presenceSkipped: metrics.presenceSkipped,
      stale: metrics.staleSend,
      hookFailed: (cause) =>
        Effect.runForkWith(context)(Effect.logError("a send hook failed; the message is sent all the same", cause))
    }
  })

  const quiet: Array<() => void> = []
  const isQuiet = (): boolean => turns.pending() === 0 && queue.waiting === 0
  const onQuiet = (): void => {
    if (isQuiet()) for (const tell of quiet.splice(0)) tell()
  }
  const turns = makeTurns({
    coordinator,
    timers,
    scope,
    settle: settings.settle,
    context,
    onGranted: metrics.turn,
    onSuspended: (turn, reason) => {
      metrics.suspended(reason)
      publish({ _tag: "suspended", key: turn.key, reason })
    },
    onOverrun: (turn) => {
      metrics.overrun()
      publish({ _tag: "overrun", key: turn.key })
    },
    onQuiet
  })

  const afterConversation = new Map<string, Array<() => void>>()
  const told = (key: string): void => {
    const waiting = afterConversation.get(key)
    afterConversation.delete(key)
    for (const run of waiting ?? []) run()
  }
  const failures = makeFailures({
    definition,
    registry,
    metrics,
    publish,
    bind: registry.bind,
    apology: settings.apology ? (lang) => translate(catalogue, lang, "core.handler.failed") : undefined
  })
  const chatOf = (holder: TurnHolder, message: SavedMessage): Chat => {
    const event = eventOf(message)
    const user = views.peek(holder.key)?.user ?? new UserProfile(store, scope, message.sender, {})
    return new Chat(
      chatPort,
      holder,
      message.payload === undefined
        ? event
        : { ...event, _tag: "interaction", interactionId: message.id, payload: message.payload },
      user,
      message.body,
      message.payload === undefined ? event.type : "interaction",
      message.lang ?? settings.lang,
      "stored",
      undefined,
      []
    )
  }
  const conversationPort: ConversationPort = {
    store,
    scope,
    timers,
    turns,
    outbound,
    limits: {
      steps: settings.limits.steps,
      gotos: settings.limits.gotos,
      pending: settings.limits.pending,
      cuts: settings.limits.cuts,
      dormantAfter: settings.dormantAfter,
      timeout: settings.timeout
    },
    shared: coordinator.shared,
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
    handedOff: (live) => handoffs.holds(live.origin.from),
    onStarted: (live) => {
      metrics.conversationStarted()
      metrics.activeConversations(conversations.lives.size)
      publish({ _tag: "conversation:started", key: live.key, flow: live.registered.id, id: live.id })
    },
    onEnded: (live, outcome) => {
      metrics.conversationEnded(outcome)
      metrics.activeConversations(conversations.lives.size)
      publish({ _tag: "conversation:ended", key: live.key, flow: live.registered.id, id: live.id, outcome })
      told(live.key)
    },
    onDropped: (key, checkpoint, outcome) => {
      metrics.conversationEnded(outcome)
      publish({ _tag: "conversation:ended", key, flow: checkpoint.flow, id: checkpoint.id, outcome })
    },
    onDormant: (live) => views.forget(live.key),
    onRefusedCheckpoint: (live) => {
      metrics.checkpointRefused()
      views.forget(live.key)
      publish({ _tag: "coordination:lease-lost", key: live.key, reason: "superseded" })
    },
    onError: (live, cause) =>
      failures.failed({
        cause,
        where: `${live.program.kind} ${live.registered.id}`,
        chat: chatOf(live.holder, live.current ?? live.origin)
      })
  }
  const conversations = makeConversations(conversationPort, context)
  const handoffs = makeHandoffs({ store, scope, views, conversations, timers, turns, publish })

  const chatPort: ChatPort = {
    send: outbound.send,
    typing: (chatId, topic) =>
      outbound.presence(chatId, topic === undefined ? { _tag: "typing" } : { _tag: "typing", topic }),
    markRead: (ref) => outbound.presence(ref.chatId, { _tag: "read", ref }),
    download: provider.download,
    abort: (key) => abort(key),
    trigger: (chat, flow, options) =>
      trigger(flow, {
        chatId: chat.from,
        userId: chat.sender,
        isGroup: chat.isGroup,
        lang: chat.lang,
        body: chat.body,
        ...options,
        ...(chat.event.topic === undefined ? {} : { topic: chat.event.topic })
      }),
    handOff: (chat, note) => handoffs.start(chat.from, note === undefined ? {} : { note }),
    handBack: (chat) => handoffs.end(chat.from),
    translate: (lang, key, params) => translate(catalogue, lang, key, params)
  }
  const idle = makeIdle({ registry, timers, turns, failed: failures.failed, handedOff: handoffs.holds })
  const port: InboundPort = {
    providerId: provider.id,
    lifecycle,
    store,
    scope,
    durability,
    coordinator,
    timers,
    turns,
    conversations,
    conversationPort,
    chatPort,
    access,
    dedupe: settings.dedupe === undefined ? undefined : new Dedupe(settings.dedupe),
    echo,
    queue,
    views,
    groupMode: settings.groupMode,
    perParticipant: settings.perParticipant,
    detect: settings.detect,
    defaultLang: settings.lang,
    handoffCommands: new Set(settings.handoffCommands.map((name) => normalise(name.replace(/^\//u, "")))),
    matchers: registry.matchers,
    commands: registry.commands,
    catchAlls: registry.catchAlls,
    signals: registry.signals,
    message: registry.message,
    call: registry.call,
    metrics,
    publish,
    failed: failures.failed,
    dropped: (event, reason) => {
      metrics.dropped(reason)
      publish({ _tag: "dropped", reason, event })
      onQuiet()
    },
    afterConversation: (key, run) => {
      afterConversation.set(key, [...(afterConversation.get(key) ?? []), run].slice(-settings.limits.pending))
    },
    rearmIdle: idle.rearm
  }
  const receive = makeReceive(port)
  let counter = 0
  const trigger = makeTrigger(port, () => `trigger/${random}/${++counter}`)

  /** Ends the conversation of a key under its turn, live or stored. */
  const abortUnder = Effect.fnUntraced(function* (key: string, holder: TurnHolder) {
    const { turn } = holder
    if (turn === undefined) return false
    const live = conversations.lives.get(key)
    if (live !== undefined) {
      yield* conversations.abort(live, turn, "aborted")
      return true
    }
    const { checkpoint } = yield* store.getCheckpoint(scope, key)
    views.forget(key)
    return checkpoint === undefined ? false : yield* conversations.clearStored(key, checkpoint, turn, "aborted")
  })
  const abort: ChatPort["abort"] = (key) =>
    Effect.flatMap(CurrentTurn, (current) => {
      if (current?.key === key && current.turn !== undefined) {
        return Effect.catchTag(abortUnder(key, current), "LeaseLostError", () => Effect.succeed(false))
      }
      return Effect.callback((resume) => {
        const holder: TurnHolder = { key, turn: undefined }
        turns.submit({
          holder,
          run: () =>
            Effect.matchCauseEffect(
              Effect.catchTag(abortUnder(key, holder), "LeaseLostError", () => Effect.succeed(false)),
              {
                onSuccess: (done) => Effect.sync(() => resume(Effect.succeed(done))),
                onFailure: (cause) => Effect.sync(() => resume(Effect.failCause(cause)))
              }
            ),
          cut: () => Effect.sync(() => resume(Effect.succeed(false))),
          unavailable: (error) => Effect.sync(() => resume(Effect.fail(error))),
          over: () => {}
        })
      })
    })

  const dormants = makeDormants(conversationPort, conversations, {
    running: () => lifecycle.state === "running",
    read: Effect.fnUntraced(function* (_, key) {
      const { checkpoint } = yield* store.getCheckpoint(scope, key)
      const handoff = checkpoint === undefined ? undefined : yield* store.handoff(scope, checkpoint.origin.from)
      return { handedOff: handoff !== undefined, checkpoint }
    }),
    forget: (key) => views.forget(key)
  })

  /** Completes when nothing is waiting or running. */
  const settled = Effect.callback<void>((resume) => {
    if (isQuiet()) return resume(Effect.void)
    const tell = (): void => resume(Effect.void)
    quiet.push(tell)
    return Effect.sync(() => {
      const at = quiet.indexOf(tell)
      if (at >= 0) quiet.splice(at, 1)
    })
  })

  return {
    provider,
    store,
    coordinator,
    durability,
    scheduler,
    context,
    scope,
    timers,
    metrics,
    hub,
    events: hub.stream,
    publish,
    lifecycle,
    access,
    turns,
    queue,
    outbound,
    conversations,
    handoffs,
    idle,
    failures,
    dormants,
    receive,
    trigger,
    abort,
    settled
  }
})
export type Assembly = Effect.Success<ReturnType<typeof assemble>>

/** Keeps the ids of triggers apart over restarts. */
const nonce = Effect.map(Random.nextBetween(0, Number.MAX_SAFE_INTEGER), (n) => Math.floor(n).toString(36))
