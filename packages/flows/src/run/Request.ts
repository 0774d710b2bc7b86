/**
 * One request of an `http` step: vetted, bounded in time and size, repeated where that may help. Redirects of a GET are
 * followed, each vetted anew; secrets never go along to another host.
 *
 * Source: E3, design 9
 */
import { Effect, Redacted, Result, Schedule, type Scope, Stream } from "effect"
import { HttpBody, HttpClient, type HttpClientResponse, HttpClientRequest } from "effect/http"
import { vet, type Vetted } from "../net/Vet.ts"
import type { FlowStepError } from "./FlowStepError.ts"
import type { HttpAccess } from "./Http.ts"

export interface Request {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly url: string
  /** By header, the name of its secret. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>> | undefined
  /** Tells the other side that a repeat is one. */
  readonly key: string
  /** ms: one attempt, redirects included. */
  readonly timeout: number
  readonly retries: number
  readonly maxBytes: number
}

/** Why a request came to nothing. */
export interface Failed {
  readonly reason: FlowStepError["reason"]
  readonly detail: string
  readonly again: boolean
}
const failed = (reason: Failed["reason"], detail: string, again = false): Effect.Effect<never, Failed> =>
  Effect.fail({ reason, detail, again })

const maxRedirects = 3

const secretHeaders = (
  request: Request,
  access: HttpAccess
): Result.Result<Readonly<Record<string, string>>, Failed> => {
  const found: Record<string, string> = {}
  for (const [header, name] of Object.entries(request.headers)) {
    const secret = access.secret(name)
    if (secret === undefined) {
      return Result.fail({ reason: "refused", detail: `there is no secret "${name}"`, again: false })
    }
    const value = Redacted.value(secret)
    if (!/^[\t\u0020-\u007e]*$/u.test(value)) {
      return Result.fail({ reason: "refused", detail: `the secret "${name}" cannot stand in a header`, again: false })
    }
    found[header] = value
  }
  return Result.succeed(found)
}

const vetted = (url: string, access: HttpAccess): Effect.Effect<Vetted, Failed> =>
  Effect.catch(vet(url, access.allows, access.resolve), ({ detail }) => failed("refused", detail))

const send = (
  { addresses, url }: Vetted,
  request: Request,
  headers: Readonly<Record<string, string>>,
  access: HttpAccess
) => {
  const body = request.body === undefined ? HttpBody.empty : HttpBody.jsonUnsafe(request.body)
  const outgoing = HttpClientRequest.make(request.method)(url.href, {
    headers: {
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": "botmesh",
      ...(request.method === "GET" ? {} : { "idempotency-key": request.key }),
      ...headers
    },
    body
  })
  return Effect.catch(HttpClient.withScope(access.client(addresses)).execute(outgoing), (error) =>
    failed("failed", `${url.hostname} could not be reached (${error.reason._tag})`, true)
  )
}

const redirectOf = (request: Request, response: HttpClientResponse.HttpClientResponse): string | undefined =>
  request.method === "GET" && response.status >= 300 && response.status < 400 ? response.headers["location"] : undefined

/** Follows redirects; each is vetted like the first address. */
const exchange = (
  url: string,
  request: Request,
  headers: Readonly<Record<string, string>>,
  access: HttpAccess,
  left: number
): Effect.Effect<HttpClientResponse.HttpClientResponse, Failed, Scope.Scope> =>
  Effect.flatMap(vetted(url, access), (at) =>
    Effect.flatMap(send(at, request, headers, access), (response) => {
      const to = redirectOf(request, response)
      if (to === undefined) return Effect.succeed(response)
      if (left === 0) return failed("failed", `${at.url.hostname} redirects more than ${maxRedirects} times`)
      const next = URL.canParse(to, at.url.href) ? new URL(to, at.url) : undefined
      if (next === undefined) return failed("failed", `${at.url.hostname} redirects to no address`)
      return exchange(next.href, request, next.host === at.url.host ? headers : {}, access, left - 1)
    })
  )

/** The body, read no further than it may be long. */
const bodyOf = (response: HttpClientResponse.HttpClientResponse, maxBytes: number): Effect.Effect<string, Failed> => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  return response.stream.pipe(
    Stream.mapError(
      (error): Failed => ({ reason: "failed", detail: `the response broke off (${error._tag})`, again: true })
    ),
    Stream.runForEach((chunk) => {
      bytes += chunk.byteLength
      if (bytes > maxBytes) return failed("too-large", `the response is over ${maxBytes} bytes`)
      chunks.push(chunk)
      return Effect.void
    }),
    Effect.map(() => new TextDecoder().decode(Buffer.concat(chunks)))
  )
}

const parsed = (text: string, type: string): Effect.Effect<unknown, Failed> => {
  if (text === "") return Effect.succeed(null)
  if (!type.includes("json")) return Effect.succeed(text)
  return Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: (): Failed => ({ reason: "unreadable", detail: "the response says it is JSON and is not", again: false })
  })
}

const attempt = (
  request: Request,
  headers: Readonly<Record<string, string>>,
  access: HttpAccess
): Effect.Effect<unknown, Failed> =>
  Effect.flatMap(exchange(request.url, request, headers, access, maxRedirects), (response) => {
    const { status } = response
    if (status < 200 || status >= 300) {
      return failed("failed", `the answer was ${status}`, status >= 500 || status === 429 || status === 408)
    }
    return Effect.flatMap(bodyOf(response, request.maxBytes), (text) =>
      parsed(text, response.headers["content-type"] ?? "")
    )
  }).pipe(
    // An answer that is not read to its end holds its connection: the scope closes it.
    Effect.scoped,
    Effect.timeoutOrElse({
      duration: request.timeout,
      orElse: () => failed("timeout", `no answer within ${request.timeout} ms`, true)
    })
  )

/** The parsed body of a good answer. Fails with why there is none; repeats send the same key. */
export const perform = (request: Request, access: HttpAccess): Effect.Effect<unknown, Failed> => {
  const headers = secretHeaders(request, access)
  if (Result.isFailure(headers)) return Effect.fail(headers.failure)
  return Effect.retry(attempt(request, headers.success, access), {
    times: request.retries,
    while: ({ again }) => again,
    schedule: Schedule.exponential("200 millis")
  })
}
