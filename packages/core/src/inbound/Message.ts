/**
 * The life of a message, phase by phase (design.md 5): receive → admit → turn → prepare → route → close.
 *
 * ME1 what a stage claims (dedupe key, place in the queue) it gives back when the message does not make it (A4, R15).
 * ME2 every message is handled, or dropped with a reason that is counted and told; never both (I24).
 * ME3 a message stopped before its turn began is released to be delivered again (A4).
 */
import { Cause, Effect, type Exit } from "effect"
import type { MessageEvent } from "../model/Event.ts"
import type { Turn } from "../outbound/Turn.ts"
import { NotAcceptingError } from "../spi/Provider.ts"
import { makeAdmit } from "./2-admit/Admit.ts"
import { dedupeKey } from "./2-admit/Dedupe.ts"
import { makePrepare } from "./4-prepare/Prepare.ts"
import { makeRoute } from "./5-route/Route.ts"
import { makeClose } from "./6-close/Close.ts"
import type { InboundPort } from "./InboundPort.ts"
import { keyOf } from "./Key.ts"
import { Passage } from "./Passage.ts"

export const makeMessage = (port: InboundPort) => {
  const prepare = makePrepare(port)
  const route = makeRoute(port)
  const close = makeClose(port)
  const admit = makeAdmit(port)

  /** Phases 4 to 6, under the turn. */
  const handle = (passage: Passage, turn: Turn): Effect.Effect<void> =>
    Effect.suspend(() => {
      // Stopped while it waited: it goes back (ME3).
      if (port.lifecycle.state !== "running") return giveBack(passage, "not-running")
      const { event, key } = passage
      return Effect.matchCauseEffect(port.views.open(turn.lease, key, event.from, event.sender), {
        onFailure: (cause) =>
          Effect.andThen(
            port.failed({ cause, where: "opening the chat", chat: undefined }),
            giveBack(passage, "store-failed")
          ),
        onSuccess: (view) => {
          passage.view = view
          return Effect.flatMap(prepare(passage, passage, view), (verdict) => {
            if (verdict._tag === "stopped") {
              port.dropped(event, verdict.reason)
              passage.dropped = true
              return close(passage)
            }
            return Effect.flatMap(route(passage), () => close(passage))
          })
        }
      })
    })
  const giveBack = (passage: Passage, reason: "not-running" | "store-failed" | "turn-timeout" | "turn-lost") =>
    Effect.suspend(() => {
      passage.dropped = true
      port.dedupe?.release(passage.dedupeKey)
      if (passage.record === "") {
        port.dropped(passage.event, reason)
        return Effect.void
      }
      return Effect.catchCause(port.durability.release(passage.key, passage.record), (cause) =>
        port.failed({ cause, where: "the release of an inbox record", chat: undefined })
      )
    })

  /** The turn was suspended, or the work died: what is left is to say so (R17, R23). */
  const cut = (passage: Passage, turn: Turn, exit: Exit.Exit<void>): Effect.Effect<void> =>
    Effect.suspend(() => {
      const live = port.conversations.lives.get(passage.key)
      const abandoned = live === undefined ? Effect.void : port.conversations.abandon(live, turn)
      if (passage.closed) return abandoned
      passage.closed = true
      const died =
        exit._tag === "Failure" && !Cause.hasInterruptsOnly(exit.cause)
          ? port.failed({ cause: exit.cause, where: "the message pipeline", chat: passage.chat })
          : Effect.void
      // A handler that was cut at its limit has had its run: the same message again would only hang again.
      const told =
        turn.suspended === "settle" && passage.record === ""
          ? Effect.sync(() => port.dropped(passage.event, "turn-lost"))
          : giveBack(passage, "turn-lost")
      return Effect.andThen(Effect.andThen(abandoned, died), told)
    })

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
          port.failed({ cause: Cause.fail(error), where: "waiting for a turn", chat: undefined }),
          giveBack(passage, "turn-timeout")
        ),
      over: () => port.queue.over(passage.key)
    })

  /** Phases 1 to 3 of an event that is known, ours to hear and no echo. */
  return (event: MessageEvent): Effect.Effect<void, NotAcceptingError> =>
    Effect.suspend(() => {
      const key = keyOf(event, port.perParticipant)
      if (port.queue.isFull(key)) {
        port.dropped(event, "overloaded")
        port.publish({ _tag: "overloaded", key, waiting: port.queue.waiting })
        return Effect.fail(new NotAcceptingError({ reason: "overloaded", detail: `${port.queue.waiting} are waiting` }))
      }
      const now = port.timers.now()
      const claim = port.dedupe?.claim(event, now)
      if (claim?._tag === "duplicate") return Effect.sync(() => port.dropped(event, "duplicate"))
      if (claim?._tag === "admitting") {
        return Effect.callback<void, NotAcceptingError>((resume) =>
          claim.outcome((admitted) => {
            port.dropped(event, "duplicate")
            resume(
              admitted
                ? Effect.void
                : Effect.fail(new NotAcceptingError({ reason: "store", detail: "the first delivery was not stored" }))
            )
          })
        )
      }
      const passage = new Passage(event, key, claim?.key ?? dedupeKey(event), now)
      return admit(passage, port.queue.arrive(key), () => start(passage))
    })
}
