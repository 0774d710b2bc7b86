/**
 * A raw client of the Bot API. The token is part of every URL, so no URL, no request and no cause of a failed request ever
 * leaves this file: tracing of these requests is off and errors are rebuilt from their code alone.
 */
import { type Duration, Effect, Redacted, Schema, Stream } from "effect"
import { HttpBody, HttpClient, HttpClientRequest, type HttpClientError, type HttpClientResponse } from "effect/http"
import { limits } from "../Limits.ts"
import { ApiError } from "./ApiError.ts"
import { networkCode, neverConnected } from "./Network.ts"

export type Json = string | number | boolean | ReadonlyArray<Json> | { readonly [key: string]: Json }
export type Params = { readonly [key: string]: Json }

/** A file that goes out with a call, as one part of a multipart body. */
export interface Upload {
  readonly field: string
  readonly bytes: Uint8Array
  readonly filename: string
  readonly mimetype?: string
}

export interface ApiOptions {
  readonly token: Redacted.Redacted
  readonly apiUrl: string
  /** How long one call may take. */
  readonly timeout: Duration.Duration
}

export interface Api {
  /** Calls one method. Not safe to repeat when it fails with the kind `unclear`. */
  readonly call: <A>(
    method: string,
    params: Params,
    result: Schema.Decoder<A>,
    extra?: { readonly timeout?: Duration.Duration; readonly upload?: Upload }
  ) => Effect.Effect<A, ApiError>
  /** The bytes behind a `file_path` of `getFile`. Safe to repeat. */
  readonly file: (path: string) => Effect.Effect<Uint8Array, ApiError>
}

const Answer = Schema.Struct({
  ok: Schema.Boolean,
  result: Schema.optionalKey(Schema.Unknown),
  error_code: Schema.optionalKey(Schema.Number),
  description: Schema.optionalKey(Schema.String),
  parameters: Schema.optionalKey(
    Schema.Struct({
      retry_after: Schema.optionalKey(Schema.Number),
      migrate_to_chat_id: Schema.optionalKey(Schema.Number)
    })
  )
})
const readAnswer = Schema.decodeUnknownResult(Schema.fromJsonString(Answer))

const refusal = (method: string, status: number, text: string): ApiError => {
  const answer = readAnswer(text)
  if (answer._tag === "Success" && answer.success.ok) {
    return new ApiError({ method, kind: "unclear", code: status, description: `unexpected result (HTTP ${status})` })
  }
  const body = answer._tag === "Success" ? answer.success : undefined
  if (body === undefined && status >= 200 && status < 300) {
    return new ApiError({ method, kind: "unclear", code: status, description: "the answer is cut or not JSON" })
  }
  const code = body?.error_code ?? status
  const wait = body?.parameters?.retry_after ?? (code === 429 ? 1 : undefined)
  const moved = body?.parameters?.migrate_to_chat_id
  return new ApiError({
    method,
    // A gateway that gave up waiting had passed the request on: nobody knows what became of it.
    kind: code === 504 ? "unclear" : code >= 500 ? "server" : "refused",
    code,
    description: body?.description ?? `HTTP ${status}`,
    ...(wait === undefined ? {} : { retryAfter: Math.ceil(wait * 1000) }),
    ...(moved === undefined ? {} : { migrateTo: String(moved) })
  })
}

const failed =
  (method: string) =>
  (error: HttpClientError.HttpClientError): ApiError => {
    switch (error.reason._tag) {
      case "InvalidUrlError":
      case "EncodeError":
        return new ApiError({ method, kind: "unsent", code: 0, description: "the request cannot be written" })
      case "TransportError": {
        const code = networkCode(error.reason.cause)
        const kind = neverConnected(error.reason.cause) ? "unsent" : "unclear"
        return new ApiError({ method, kind, code: 0, description: `network: ${code}` })
      }
      default:
        return new ApiError({ method, kind: "unclear", code: 0, description: "the answer is cut" })
    }
  }

const multipart = (params: Params, upload: Upload): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(params)) {
    form.append(name, typeof value === "string" ? value : JSON.stringify(value))
  }
  // A copy: a Blob wants bytes over a plain ArrayBuffer, and these may sit in a shared or pooled one.
  const blob = new Blob([new Uint8Array(upload.bytes)], upload.mimetype === undefined ? {} : { type: upload.mimetype })
  form.append(upload.field, blob, upload.filename)
  return form
}

const tooBig = (method: string) =>
  new ApiError({ method, kind: "refused", code: 400, description: "Bad Request: file is too big" })

const gather = (method: string, response: HttpClientResponse.HttpClientResponse) =>
  response.stream.pipe(
    Stream.mapError(failed(method)),
    Stream.runFoldEffect(
      () => ({ chunks: [] as Uint8Array[], size: 0 }),
      (all, chunk) => {
        all.chunks.push(chunk)
        all.size += chunk.byteLength
        return all.size > limits.download ? Effect.fail(tooBig(method)) : Effect.succeed(all)
      }
    ),
    Effect.map(({ chunks }) => new Uint8Array(Buffer.concat(chunks)))
  )

export const make = (client: HttpClient.HttpClient, options: ApiOptions): Api => {
  const root = options.apiUrl.replace(/\/+$/u, "")
  const token = () => Redacted.value(options.token)
  const bounded = <A>(method: string, timeout: Duration.Duration, self: Effect.Effect<A, ApiError>) =>
    self.pipe(
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () => Effect.fail(new ApiError({ method, kind: "unclear", code: 0, description: "no answer in time" }))
      }),
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
    )
  const exchange = (method: string, request: HttpClientRequest.HttpClientRequest) =>
    client.execute(request).pipe(
      Effect.flatMap((response) => Effect.map(response.text, (text) => ({ status: response.status, text }))),
      Effect.mapError(failed(method))
    )
  return {
    call: (method, params, result, extra) => {
      const decode = Schema.decodeUnknownResult(result)
      const url = `${root}/bot${token()}/${method}`
      const body =
        extra?.upload === undefined ? HttpBody.jsonUnsafe(params) : HttpBody.formData(multipart(params, extra.upload))
      const request = HttpClientRequest.post(url, { body })
      const answered = Effect.flatMap(exchange(method, request), ({ status, text }) => {
        const answer = readAnswer(text)
        if (answer._tag === "Failure" || !answer.success.ok) return Effect.fail(refusal(method, status, text))
        const value = decode(answer.success.result)
        return value._tag === "Success" ? Effect.succeed(value.success) : Effect.fail(refusal(method, status, text))
      })
      return bounded(method, extra?.timeout ?? options.timeout, answered)
    },
    file: (path) => {
      const method = "file"
      const request = HttpClientRequest.get(
        `${root}/file/bot${token()}/${path.split("/").map(encodeURIComponent).join("/")}`
      )
      const answered = client.execute(request).pipe(
        Effect.mapError(failed(method)),
        Effect.flatMap((response) =>
          response.status === 200 ? gather(method, response) : Effect.fail(refusal(method, response.status, ""))
        )
      )
      return bounded(method, options.timeout, answered)
    }
  }
}
