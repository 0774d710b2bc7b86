/** An HTTP client that connects to given addresses and to nothing else, whatever the name in its URL resolves to. */
import type { IncomingMessage } from "node:http"
import { request as httpsRequest } from "node:https"
import { isIP, type LookupFunction } from "node:net"
import { Readable } from "node:stream"
import { Effect } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"

/** Answers every look-up with the same addresses. */
const pinned = (addresses: ReadonlyArray<string>): LookupFunction => {
  const all = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_, options, done) => {
    const [first] = all
    if (first === undefined) done(new Error("no address"), "", 0)
    else if (options.all === true) done(null, all)
    else done(null, first.address, first.family)
  }
}

const failure = (request: HttpClientRequest.HttpClientRequest, cause: unknown): HttpClientError.HttpClientError =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })

/** Statuses that have no body: `Response` refuses one. */
const bodiless = new Set([204, 205, 304])

/** The answer as the client gives it. Fails for a status that HTTP does not know: a `Response` of it would throw. */
export const answerOf = (
  request: HttpClientRequest.HttpClientRequest,
  incoming: IncomingMessage
): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError> => {
  const status = incoming.statusCode ?? 0
  if (status < 200 || status > 599) {
    incoming.destroy()
    return Effect.fail(failure(request, new Error(`the status was ${status}`)))
  }
  const headers = Object.entries(incoming.headers).flatMap(
    ([name, value]): ReadonlyArray<[string, string]> =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]]
  )
  const content = bodiless.has(status) ? null : Readable.toWeb(incoming)
  return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(content, { status, headers })))
}

/** Redirects are not followed: they are the caller's to vet. @param addresses vetted ones, at least one */
export const pinnedClient = (addresses: ReadonlyArray<string>): HttpClient.HttpClient =>
  HttpClient.make((request, url, signal) =>
    Effect.callback<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>((resume) => {
      const { body } = request
      const outgoing = httpsRequest(
        url,
        { method: request.method, headers: { ...request.headers }, lookup: pinned(addresses), agent: false, signal },
        (incoming) => resume(answerOf(request, incoming))
      )
      outgoing.on("error", (cause) => resume(Effect.fail(failure(request, cause))))
      outgoing.end(body._tag === "Uint8Array" ? body.body : undefined)
    })
  )
