/**
 * Bot-level idle timers (B15): each message of a key starts them again (A17).
 *
 * ID1 one set of timers a key, for the last message of it; bounded by `maxKeys`, the oldest given up first (I23).
 * ID2 a timer acts with the key's turn, and not while a person holds the chat (I19).
 */
import { Cause, Effect } from "effect"
import { Chat } from "../chat/Chat.ts"
import { jumpOf } from "../chat/Control.ts"
import type { Timer, Timers } from "../conversation/Timers.ts"
import type { Turns } from "../conversation/Turns.ts"
import type { Failure } from "../inbound/InboundPort.ts"
import { AgedMap } from "../model/AgedMap.ts"
import type { TurnHolder } from "../outbound/Turn.ts"
import type { StoreError } from "../spi/Store.ts"
import type { IdleHandler, Registry } from "./Registry.ts"

const maxKeys = 100_000

export const makeIdle = (options: {
  readonly registry: Registry
  readonly timers: Timers
  readonly turns: Turns
  readonly failed: (failure: Failure) => Effect.Effect<void>
  /** Since when a person holds the chat, as stored: also by another process, or before a restart (I19). */
  readonly heldSince: (chatId: string) => Effect.Effect<number | undefined, StoreError>
}) => {
  const { failed, heldSince, registry, timers, turns } = options
  const armed = new AgedMap<ReadonlyArray<Timer>>()

  const fire = (handler: IdleHandler, chat: Chat): void => {
    const holder: TurnHolder = { key: chat.key, turn: undefined }
    const own = new Chat(
      chat.port,
      holder,
      chat.event,
      chat.user,
      chat.body,
      chat.type,
      chat.lang,
      chat.langSource,
      undefined,
      []
    )
    const handled = Effect.catchCause(Effect.asVoid(Effect.suspend(() => handler.run(own))), (cause) =>
      jumpOf(cause) !== undefined
        ? Effect.void
        : Cause.hasInterruptsOnly(cause) && holder.turn?.suspended !== undefined
          ? Effect.failCause(Cause.interrupt())
          : failed({ cause, where: "onIdle", chat: own, quiet: true })
    )
    turns.submit({
      holder,
      run: () =>
        Effect.matchCauseEffect(heldSince(chat.from), {
          onFailure: (cause) => failed({ cause, where: "onIdle", chat: undefined, engine: true }),
          // Unplugged, or handed to a person, while it waited.
          onSuccess: (since) => (since !== undefined || !registry.idle.includes(handler) ? Effect.void : handled)
        }),
      cut: () => Effect.void,
      unavailable: (error) => failed({ cause: Cause.fail(error), where: "onIdle", chat: undefined, engine: true }),
      over: () => {}
    })
  }
  const clear = (key: string): void => {
    for (const timer of armed.get(key) ?? []) timer.cancel()
    armed.delete(key)
  }
  const rearm = (chat: Chat): void => {
    if (registry.idle.length === 0) return
    clear(chat.key)
    const now = timers.now()
    let left = registry.idle.length
    const set = registry.idle.map((handler) =>
      timers.at(now + handler.after, () => {
        // The last of them: nothing of this message is kept any longer.
        if (--left === 0 && armed.get(chat.key) === set) armed.delete(chat.key)
        fire(handler, chat)
      })
    )
    armed.set(chat.key, set)
    const { oldest } = armed
    if (armed.size > maxKeys && oldest !== undefined) clear(oldest.key)
  }
  const stop = (): void => {
    for (const key of [...armed.keys()]) clear(key)
  }
  return { rearm, stop }
}
