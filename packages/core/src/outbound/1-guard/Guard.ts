/** First phase of a send: is the bot running, is the turn good, can the transport show this? (S1) */
import type { Outgoing } from "../../model/Content.ts"
import { BotNotRunningError, type LeaseLostError, ProviderNotLeaderError } from "../../spi/Errors.ts"
import { type ProviderShape, SendError, Unsupported } from "../../spi/Provider.ts"
import type { LifecycleCell } from "../Lifecycle.ts"
import type { TurnHolder } from "../Turn.ts"
import { LeaseLostError as LeaseLost } from "../../spi/Errors.ts"

/** Everything a send can fail with. A failed before-send hook is reported, and the send goes on without it. */
export type SendFailure = BotNotRunningError | LeaseLostError | ProviderNotLeaderError | SendError

export const makeGuard = (bot: string, lifecycle: LifecycleCell, provider: ProviderShape) => {
  const refuseState = (): BotNotRunningError | ProviderNotLeaderError | undefined => {
    if (lifecycle.state === "running" || lifecycle.state === "draining") {
      // Asked, not told: a replica that was frozen finds out here (C6).
      const isLeading = lifecycle.lead === undefined || lifecycle.lead.lost() === undefined
      return isLeading ? undefined : new ProviderNotLeaderError({ provider: provider.id })
    }
    return lifecycle.state === "stand-by"
      ? new ProviderNotLeaderError({ provider: provider.id })
      : new BotNotRunningError({ bot, state: lifecycle.state })
  }
  /** @param holder the turn the send belongs to; `undefined` for a send from outside any turn */
  const refusal = (holder: TurnHolder | undefined, message: Outgoing): SendFailure | undefined => {
    const state = refuseState()
    if (state !== undefined) return state
    if (holder !== undefined) {
      if (holder.turn === undefined) return new LeaseLost({ key: holder.key, reason: "ended" })
      const lost = holder.turn.refusal()
      if (lost !== undefined) return lost
    }
    return provider.capabilities.contents.has(message.content._tag)
      ? undefined
      : new SendError({
          provider: provider.id,
          chatId: message.chatId,
          reason: new Unsupported({ content: message.content._tag })
        })
  }
  return { refuseState, refusal }
}
