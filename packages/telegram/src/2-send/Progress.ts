/**
 * Which parts of a split message have gone out, by the message's key. A repeat after a failure or a restart goes on at the
 * first missing part instead of saying the beginning twice. One row a split message; a message of one part has none.
 */
import { Duration, Effect, Schema } from "effect"
import type { ProviderError, ProviderState, Ref } from "@botmesh/core/spi"

const Parts = Schema.Array(Schema.Struct({ id: Schema.String, chatId: Schema.String }))
const readParts = Schema.decodeUnknownOption(Schema.fromJsonString(Parts))

/** Longer than any outbox tries one message. */
const kept = Duration.days(7)

const row = (key: string) => `telegram:parts:${key}`

export const done = (state: ProviderState, key: string): Effect.Effect<ReadonlyArray<Ref>, ProviderError> =>
  Effect.map(state.get(row(key)), (text) => {
    const parts = text === undefined ? undefined : readParts(text)
    return parts?._tag === "Some" ? parts.value : []
  })

/** Safe to repeat. */
export const note = (
  state: ProviderState,
  key: string,
  parts: ReadonlyArray<Ref>
): Effect.Effect<void, ProviderError> =>
  state.set(row(key), JSON.stringify(parts.map(({ id, chatId }) => ({ id, chatId }))), kept)
