/**
 * Long polling. Asking with `offset = last + 1` is what confirms a batch, so the next question is asked only once `receive`
 * has returned for every update of the batch: whatever was not admitted comes again.
 */
import { Cause, Duration, Effect, Schedule, Schema, type Scope, SubscriptionRef } from "effect"
import type { NotAcceptingError, ProviderError, ProviderHost, ProviderShape } from "@botmesh/core/spi"
import { admit } from "./1-receive/Intake.ts"
import { updateId } from "./1-receive/Receive.ts"
import { providerError } from "./Errors.ts"
import { limits } from "./Limits.ts"
import type { Link } from "./Link.ts"
import type { Params } from "./native/Api.ts"
import type { ApiError } from "./native/ApiError.ts"
import { updateKinds } from "./native/Update.ts"
import { become, provider, type Session } from "./Provider.ts"
import { attach, connect, persist } from "./Start.ts"

export interface PollingSettings {
  /** How long the server may hold one question. */
  readonly pollTimeout: Duration.Duration
  /** How long to leave the session to another poller that took it. */
  readonly standBack: Duration.Duration
}

/** Raw on purpose: one malformed update must not make its whole batch unreadable. */
const Batch = Schema.Array(Schema.Unknown)
type Batch = typeof Batch.Type

const question = (offset: number | undefined, timeout: Duration.Duration): Params => ({
  ...(offset === undefined ? {} : { offset }),
  limit: limits.batch,
  timeout: Math.ceil(Duration.toSeconds(timeout)),
  allowed_updates: updateKinds
})

/** The server answers a held question a moment late; a connection that died in silence must still end. */
const grace = Duration.seconds(10)

/** After a failure the first question is a short one: its answer tells at once that the session stands again. */
const ask = (it: Session, poll: PollingSettings, offset: number | undefined): Effect.Effect<Batch, ApiError> =>
  persist(
    it,
    poll.standBack,
    Effect.flatMap(SubscriptionRef.get(it.connection), ({ state }) =>
      it.api.call("getUpdates", question(offset, state === "ready" ? poll.pollTimeout : Duration.zero), Batch, {
        timeout: Duration.sum(poll.pollTimeout, grace)
      })
    )
  )

/** A full bot takes the same batch a little later; nothing is read past it meanwhile. */
const whenFull = Schedule.exponential("250 millis").pipe(
  Schedule.modifyDelay(({ duration }) => Effect.succeed(Duration.min(duration, Duration.seconds(5)))),
  Schedule.jittered
)

const handOver = (link: Link, batch: Batch): Effect.Effect<void> =>
  admit(link, batch).pipe(
    Effect.tapError((error: NotAcceptingError) =>
      Effect.logDebug("telegram: the bot takes nothing just now, the batch waits", { reason: error.reason })
    ),
    Effect.retry(whenFull),
    Effect.orDie
  )

/**
 * Where to go on. After an empty answer nothing is unconfirmed, so no offset is sent: after a week of silence ids start anew
 * at random, and an old offset could hide them.
 */
const next = (batch: Batch): number | undefined => {
  const ids = batch.map(updateId).filter((id) => id !== undefined)
  return ids.length === 0 ? undefined : Math.max(...ids) + 1
}

const loop = Effect.fnUntraced(function* (it: Session, poll: PollingSettings, link: Link) {
  let offset: number | undefined
  while (true) {
    const batch = yield* ask(it, poll, offset)
    yield* become(it, { state: "ready" })
    yield* handOver(link, batch)
    offset = next(batch)
    // A batch that cannot be confirmed comes again at once: as slowly as any other failure of the server.
    if (batch.length > 0 && offset === undefined) {
      yield* Effect.logWarning("telegram: updates without an id")
      yield* Effect.sleep(grace)
    }
  }
})

/** The loop ends for good on a refusal that no waiting heals, and says why by the connection's state. */
const supervised = (it: Session, poll: PollingSettings, link: Link): Effect.Effect<void> =>
  loop(it, poll, link).pipe(
    Effect.catch((error) => Effect.logError("telegram: polling ended", { detail: error.description })),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.andThen(
            Effect.logError("telegram: polling broke", cause),
            become(it, { state: "closed", reason: "failed" })
          )
    )
  )

const start = (
  it: Session,
  poll: PollingSettings,
  host: ProviderHost
): Effect.Effect<void, ProviderError, Scope.Scope> =>
  Effect.gen(function* () {
    const link = yield* connect(it, host, poll.standBack)
    yield* persist(
      it,
      poll.standBack,
      it.api.call("deleteWebhook", { drop_pending_updates: false }, Schema.Boolean)
    ).pipe(Effect.mapError(providerError))
    // A first question that confirms nothing: what is wrong with the session is known before start returns.
    const probe = { ...question(undefined, Duration.zero), limit: 1 }
    yield* persist(it, poll.standBack, it.api.call("getUpdates", probe, Batch)).pipe(Effect.mapError(providerError))
    yield* attach(it, link)
    yield* become(it, { state: "ready" })
    yield* Effect.forkScoped(supervised(it, poll, link))
  })

export const polling = (it: Session, poll: PollingSettings): ProviderShape =>
  provider(
    it,
    true,
    Effect.fn("Telegram.start")((host: ProviderHost) => start(it, poll, host))
  )
