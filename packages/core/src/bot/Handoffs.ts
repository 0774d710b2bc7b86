/**
 * Chats in the hands of people (B14, I19).
 *
 * H1 while a person holds a chat the bot is silent in it: routing is skipped, and no timer of it acts.
 * H2 a conversation is parked, not lost: given back, it waits on with the time it had left (design.md 6).
 */
import { Clock, Effect } from "effect"
import type { Chat } from "../chat/Chat.ts"
import type { Live } from "../conversation/Live.ts"
import type { Conversations } from "../conversation/Runtime.ts"
import type { Timers } from "../conversation/Timers.ts"
import type { Turns } from "../conversation/Turns.ts"
import type { BotEvent } from "../events/BotEvent.ts"
import type { Views } from "../inbound/3-turn/Views.ts"
import type { Wait } from "../model/Checkpoint.ts"
import type { BotScope, Handoff, StoreError, StoreShape } from "../spi/Store.ts"

/** A wait whose deadlines are `pause` ms later. */
const later = (wait: Wait, pause: number): Wait => {
  switch (wait.kind) {
    case "ask":
      return {
        ...wait,
        ...(wait.deadline === undefined ? {} : { deadline: wait.deadline + pause }),
        ...(wait.idleAt === undefined ? {} : { idleAt: wait.idleAt + pause })
      }
    case "sleep":
      return { ...wait, deadline: wait.deadline + pause }
    case "resume":
      return { ...wait, at: wait.at + pause }
    case "handoff":
      return wait
  }
}

export const makeHandoffs = (options: {
  readonly store: StoreShape
  readonly scope: BotScope
  readonly views: Views
  readonly conversations: Conversations
  readonly timers: Timers
  readonly turns: Turns
  readonly publish: (event: BotEvent<Chat, unknown>) => void
}) => {
  const { conversations, publish, scope, store, timers, views } = options
  const held = new Map<string, number>()

  const livesOf = (chatId: string): ReadonlyArray<Live> =>
    [...conversations.lives.values()].filter((live) => live.origin.from === chatId)

  const start = Effect.fnUntraced(function* (
    chatId: string,
    details: { readonly by?: string; readonly note?: string } = {}
  ) {
    if (held.has(chatId) || (yield* store.handoff(scope, chatId)) !== undefined) return
    const since = yield* Clock.currentTimeMillis
    yield* store.setHandoff(scope, chatId, { since, ...details })
    held.set(chatId, since)
    views.forgetChat(chatId)
    for (const live of livesOf(chatId)) live.clearTimer()
    publish({ _tag: "handoff:started", chatId })
  })

  const end = Effect.fnUntraced(function* (chatId: string) {
    const handoff = yield* store.handoff(scope, chatId)
    if (handoff === undefined) return false
    yield* store.setHandoff(scope, chatId, undefined)
    held.delete(chatId)
    views.forgetChat(chatId)
    const pause = timers.now() - handoff.since
    for (const live of livesOf(chatId)) {
      if (live.wait !== undefined) {
        live.shift(later(live.wait, pause))
        live.dirty = true
      }
      conversations.arm(live, live.program.options.persistent)
    }
    publish({ _tag: "handoff:ended", chatId })
    return true
  })
  return {
    start,
    end,
    get: (chatId: string): Effect.Effect<Handoff | undefined, StoreError> => store.handoff(scope, chatId),
    /** Whether this process knows a person to hold the chat. No I/O. */
    holds: (chatId: string): boolean => held.has(chatId)
  }
}
