/** The beginning both modes share: who am I, and patience while the API cannot be reached. */
import { Duration, Effect, MutableRef, Schedule, type Scope, SubscriptionRef } from "effect"
import type { ProviderError, ProviderHost } from "@botmesh/core/spi"
import { passing, providerError, takenOver } from "./Errors.ts"
import { identity, Me } from "./Identity.ts"
import * as Link from "./Link.ts"
import { countFailure } from "./Metrics.ts"
import type { ApiError } from "./native/ApiError.ts"
import { become, type Session } from "./Provider.ts"

const longest = Duration.seconds(30)

/**
 * Waits between tries: doubling with jitter up to 30 s, but never less than a limit's own delay, nor than `standBack` when
 * another poller took the session over: two pollers that come back at once would throw each other out for ever.
 */
export const patience = (standBack: Duration.Duration) =>
  Schedule.exponential("500 millis").pipe(
    Schedule.setInputType<ApiError>(),
    Schedule.modifyDelay(({ duration }) => Effect.succeed(Duration.min(duration, longest))),
    Schedule.jittered,
    Schedule.modifyDelay(({ duration, input }) =>
      Effect.succeed(
        takenOver(input)
          ? Duration.max(duration, standBack)
          : input.retryAfter === undefined
            ? duration
            : Duration.max(duration, Duration.millis(input.retryAfter))
      )
    )
  )

const verdict = (error: ApiError): string =>
  takenOver(error) ? "stand-back" : passing(error) ? (error.code === 429 ? "rate-limited" : "back-off") : "closed"

/** Tells the connection's state after a failed call, and counts it. */
export const report = (it: Session, error: ApiError): Effect.Effect<void> => {
  const told = takenOver(error)
    ? become(it, { state: "closed", reason: "sessionTakenOver" })
    : passing(error)
      ? become(it, { state: "connecting" })
      : become(it, { state: "closed", reason: providerError(error).reason })
  const detail = { method: error.method, detail: error.description }
  return Effect.andThen(
    told,
    Effect.andThen(countFailure(verdict(error)), Effect.logWarning("telegram: a call failed", detail))
  )
}

/** Repeats a call that is safe to repeat for as long as what stops it passes. */
export const persist = <A>(
  it: Session,
  standBack: Duration.Duration,
  call: Effect.Effect<A, ApiError>
): Effect.Effect<A, ApiError> =>
  call.pipe(
    Effect.tapError((error) => report(it, error)),
    Effect.retry({ schedule: patience(standBack), while: passing })
  )

/** A reason that is there already says more than "stopped". */
const close = (it: Session): Effect.Effect<void> =>
  Effect.flatMap(SubscriptionRef.get(it.connection), ({ state, reason }) =>
    state === "closed" && reason !== undefined ? Effect.void : become(it, { state: "closed", reason: "stopped" })
  )

/** Asks who the bot is and opens the link; closing the scope closes it and says so. */
export const connect = (
  it: Session,
  host: ProviderHost,
  standBack: Duration.Duration
): Effect.Effect<Link.Link, ProviderError, Scope.Scope> =>
  Effect.gen(function* () {
    yield* become(it, { state: "connecting" })
    yield* Effect.addFinalizer(() => close(it))
    const me = yield* persist(it, standBack, it.api.call("getMe", {}, Me)).pipe(Effect.mapError(providerError))
    return yield* Link.open(it.api, host, identity(me))
  })

/** From here on updates are taken, until the scope closes: closing it first lets nothing in while the rest is torn down. */
export const attach = (it: Session, link: Link.Link): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => void MutableRef.set(it.link, link)),
    () => Effect.sync(() => void MutableRef.set(it.link, undefined))
  )
