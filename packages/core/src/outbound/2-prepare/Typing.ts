/** The automatic typing indicator (B23): shown, then a pause between `min` and `max`, before a text reply. */
import { type Duration, Effect, Random } from "effect"
import type { Outgoing } from "../../model/Content.ts"

export interface TypingRange {
  readonly min: Duration.Duration
  readonly max: Duration.Duration
}

export const pause = (
  range: { readonly min: number; readonly max: number },
  message: Outgoing,
  show: (chatId: string, topic: string | undefined) => Effect.Effect<void>
): Effect.Effect<void> =>
  message.content._tag === "text" || message.content._tag === "choices"
    ? Effect.flatMap(Random.nextBetween(range.min, Math.max(range.min + 1, range.max)), (millis) =>
        Effect.andThen(show(message.chatId, message.topic), Effect.sleep(millis))
      )
    : Effect.void
