/**
 * The wire between a machine and what it shares with others: calls take time, get lost on the way there or back, or fail,
 * as the nemesis has it (design.md 4, simulation).
 */
import { Effect } from "effect"
import type { Chance } from "./Chance.ts"

/** What the wire of one machine does to its calls just now. Probabilities from 0 to 1, times in ms. */
export interface Weather {
  slow: number
  /** The call never arrives. */
  lostCalls: number
  /** The call is carried out, its answer gets lost. */
  lostReplies: number
  /** The backend refuses before doing anything. */
  refusals: number
  /** Nothing passes. */
  cut: boolean
}
export const fairWeather = (): Weather => ({ slow: 0, lostCalls: 0, lostReplies: 0, refusals: 0, cut: false })

/** How long a caller waits for an answer, ms. */
export const callTimeout = 2000

export interface WireCounts {
  lostCalls: number
  lostReplies: number
  refusals: number
}

export interface Wire {
  readonly weather: Weather
  readonly counts: WireCounts
  /** Carries one call. `fail` makes the error of a call that was lost, or refused before anything was done. */
  readonly carry: <A, E>(effect: Effect.Effect<A, E>, fail: (reason: "timeout" | "refused") => E) => Effect.Effect<A, E>
}

export const makeWire = (chance: Chance): Wire => {
  const weather = fairWeather()
  const counts: WireCounts = { lostCalls: 0, lostReplies: 0, refusals: 0 }
  const hop = (): Effect.Effect<void> => {
    const millis = chance.happens(0.7)
      ? 0
      : chance.between(0, 2) + (weather.slow === 0 ? 0 : chance.between(0, weather.slow))
    return millis === 0 ? Effect.void : Effect.sleep(millis)
  }
  const carry: Wire["carry"] = (effect, fail) =>
    Effect.suspend(() => {
      if (chance.happens(weather.refusals)) {
        counts.refusals++
        return Effect.andThen(hop(), Effect.fail(fail("refused")))
      }
      if (weather.cut || chance.happens(weather.lostCalls)) {
        counts.lostCalls++
        return Effect.andThen(Effect.sleep(callTimeout), Effect.fail(fail("timeout")))
      }
      const done = Effect.andThen(hop(), effect)
      return Effect.flatMap(done, (answer) => {
        if (weather.cut || chance.happens(weather.lostReplies)) {
          counts.lostReplies++
          return Effect.andThen(Effect.sleep(callTimeout), Effect.fail(fail("timeout")))
        }
        return Effect.as(hop(), answer)
      })
    })
  return { weather, counts, carry }
}
