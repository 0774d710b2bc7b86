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
import type { Claim } from "../spi/Coordinator.ts"
import type { CoordinationUnavailableError } from "../spi/Errors.ts"
import type { NotAcceptingError } from "../spi/Provider.ts"
import { makeAdmit } from "./2-admit/Admit.ts"
import { sameAnswer } from "./2-admit/SameAnswer.ts"
import { makeAgain, wasApplied } from "./3-turn/Again.ts"
import { MessageWork, type Path } from "./3-turn/MessageWork.ts"
import { makePrepare } from "./4-prepare/Prepare.ts"
import { makeRoute } from "./5-route/Route.ts"
import { makeClose } from "./6-close/Close.ts"
import { makeGiveBack } from "./GiveBack.ts"
import type { InboundPort, Lane, ReadFailure } from "./InboundPort.ts"
import { drop, Passage, type Verdict, type View } from "./Passage.ts"

export const makeMessage = (port: InboundPort) => {
  const { abandon, cut, giveBack, lost } = makeGiveBack(port)
  const admit = makeAdmit(port, giveBack)
  const prepare = makePrepare(port)
  const route = makeRoute(port)
  const close = makeClose(port)
  const again = makeAgain(port)

  /** Phases 4 to 6, under the turn. */
  const handle = (passage: Passage, turn: Turn): Effect.Effect<void> => {
    // Stopped while it waited, or no time is left for it: it goes back (ME3).
    const { finishing, state } = port.lifecycle
    if (state !== "running" && !finishing) return giveBack(passage, "not-running")
    const { event, key } = passage
    const known = port.views.known(turn.lease, key, event.sender)
    if (known !== undefined) return seen(passage, known)
    return Effect.matchCauseEffect(port.views.open(turn.lease, key, event.from, event.sender), {
      onFailure: (cause) =>
        Effect.andThen(
          port.failed({ cause, where: "opening the chat", chat: undefined, engine: true }),
          giveBack(passage, reasonOf(cause))
        ),
      onSuccess: (view) =>
        port.coordinator.shared && wasApplied(passage, view) ? again(passage, view, turn) : seen(passage, view)
    })
  }
  const seen = (passage: Passage, view: View): Effect.Effect<void> => {
    passage.view = view
    return prepare(passage, passage, view, prepared)
  }
  const prepared = (passage: Passage, verdict: Verdict): Effect.Effect<void> => {
    if (verdict._tag !== "stopped") return route(passage, routed)
    drop(port, passage, verdict.reason)
    return close(passage)
  }
  // A turn that was taken away has closed it already: what comes late has no effect (R17).
  const routed = (passage: Passage): Effect.Effect<void> =>
    passage.closed ? Effect.void : port.coordinator.shared && isLost(passage.turn) ? lost(passage) : close(passage)

  const unavailable = (passage: Passage, error: CoordinationUnavailableError): Effect.Effect<void> =>
    Effect.andThen(
      port.failed({ cause: Cause.fail(error), where: "waiting for a turn", chat: undefined, engine: true }),
      giveBack(passage, "turn-timeout")
    )
  /** With durability the record decides (R15). */
  const claim = (passage: Passage): Claim | undefined =>
    port.durability.durable ? undefined : port.dedupe?.shared(passage.mark)
  /** Another replica has it: should it be lost there, what is delivered again may be handled here. */
  const duplicate = (passage: Passage): void => {
    port.dedupe?.release(passage.mark)
    drop(port, passage, "duplicate")
  }
  const over = (passage: Passage): void => {
    if (passage.fate !== "following") return
    passage.fate = "handled"
    port.metrics.handled()
  }
  const path: Path = { handle, cut, unavailable, abandon, claim, duplicate, over }

  /** Phases 1 to 3 of an event that is known, ours to hear and no echo. */
  return (event: MessageEvent, lane: Lane): Effect.Effect<void, NotAcceptingError> => {
    const now = port.timers.now()
    const claim = port.dedupe?.claim(event, now)
    if (claim === undefined || claim._tag === "claimed") {
      const passage = new Passage(event, lane, claim?.mark, now)
      return admit(passage, lane.arrive(), () => port.turns.submit(new MessageWork(path, passage)))
    }
    if (claim._tag === "admitting") return sameAnswer(port, event, claim)
    port.dropped(event, "duplicate")
    return Effect.void
  }
}

const reasonOf = (cause: Cause.Cause<ReadFailure>): "store-failed" | "turn-lost" => {
  const error = Cause.findErrorOption(cause)
  return error._tag === "Some" && error.value._tag !== "StoreError" ? "turn-lost" : "store-failed"
}

/** Lost to another holder, or to time: not merely suspended for its own slowness or a stop. */
const isLost = (turn: Turn | undefined): boolean => {
  const lost = turn?.refusal()
  return lost !== undefined && lost.reason !== "revoked" && lost.reason !== "ended"
}
