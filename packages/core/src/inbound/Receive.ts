/** First phase, for every event: the contract, our own messages, echoes and access; then each kind takes its path (A1 to A3, A22). */
import { Cause, Effect } from "effect"
import type { DropReason } from "../model/DropReason.ts"
import type { InboundEvent } from "../model/Event.ts"
import { NotAcceptingError } from "../spi/Provider.ts"
import { atTheDoor, InvalidProviderEventError } from "./1-receive/Contract.ts"
import type { InboundPort } from "./InboundPort.ts"
import { keyOf } from "./Key.ts"
import { makeMessage } from "./Message.ts"
import { makeSignal } from "./Signal.ts"

export const makeReceive = (port: InboundPort) => {
  const message = makeMessage(port)
  const signal = makeSignal(port)

  const drop = (event: InboundEvent, reason: DropReason): Effect.Effect<void> => {
    port.dropped(event, reason)
    return Effect.void
  }
  const refuse = (event: InboundEvent, reason: "not-running" | "overloaded", detail: string) => {
    port.dropped(event, reason)
    return Effect.fail(new NotAcceptingError({ reason, detail }))
  }
  const invalid = (event: InboundEvent, detail: string): Effect.Effect<void> => {
    port.dropped(event, "invalid")
    const error = new InvalidProviderEventError({ provider: port.providerId, detail })
    return port.failed({ cause: Cause.fail(error), where: "an event of the provider", chat: undefined, engine: true })
  }
  /** Bounded: whoever delivers is told to come again, before anything of the event is remembered (I23). */
  const overloaded = (event: InboundEvent, key: string) => {
    port.publish({ _tag: "overloaded", key, waiting: port.queue.waiting })
    return refuse(event, "overloaded", `${port.queue.waiting} are waiting`)
  }

  const one = (event: InboundEvent): Effect.Effect<void, NotAcceptingError> =>
    Effect.suspend((): Effect.Effect<void, NotAcceptingError> => {
      port.metrics.received()
      const { state } = port.lifecycle
      if (state !== "running") return refuse(event, "not-running", `the bot is ${state}`)
      const seen = atTheDoor(event)
      if (seen !== "taken") return typeof seen === "string" ? drop(event, seen) : invalid(event, seen.issue)
      if (port.echo?.isEcho(event, port.timers.now()) === true) return drop(event, "echo")
      if (!port.access.lets(event.from, event.sender)) return drop(event, "blocked")
      const lane = port.queue.lane(keyOf(event, port.perParticipant))
      if (lane.isFull()) return overloaded(event, lane.key)
      if (event._tag === "message" || event._tag === "interaction") return message(event, lane)
      signal(event, lane)
      return Effect.void
    })

  /** A batch, in the order it happened. */
  return (events: ReadonlyArray<InboundEvent>): Effect.Effect<void, NotAcceptingError> => {
    const [first] = events
    if (events.length === 1 && first !== undefined) return one(first)
    return Effect.forEach(events, one, { discard: true })
  }
}
