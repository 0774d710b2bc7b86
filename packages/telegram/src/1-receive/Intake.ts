/**
 * A batch of raw updates → admitted events, in their order. Used alike by polling and the webhook: it returns once each is
 * admitted, so that only then an offset is confirmed or a 200 is given. Safe to repeat with the same batch.
 */
import { Effect } from "effect"
import { type InboundEvent, NotAcceptingError, type ProviderError, type ProviderState } from "@botmesh/core/spi"
import * as Buttons from "../Buttons.ts"
import type { Link } from "../Link.ts"
import { countUpdate } from "../Metrics.ts"
import * as Polls from "../Polls.ts"
import type { Reading, Vote } from "./Reading.ts"
import { read } from "./Receive.ts"

/** What a reading comes to once the bot's own store was asked. */
type Settled = Exclude<Reading, { readonly _tag: "button" } | Vote>

const settleVote = (vote: Vote, state: ProviderState): Effect.Effect<Settled, ProviderError> =>
  Effect.map(Polls.recall(state, vote.pollId), (place): Settled => {
    if (place === undefined) return { _tag: "ignored", kind: "poll_answer", reason: "unknown-poll" }
    const { _tag: _, ...said } = vote
    return { _tag: "event", event: { _tag: "pollVote", ...said, ...place } }
  })

const settle = (reading: Reading, state: ProviderState): Effect.Effect<Settled, ProviderError> => {
  switch (reading._tag) {
    case "button":
      // A token that is not known any more is handed on as it is: the label still says what was pressed.
      return Effect.map(
        Buttons.recall(state, reading.token),
        (key): Settled => ({
          _tag: "event",
          event: key === undefined ? reading.event : { ...reading.event, payload: key }
        })
      )
    case "vote":
      return settleVote(reading, state)
    default:
      return Effect.succeed(reading)
  }
}

const record = (link: Link, settled: Settled): Effect.Effect<void> => {
  switch (settled._tag) {
    case "event": {
      const counted = countUpdate(settled.event._tag, "event")
      return settled.event._tag === "interaction"
        ? Effect.andThen(link.answer(settled.event.interactionId), counted)
        : counted
    }
    case "ignored": {
      const counted = Effect.andThen(
        countUpdate(settled.kind, settled.reason),
        Effect.logDebug("telegram: update ignored", { kind: settled.kind, reason: settled.reason })
      )
      return settled.callbackId === undefined ? counted : Effect.andThen(link.answer(settled.callbackId), counted)
    }
    case "malformed":
      return Effect.andThen(
        countUpdate(settled.kind, "malformed"),
        Effect.logWarning("telegram: malformed update", { kind: settled.kind, detail: settled.detail })
      )
  }
}

const isEvent = (settled: Settled): settled is Extract<Settled, { readonly _tag: "event" }> => settled._tag === "event"

const storeDown = (error: ProviderError) => new NotAcceptingError({ reason: "store", detail: error.detail })

export const admit = Effect.fnUntraced(function* (link: Link, updates: ReadonlyArray<unknown>) {
  const { host } = link
  const settled = yield* Effect.forEach(updates, (update) => settle(read(update, link.bot), host.state)).pipe(
    Effect.mapError(storeDown)
  )
  const events: ReadonlyArray<InboundEvent> = settled.filter(isEvent).map(({ event }) => event)
  if (events.length > 0) yield* host.receive(events)
  yield* Effect.forEach(settled, (each) => record(link, each), { discard: true })
})
