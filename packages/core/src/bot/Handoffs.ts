/**
 * Chats in the hands of people (B14, I19).
 *
 * H1 while a person holds a chat the bot is silent in it: routing is skipped, and no timer of it acts.
 * H2 a conversation is parked, not lost: given back, it waits on with the time it had left (design.md 6).
 */
import { Clock, Effect } from "effect"
import type { Chat } from "../chat/Chat.ts"
import type { Live } from "../conversation/Live.ts"
import { delayed, paused, resumed } from "../conversation/Pause.ts"
import type { Conversations } from "../conversation/Runtime.ts"
import type { Timers } from "../conversation/Timers.ts"
import type { Turns } from "../conversation/Turns.ts"
import type { BotEvent } from "../events/BotEvent.ts"
import type { Views } from "../inbound/3-turn/Views.ts"
import { keyOfChat, participantsOf } from "../inbound/Key.ts"
import type { Wait } from "../model/Checkpoint.ts"
import type { Turn } from "../outbound/Turn.ts"
import type { BotScope, Handoff, Page, StoredCheckpoint, StoreError, StoreShape } from "../spi/Store.ts"

export const makeHandoffs = (options: {
  readonly store: StoreShape
  readonly scope: BotScope
  readonly views: Views
  readonly conversations: Conversations
  readonly timers: Timers
  readonly turns: Turns
  readonly publish: (event: BotEvent<Chat, unknown>) => void
  /** Other replicas may hold the chat's keys. */
  readonly shared: boolean
}) => {
  const { conversations, publish, scope, shared, store, timers, turns, views } = options
  const held = new Map<string, number>()

  const livesOf = (chatId: string): ReadonlyArray<Live> =>
    [...conversations.lives.values()].filter((live) => live.origin.from === chatId)
  /** Parked lives rest, or wait on, at once; that is stored under a turn of theirs. */
  const moveLives = (chatId: string, change: (wait: Wait) => Wait): void => {
    for (const live of livesOf(chatId)) {
      if (live.wait === undefined) continue
      live.wait = change(live.wait)
      conversations.rewait(live)
    }
  }

  const start = Effect.fnUntraced(function* (
    chatId: string,
    details: { readonly by?: string; readonly note?: string } = {}
  ) {
    const known = yield* store.handoff(scope, chatId)
    const since = known?.since ?? (yield* Clock.currentTimeMillis)
    if (known === undefined) yield* store.setHandoff(scope, chatId, { since, ...details })
    held.set(chatId, since)
    views.forgetChat(chatId)
    moveLives(chatId, (wait) => paused(wait, timers.now()))
    if (shared) for (const key of yield* dormantsOf(chatId)) touch(key)
    if (known === undefined) publish({ _tag: "handoff:started", chatId })
  })

  /** Every dormant conversation of the chat: one, or in a group one a participant. */
  const dormantsOf = Effect.fnUntraced(function* (chatId: string) {
    const whole = keyOfChat(chatId)
    const found = conversations.lives.has(whole) ? [] : [whole]
    const prefix = participantsOf(chatId)
    let after: string | undefined = prefix
    while (after !== undefined) {
      const page: Page<StoredCheckpoint> = yield* store.checkpoints(scope, { limit: 100, after })
      after = page.next
      for (const { key } of page.items) {
        if (!key.startsWith(prefix)) return found
        if (!conversations.lives.has(key)) found.push(key)
      }
    }
    return found
  })
  /** A turn of the key: whoever held it before reads anew what is stored, and its live copy goes (R6, R18). */
  const touch = (key: string): void =>
    turns.submit({
      holder: { key, turn: undefined },
      run: () => Effect.void,
      cut: () => Effect.void,
      unavailable: (error) => Effect.logWarning(`no turn to tell ${key} of its handoff`, error),
      over: () => {}
    })
  /** A wait that was not stored as resting was never woken: it is given the pause on top (C23). */
  const giveBack = (key: string, pause: number): void => {
    const change = (wait: Wait): Wait => (wait.kind === "handoff" ? resumed(wait, timers.now()) : delayed(wait, pause))
    const inTurn = Effect.fnUntraced(function* (turn: Turn) {
      if (conversations.lives.has(key)) return
      const checkpoint = yield* views.stored(turn.lease, key)
      views.forget(key)
      if (checkpoint !== undefined) yield* conversations.rewaitStored(key, checkpoint, turn, change)
    })
    turns.submit({
      holder: { key, turn: undefined },
      run: (turn) =>
        Effect.catchCause(inTurn(turn), (cause) => Effect.logError(`the wait of ${key} was not moved`, cause)),
      cut: () => Effect.void,
      unavailable: (error) => Effect.logWarning(`no turn to move the wait of ${key}`, error),
      over: () => {}
    })
  }

  const end = Effect.fnUntraced(function* (chatId: string) {
    const handoff = yield* store.handoff(scope, chatId)
    if (handoff === undefined) return false
    const dormants = yield* dormantsOf(chatId)
    yield* store.setHandoff(scope, chatId, undefined)
    held.delete(chatId)
    views.forgetChat(chatId)
    moveLives(chatId, (wait) => resumed(wait, timers.now()))
    const pause = timers.now() - handoff.since
    for (const key of dormants) giveBack(key, pause)
    publish({ _tag: "handoff:ended", chatId })
    return true
  })
  return {
    start,
    end,
    get: (chatId: string): Effect.Effect<Handoff | undefined, StoreError> => store.handoff(scope, chatId),
    /** Whether this process knows a person to hold the chat. No I/O. */
    holds: (chatId: string): boolean => held.has(chatId),
    /** Since when a person holds the chat, ms since the epoch, as stored. */
    since: (chatId: string): Effect.Effect<number | undefined, StoreError> =>
      Effect.map(store.handoff(scope, chatId), (handoff) => handoff?.since)
  }
}
