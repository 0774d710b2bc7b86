/** Last phase of a send: the call, and its one counter and event whatever comes of it (S2). */
import { Effect } from "effect"
import type { SendFailure } from "../../events/Metrics.ts"
import type { Outgoing, Receipt } from "../../model/Content.ts"
import type { ProviderShape, SendError } from "../../spi/Provider.ts"
import type { Turn } from "../Turn.ts"

export interface DeliveryWatch {
  readonly delivered: (message: Outgoing, receipt: Receipt) => void
  readonly failed: (message: Outgoing, reason: SendFailure) => void
  /** A message went out although its turn was taken away meanwhile (R10). */
  readonly stale: () => void
}

const isTaken = (turn: Turn): boolean => {
  const lost = turn.refusal()
  return lost !== undefined && lost.reason !== "ended"
}

/** An interrupted call is `Ambiguous`: the transport may have taken the message (R10). */
export const makeDeliver =
  (provider: ProviderShape, watch: DeliveryWatch) =>
  (message: Outgoing, turn: Turn | undefined): Effect.Effect<Receipt, SendError> =>
    Effect.onExit(
      Effect.suspend(() => provider.send(message)),
      (exit) => {
        if (exit._tag === "Success") {
          watch.delivered(message, exit.value)
          if (turn !== undefined && isTaken(turn)) watch.stale()
          return Effect.void
        }
        const failure = exit.cause.reasons.find((reason) => reason._tag === "Fail")
        watch.failed(message, failure === undefined ? "Ambiguous" : failure.error.reason._tag)
        return Effect.void
      }
    )
