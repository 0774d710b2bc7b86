/**
 * The wire between a machine and what it shares with others: calls take time, get lost on the way there or back, arrive
 * twice, or fail, as the nemesis has it (design.md 4, simulation).
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
  /** The call is sent again before its answer came (a reconnect): carried out twice, its caller hears the second answer. */
  doubled: number
  /** The backend refuses before doing anything. */
  refusals: number
  /** What gives a turn back arrives late by up to this. */
  lateReleases: number
  /** Nothing passes. */
  cut: boolean
}
export const fairWeather = (): Weather => ({
  slow: 0,
  lostCalls: 0,
  lostReplies: 0,
  doubled: 0,
  refusals: 0,
  lateReleases: 0,
  cut: false
})

/** How long a caller waits for an answer, ms. */
export const callTimeout = 2000

export interface Wire {
  readonly weather: Weather
  /** Carries one call. `fail` makes the error of a call that was lost, or refused before anything was done. */
  readonly carry: <A, E>(
    effect: Effect.Effect<A, E>,
    fail: (reason: "timeout" | "refused") => E,
    kind?: "once" | "repeatable" | "release"
  ) => Effect.Effect<A, E>
}

export const makeWire = (chance: Chance): Wire => {
  const weather = fairWeather()
  const hop = (): Effect.Effect<void> => {
    const millis = weather.slow > 0 ? chance.between(0, weather.slow) : chance.happens(0.7) ? 0 : chance.between(0, 2)
    return millis === 0 ? Effect.void : Effect.sleep(millis)
  }
  const lost = <E>(error: E): Effect.Effect<never, E> => Effect.andThen(Effect.sleep(callTimeout), Effect.fail(error))
  const carry: Wire["carry"] = (effect, fail, kind = "once") =>
    Effect.suspend(() => {
      if (weather.refusals > 0 && chance.happens(weather.refusals)) {
        return Effect.andThen(hop(), Effect.fail(fail("refused")))
      }
      if (weather.cut || (weather.lostCalls > 0 && chance.happens(weather.lostCalls))) return lost(fail("timeout"))
      const late = kind === "release" && weather.lateReleases > 0 ? chance.between(0, weather.lateReleases) : 0
      const way = late > 0 ? Effect.sleep(late) : hop()
      const again = kind !== "once" && weather.doubled > 0 && chance.happens(weather.doubled)
      const carried = again
        ? Effect.andThen(
            Effect.andThen(
              effect,
              Effect.suspend(() => Effect.sleep(chance.between(0, 300)))
            ),
            effect
          )
        : effect
      return Effect.flatMap(Effect.andThen(way, carried), (answer) => {
        if (weather.cut || (weather.lostReplies > 0 && chance.happens(weather.lostReplies)))
          return lost(fail("timeout"))
        return Effect.as(hop(), answer)
      })
    })
  return { weather, carry }
}
