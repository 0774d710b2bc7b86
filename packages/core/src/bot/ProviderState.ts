/**
 * A little state of the transport in the bot's own store: cursors, credentials, keys.
 *
 * PS1 that of an exclusive transport is read and written under its lead's fence alone: what a former leader still writes
 *     is refused, however late it lands (R13).
 */
import { Duration, Effect } from "effect"
import type { Lease } from "../spi/Coordinator.ts"
import { type CoordinationUnavailableError, LeaseLostError } from "../spi/Errors.ts"
import { ProviderError, type ProviderState } from "../spi/Provider.ts"
import type { StoreError } from "../spi/Store.ts"
import type { Parts } from "./Parts.ts"

/** So often is a fence found too low and lifted before somebody else is taken to be doing the same. */
const mostLifts = 3

type Failure = StoreError | LeaseLostError | CoordinationUnavailableError

/** @param lead of an exclusive transport, for as long as it is connected */
export const providerState = (parts: Parts, lead: Lease | undefined): ProviderState => {
  const { metrics, provider, scope, store, timers } = parts
  const nameOf = (key: string): string => `provider/${provider.id}/${key}`
  const failed = (error: Failure): ProviderError => {
    const isLost = error._tag === "LeaseLostError"
    if (isLost) metrics.stateRefused()
    return new ProviderError({
      provider: provider.id,
      reason: isLost ? "taken-over" : "unreachable",
      detail: error.message
    })
  }
  const ends = (ttl: Duration.Duration | undefined): number | undefined =>
    ttl === undefined ? undefined : timers.now() + Duration.toMillis(ttl)
  if (lead === undefined) {
    return {
      get: (key) => Effect.mapError(store.getValue(scope, nameOf(key)), failed),
      set: (key, value, ttl) => Effect.mapError(store.setValue(scope, nameOf(key), value, ends(ttl)), failed)
    }
  }
  /** PS1. A fence that is higher is of a life with a later clock, or another leader's by now: then the lead is lost (R19). */
  const under = <A>(
    act: (fence: number) => Effect.Effect<{ readonly fence: number; readonly value: A }, StoreError>,
    lifts = 0
  ): Effect.Effect<A, Failure> =>
    Effect.flatMap(lead.check, () => {
      const { fence } = lead
      return Effect.flatMap(act(fence), (stands): Effect.Effect<A, Failure> => {
        if (stands.fence <= fence) return Effect.succeed(stands.value)
        if (lifts === mostLifts) return Effect.fail(new LeaseLostError({ key: lead.key, reason: "superseded" }))
        return Effect.andThen(lead.regrant(stands.fence), under(act, lifts + 1))
      })
    })
  return {
    get: (key) =>
      Effect.mapError(
        under((fence) => store.takeValue(scope, nameOf(key), fence)),
        failed
      ),
    set: (key, value, ttl) =>
      Effect.mapError(
        under((fence) =>
          Effect.map(store.putValue(scope, nameOf(key), value, fence, ends(ttl)), (stands) => ({
            fence: stands,
            value: undefined
          }))
        ),
        failed
      )
  }
}
