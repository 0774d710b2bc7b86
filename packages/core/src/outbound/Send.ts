/**
 * The way out, one list for every send: 1-guard, 2-prepare, 4-deliver. (3-commit, the outbox, stands between the last
 * two where durability offers one.)
 *
 * S1 a send outside a running bot, or under a turn that is revoked or lost, reaches no provider (B12, R10, R17).
 * S2 a send either returns the provider's receipt or fails; each failure has one counter and one event (I24).
 */
import { Effect } from "effect"
import type { Outgoing, Receipt } from "../model/Content.ts"
import type { ProviderShape } from "../spi/Provider.ts"
import { makeGuard, type SendFailure } from "./1-guard/Guard.ts"
import { beforeSend, type HookFailed, runAll, type SendHooks, stopSend } from "./2-prepare/Hooks.ts"
import { makePresence, type Signal } from "./2-prepare/Presence.ts"
import { pause } from "./2-prepare/Typing.ts"
import { type DeliveryWatch, makeDeliver } from "./4-deliver/Deliver.ts"
import type { LifecycleCell } from "./Lifecycle.ts"
import type { TurnHolder } from "./Turn.ts"

export { type SendHookResult, stopSend } from "./2-prepare/Hooks.ts"

export type { SendFailure } from "./1-guard/Guard.ts"

export interface Outbound {
  readonly send: (holder: TurnHolder | undefined, message: Outgoing) => Effect.Effect<Receipt, SendFailure>
  /** Best effort: skipped (and counted) when the bot is down or the transport refuses. Source: B12, B23. */
  readonly presence: (chatId: string, signal: Signal) => Effect.Effect<void>
}

export interface OutboundOptions extends SendHooks<SendFailure> {
  readonly bot: string
  readonly provider: ProviderShape
  readonly lifecycle: LifecycleCell
  /** Milliseconds. */
  readonly typing: { readonly min: number; readonly max: number } | undefined
  readonly watch: DeliveryWatch & {
    readonly presenceSkipped: () => void
    readonly hookFailed: HookFailed
  }
}

const stopped: Receipt = { ref: { id: "", chatId: "" } }

export const makeOutbound = (options: OutboundOptions): Outbound => {
  const { after, before, lifecycle, onError, provider, typing, watch } = options
  const guard = makeGuard(options.bot, lifecycle, provider)
  const deliver = makeDeliver(provider, watch)
  const presence = makePresence(provider, () => guard.refuseState() !== undefined, watch.presenceSkipped)
  const showTyping = (chatId: string, topic: string | undefined) =>
    presence(chatId, topic === undefined ? { _tag: "typing" } : { _tag: "typing", topic })

  const refuse = (message: Outgoing, refused: SendFailure): Effect.Effect<never, SendFailure> => {
    watch.failed(message, refused._tag === "SendError" ? refused.reason._tag : refused._tag)
    return Effect.fail(refused)
  }
  const prepared = Effect.fnUntraced(function* (holder: TurnHolder | undefined, message: Outgoing) {
    const { items } = before
    const current = items.length === 0 ? message : yield* beforeSend(items, message, watch.hookFailed)
    if (current === stopSend) return stopped
    if (typing !== undefined) yield* pause(typing, current, showTyping)
    // The hooks and the pause took time: the turn may be gone by now (R10).
    const refused = guard.refusal(holder, current)
    if (refused !== undefined) return yield* refuse(current, refused)
    const receipt = yield* deliver(current, holder?.turn)
    yield* runAll(after.items, { message: current, receipt }, watch.hookFailed)
    return receipt
  })
  const plain = (): boolean => before.items.length === 0 && after.items.length === 0 && typing === undefined

  const send: Outbound["send"] = (holder, message) =>
    Effect.suspend(() => {
      const refused = guard.refusal(holder, message)
      const sent =
        refused !== undefined
          ? refuse(message, refused)
          : plain()
            ? deliver(message, holder?.turn)
            : prepared(holder, message)
      if (onError.items.length === 0) return sent
      return Effect.tapError(sent, (error) => runAll(onError.items, { message, error }, watch.hookFailed))
    })
  return { send, presence }
}
