/** First phase, for every event: the contract, our own messages, echoes and access; then each kind takes its path (A1 to A3, A22). */
import { Cause, Effect } from "effect"
import type { InboundEvent } from "../model/Event.ts"
import { NotAcceptingError } from "../spi/Provider.ts"
import { contractIssue, InvalidProviderEventError, isKnownKind } from "./1-receive/Contract.ts"
import type { InboundPort } from "./InboundPort.ts"
import { makeMessage } from "./Message.ts"
import { makeSignal } from "./Signal.ts"

export const makeReceive = (port: InboundPort) => {
  const message = makeMessage(port)
  const signal = makeSignal(port)

  const one = (event: InboundEvent): Effect.Effect<void, NotAcceptingError> =>
    Effect.suspend(() => {
      if (port.lifecycle.state !== "running") {
        return Effect.fail(
          new NotAcceptingError({ reason: "not-running", detail: `the bot is ${port.lifecycle.state}` })
        )
      }
      port.metrics.received()
      if (!isKnownKind(event)) return drop(event, "unknown-kind")
      const issue = contractIssue(event)
      if (issue !== undefined) {
        port.dropped(event, "invalid")
        const error = new InvalidProviderEventError({ provider: port.providerId, detail: issue })
        return port.failed({ cause: Cause.fail(error), where: "an event of the provider", chat: undefined })
      }
      if (event._tag === "message" && event.fromMe === true) return drop(event, "from-me")
      if (port.echo?.isEcho(event, port.timers.now()) === true) return drop(event, "echo")
      if (!port.access.lets(event.from, event.sender)) return drop(event, "blocked")
      if (event._tag === "message" || event._tag === "interaction") return message(event)
      signal(event)
      return Effect.void
    })
  const drop = (event: InboundEvent, reason: Parameters<InboundPort["dropped"]>[1]): Effect.Effect<void> =>
    Effect.sync(() => port.dropped(event, reason))

  /** A batch, in the order it happened. */
  return (events: ReadonlyArray<InboundEvent>): Effect.Effect<void, NotAcceptingError> => {
    const [first] = events
    if (events.length === 1 && first !== undefined) return one(first)
    return Effect.forEach(events, one, { discard: true })
  }
}
