/** Typing and read marks: best effort, skipped, counted and logged at debug when the bot is down or the transport refuses (B12). */
import { Effect } from "effect"
import type { ProviderShape } from "../../spi/Provider.ts"

export type Signal = Parameters<ProviderShape["presence"]>[1]

export const makePresence =
  (provider: ProviderShape, isDown: () => boolean, skipped: () => void) =>
  (chatId: string, signal: Signal): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (isDown()) {
        skipped()
        return Effect.logDebug("presence skipped: the bot is not running", { chatId })
      }
      const { capabilities } = provider
      if (signal._tag === "typing" ? !capabilities.typing : !capabilities.markRead) {
        skipped()
        return Effect.logDebug("presence skipped: the transport has none", { chatId })
      }
      return Effect.catchCause(
        Effect.suspend(() => provider.presence(chatId, signal)),
        (cause) => {
          skipped()
          return Effect.logDebug("presence skipped", { chatId }, cause)
        }
      )
    })
