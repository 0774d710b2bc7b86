/**
 * The webhook: one POST, one update. It is answered with 200 once the update is admitted and never waits for a handler;
 * whatever is not admitted is answered so that Telegram sends it again.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import { ByteSize, Duration, Effect, MutableRef, Redacted, Schema, type Scope } from "effect"
import { HttpIncomingMessage, HttpServerRequest, HttpServerResponse, type HttpServerError } from "effect/http"
import type { NotAcceptingError, ProviderError, ProviderHost, ProviderShape } from "@botmesh/core/spi"
import { admit } from "./1-receive/Intake.ts"
import { providerError } from "./Errors.ts"
import { limits } from "./Limits.ts"
import type { Link } from "./Link.ts"
import { updateKinds } from "./native/Update.ts"
import { become, provider, type Session } from "./Provider.ts"
import { attach, connect, persist } from "./Start.ts"

export interface WebhookSettings {
  readonly secret: Redacted.Redacted
  /** Registered at start when given. */
  readonly url?: string
}

const header = "x-telegram-bot-api-secret-token"

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Digests have one length, so neither the content nor the length of the secret shows in the time it takes. */
const same = (given: string, secret: Redacted.Redacted): boolean =>
  timingSafeEqual(digest(given), digest(Redacted.value(secret)))

const ok = HttpServerResponse.empty({ status: 200 })
const bad = HttpServerResponse.empty({ status: 400 })
const unauthorized = HttpServerResponse.empty({ status: 401 })
const tooLarge = HttpServerResponse.empty({ status: 413 })
/** Telegram tries again by itself; the header tells when it is worth it. */
const later = HttpServerResponse.empty({ status: 503, headers: { "retry-after": "5" } })

const readJson = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))

const unreadable = (error: HttpServerError.HttpServerError) =>
  Effect.succeed(error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge" ? tooLarge : bad)

/**
 * Once admission begins, a client that hangs up does not stop it: half an admission would be the worst answer. Telegram,
 * not having seen the 200, sends the update again, and dedupe knows it.
 */
const take = (link: Link, update: unknown) =>
  admit(link, [update]).pipe(
    Effect.uninterruptible,
    Effect.as(ok),
    Effect.catch((error: NotAcceptingError) =>
      Effect.as(Effect.logDebug("telegram: the bot takes nothing just now", { reason: error.reason }), later)
    )
  )

const body = (link: Link, request: HttpServerRequest.HttpServerRequest) =>
  request.text.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(limits.webhookBody)),
    Effect.matchEffect({
      onFailure: unreadable,
      onSuccess: (text) =>
        Effect.matchEffect(readJson(text), { onFailure: () => Effect.succeed(bad), onSuccess: (it) => take(link, it) })
    })
  )

/** What the route does, in order: secret, started, size, JSON, admission. No payload gives a 5xx. */
export const handle = (
  it: Session,
  secret: Redacted.Redacted
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest> =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    if (!same(request.headers[header] ?? "", secret)) return Effect.succeed(unauthorized)
    const link = MutableRef.get(it.link)
    if (link === undefined) return Effect.succeed(later)
    return Number(request.headers["content-length"] ?? 0) > limits.webhookBody
      ? Effect.succeed(tooLarge)
      : body(link, request)
  })

/** Setting the same webhook again changes nothing, so each replica may do it. */
const register = (it: Session, { secret, url }: WebhookSettings): Effect.Effect<void, ProviderError> =>
  url === undefined
    ? Effect.void
    : persist(
        it,
        Duration.zero,
        it.api.call(
          "setWebhook",
          { url, secret_token: Redacted.value(secret), allowed_updates: updateKinds, drop_pending_updates: false },
          Schema.Boolean
        )
      ).pipe(Effect.asVoid, Effect.mapError(providerError))

const start = (
  it: Session,
  settings: WebhookSettings,
  host: ProviderHost
): Effect.Effect<void, ProviderError, Scope.Scope> =>
  Effect.gen(function* () {
    const link = yield* connect(it, host, Duration.zero)
    yield* attach(it, link)
    yield* register(it, settings)
    yield* become(it, { state: "ready" })
  })

export const webhook = (it: Session, settings: WebhookSettings): ProviderShape =>
  provider(
    it,
    false,
    Effect.fn("Telegram.start")((host: ProviderHost) => start(it, settings, host))
  )
