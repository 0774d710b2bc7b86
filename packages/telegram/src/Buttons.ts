/**
 * Keys behind buttons. Telegram keeps 64 bytes a button; a key that does not fit is replaced by a short token whose full key
 * lies in the bot's store, so that a press gives the key back whole, also after a restart.
 *
 * The token is a hash of the key: making it again for the same key is safe, and nobody can guess one.
 */
import { createHash } from "node:crypto"
import { type Duration, Effect } from "effect"
import type { ProviderError, ProviderState } from "@botmesh/core/spi"
import { limits } from "./Limits.ts"

const mark = "~"

export const isToken = (data: string): boolean => data.startsWith(mark) && data.length === 44

/** The data behind the button of a key. A key that looks like a token gets one too, or a press could not tell them apart. */
export const dataOf = (key: string): string => {
  const fits = key !== "" && key.isWellFormed() && Buffer.byteLength(key) <= limits.callbackData
  if (fits && !key.startsWith(mark)) return key
  // UTF-16: a lone surrogate keeps its own hash.
  return mark + createHash("sha256").update(Buffer.from(key, "utf16le")).digest("base64url")
}

const row = (token: string) => `telegram:button:${token}`

/** Keeps the keys that got a token. Safe to repeat; renews their time. */
export const remember = (
  state: ProviderState,
  keys: ReadonlyArray<string>,
  ttl: Duration.Duration
): Effect.Effect<void, ProviderError> =>
  Effect.forEach(
    keys.filter((key) => dataOf(key) !== key),
    (key) => state.set(row(dataOf(key)), key, ttl),
    { discard: true, concurrency: 8 }
  )

/** @returns the full key, or undefined when it is not known any more. */
export const recall = (state: ProviderState, token: string): Effect.Effect<string | undefined, ProviderError> =>
  state.get(row(token))
