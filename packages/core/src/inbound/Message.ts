/**
 * The life of a message, phase by phase (design.md 5): receive → admit → turn → prepare → route → close.
 *
 * ME1 what a stage claims (dedupe key, place in the queue) it gives back when the message does not make it (A4, R15).
 * ME2 every message is handled, or dropped with a reason that is counted and told; never both (I24).
 * ME3 a message stopped before its turn began is released to be delivered again (A4).
 */
import { Cause, Effect } from "effect"
import type { MessageEvent } from "../model/Event.ts"
import type { Turn } from "../outbound/Turn.ts"
import { NotAcceptingError } from "../spi/Provider.ts"
import { makeAdmit } from "./2-admit/Admit.ts"
import { makePrepare } from "./4-prepare/Prepare.ts"
import { makeRoute } from "./5-route/Route.ts"
import { makeClose } from "./6-close/Close.ts"
import { makeGiveBack } from "./GiveBack.ts"
import type { Claim, InboundPort } from "./InboundPort.ts"
import { drop, Passage } from "./Passage.ts"

export const makeMessage = (port: InboundPort) => {
  const { cut, giveBack } = makeGiveBack(port)
  const admit = makeAdmit(port, giveBack)
  const prepare = makePrepare(port)
  const route = makeRoute(port)
  const close = makeClose(port)

  /** Phases 4 to 6, under the turn. */
  const handle = (passage: Passage, turn: Turn): Effect.Effect<void> => {
    // Stopped while it waited: it goes back (ME3).
    if (port.lifecycle.state !== "running") return giveBack(passage, "not-running")
    const { event, key } = passage
    return Effect.matchCauseEffect(port.views.open(turn.lease, key, event.from, event.sender), {
      onFailure: (cause) =>
        Effect.andThen(
          port.failed({ cause, where: "opening the chat", chat: undefined, engine: true }),
          giveBack(passage, "store-failed")
        ),
      onSuccess: (view) => {
        passage.view = view
        return Effect.flatMap(prepare(passage, passage, view), (verdict) => {
          // A turn that was taken away has closed it already: what comes late has no effect (R17).
          if (verdict._tag !== "stopped") {
            return Effect.flatMap(route(passage), () => (passage.closed ? Effect.void : close(passage)))
          }
          drop(port, passage, verdict.reason)
          return close(passage)
        })
      }
    })
  }

  const start = (passage: Passage): void =>
    port.turns.submit({
      holder: passage,
      run: (turn) =>
        Effect.map(handle(passage, turn), () => {
          passage.closed = true
        }),
      cut: (turn, exit) => cut(passage, turn, exit),
      unavailable: (error) =>
        Effect.andThen(
          port.failed({ cause: Cause.fail(error), where: "waiting for a turn", chat: undefined, engine: true }),
          giveBack(passage, "turn-timeout")
        ),
      over: () => port.queue.over(passage.key)
    })

  /** Phases 1 to 3 of an event that is known, ours to hear and no echo. */
  return (event: MessageEvent, key: string): Effect.Effect<void, NotAcceptingError> => {
    const now = port.timers.now()
    const claim = port.dedupe?.claim(event, now)
    if (claim === undefined || claim._tag === "claimed") {
      const passage = new Passage(event, key, claim?.mark, now)
      return admit(passage, port.queue.arrive(key), () => start(passage))
    }
    if (claim._tag === "admitting") return sameAnswer(port, event, claim)
    port.dropped(event, "duplicate")
    return Effect.void
  }
}

/** A duplicate of a message still in admission waits for its outcome and gives the same answer (R15). */
const sameAnswer = (
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
