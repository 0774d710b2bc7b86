/** What a duplicate is answered whose first delivery is still being admitted (R15). */
import { Effect } from "effect"
import type { MessageEvent } from "../../model/Event.ts"
import { NotAcceptingError } from "../../spi/Provider.ts"
import type { Claim, InboundPort } from "../InboundPort.ts"

/** A duplicate of a message still in admission waits for its outcome and gives the same answer (R15). */
export const sameAnswer = (
  port: InboundPort,
  event: MessageEvent,
  claim: Extract<Claim, { readonly _tag: "admitting" }>
): Effect.Effect<void, NotAcceptingError> => {
  port.dropped(event, "duplicate")
  const failed = new NotAcceptingError({ reason: "store", detail: "the first delivery was not taken" })
  return Effect.callback<void, NotAcceptingError>((resume) =>
    claim.outcome((admitted) => resume(admitted ? Effect.void : Effect.fail(failed)))
  )
}
