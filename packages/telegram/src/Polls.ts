/** Which chat a poll was sent to: a vote names the poll only. */
import { type Duration, Effect, Schema } from "effect"
import type { ProviderError, ProviderState } from "@botmesh/core/spi"

const Place = Schema.Struct({ from: Schema.String, isGroup: Schema.Boolean, topic: Schema.optionalKey(Schema.String) })
export type Place = typeof Place.Type

const readPlace = Schema.decodeUnknownOption(Schema.fromJsonString(Place))
const row = (pollId: string) => `telegram:poll:${pollId}`

/** Safe to repeat. */
export const remember = (
  state: ProviderState,
  pollId: string,
  place: Place,
  ttl: Duration.Duration
): Effect.Effect<void, ProviderError> => state.set(row(pollId), JSON.stringify(place), ttl)

export const recall = (state: ProviderState, pollId: string): Effect.Effect<Place | undefined, ProviderError> =>
  Effect.map(state.get(row(pollId)), (text) => {
    const place = text === undefined ? undefined : readPlace(text)
    return place?._tag === "Some" ? place.value : undefined
  })
