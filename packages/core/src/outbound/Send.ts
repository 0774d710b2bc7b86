/**
 * The way out, one list for every send: 1-guard, 2-prepare, 4-deliver. (3-commit, the outbox, stands between the last
 * two where durability offers one.)
 *
 * S1 a send outside a running bot, or under a turn that is revoked or lost, reaches no provider (B12, R10, R17).
 * S2 a send either returns the provider's receipt or fails; each failure has one counter and one event (I24).
 */
import { Effect } from "effect"
import type { HookList } from "../hooks/Hooks.ts"
import type { Outgoing, Receipt } from "../model/Content.ts"
import type { ProviderShape } from "../spi/Provider.ts"
import { makeGuard, type SendFailure } from "./1-guard/Guard.ts"
import { pause } from "./2-prepare/Typing.ts"
import { type DeliveryWatch, makeDeliver } from "./4-deliver/Deliver.ts"
import type { LifecycleCell } from "./Lifecycle.ts"
import type { TurnHolder } from "./Turn.ts"

export type { SendFailure } from "./1-guard/Guard.ts"

/** Returned by a before-send hook to stop the send; the sender gets a receipt with an empty id. */
export const stopSend: unique symbol = Symbol.for("@botmesh/core/stopSend")

/** What a before-send hook may return: a changed message, nothing (it passes as it is), or `stopSend`. */
export type SendHookResult = Outgoing | typeof stopSend | void

export interface Outbound {
  readonly send: (holder: TurnHolder | undefined, message: Outgoing) => Effect.Effect<Receipt, SendFailure>
  /** Best effort: skipped (and counted) when the bot is down or the transport refuses. Source: B12, B23. */
  readonly presence: (chatId: string, signal: Parameters<ProviderShape["presence"]>[1]) => Effect.Effect<void>
}

export interface OutboundOptions {
  readonly bot: string
  readonly provider: ProviderShape
  readonly lifecycle: LifecycleCell
  readonly before: HookList<Outgoing, SendHookResult>
  readonly after: HookList<{ readonly message: Outgoing; readonly receipt: Receipt }>
  /** A failing send hook is reported here and the send goes on: a hook must not lose a reply. */
  readonly onError: HookList<{ readonly message: Outgoing; readonly error: SendFailure }>
  /** Milliseconds. */
  readonly typing: { readonly min: number; readonly max: number } | undefined
  readonly watch: DeliveryWatch & {
    readonly presenceSkipped: () => void
    readonly stale: () => void
    readonly hookFailed: (cause: unknown) => void
  }
}

const stopped: Receipt = { ref: { id: "", chatId: "" } }

export const makeOutbound = (options: OutboundOptions): Outbound => {
  const { after, before, lifecycle, onError, provider, typing, watch } = options
  const guard = makeGuard(options.bot, lifecycle, provider)
  const deliver = makeDeliver(provider, watch)

  const presence: Outbound["presence"] = (chatId, signal) =>
    Effect.suspend(() => {
      if (guard.refuseState() !== undefined) {
        watch.presenceSkipped()
        return Effect.logDebug("presence skipped: the bot is not running", { chatId })
      }
      return Effect.catchCause(provider.presence(chatId, signal), (cause) => {
        watch.presenceSkipped()
        return Effect.logDebug("presence skipped", { chatId }, cause)
      })
    })
  const showTyping = (chatId: string, topic: string | undefined) =>
    presence(chatId, topic === undefined ? { _tag: "typing" } : { _tag: "typing", topic })
  const contained = (effect: Effect.Effect<unknown, unknown>) =>
    Effect.catchCause(effect, (cause) => Effect.sync(() => watch.hookFailed(cause)))

  const prepared = Effect.fnUntraced(function* (holder: TurnHolder | undefined, message: Outgoing) {
    let current = message
    for (const hook of before.items) {
      const result = yield* Effect.catchCause(hook.bind(hook.run(current)), (cause) =>
        Effect.sync((): SendHookResult => {
          watch.hookFailed(cause)
          return current
        })
      )
      if (result === stopSend) return stopped
      if (result !== undefined) current = result
    }
    if (typing !== undefined) yield* pause(typing, current, showTyping)
    // The hooks and the pause took time: the turn may be gone by now (R10).
    const refused = guard.refusal(holder, current)
    if (refused !== undefined) return yield* refuse(refused)
    const receipt = yield* deliver(current)
    for (const hook of after.items) yield* contained(hook.bind(hook.run({ message: current, receipt })))
    return receipt
  })
  const refuse = (refused: SendFailure): Effect.Effect<never, SendFailure> => {
    if (refused._tag === "LeaseLostError") watch.stale()
    return Effect.fail(refused)
  }
  const plain = (): boolean =>
    before.items.length === 0 && after.items.length === 0 && onError.items.length === 0 && typing === undefined

  const send: Outbound["send"] = (holder, message) =>
    Effect.suspend(() => {
      const refused = guard.refusal(holder, message)
      if (refused !== undefined) return refuse(refused)
      if (plain()) return deliver(message)
      return Effect.tapError(prepared(holder, message), (error) =>
        Effect.forEach(onError.items, (hook) => contained(hook.bind(hook.run({ message, error }))), { discard: true })
      )
    })
  return { send, presence }
}
