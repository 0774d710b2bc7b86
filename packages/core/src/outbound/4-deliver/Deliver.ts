/** Last phase of a send: the call, and its one counter and event whatever comes of it (S2). */
import { Effect } from "effect"
import type { Outgoing, Receipt } from "../../model/Content.ts"
import type { ProviderShape, SendError, SendReason } from "../../spi/Provider.ts"

export interface DeliveryWatch {
  readonly delivered: (message: Outgoing, receipt: Receipt) => void
  readonly failed: (message: Outgoing, reason: SendReason["_tag"]) => void
}

/** An interrupted call is `Ambiguous`: the transport may have taken the message (R10). */
export const makeDeliver =
  (provider: ProviderShape, watch: DeliveryWatch) =>
  (message: Outgoing): Effect.Effect<Receipt, SendError> =>
    Effect.onExit(provider.send(message), (exit) => {
      if (exit._tag === "Success") {
        watch.delivered(message, exit.value)
        return Effect.void
      }
      const failure = exit.cause.reasons.find((reason) => reason._tag === "Fail")
      watch.failed(message, failure === undefined ? "Ambiguous" : failure.error.reason._tag)
      return Effect.void
    })
