import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Redacted, Schema } from "effect"
import { HttpClient, HttpClientError, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import type { ApiError } from "../src/native/ApiError.ts"
import * as Api from "../src/native/Api.ts"
import { passing, providerError, sendReason, takenOver, webhookActive } from "../src/Errors.ts"
import { type ErrorCase, errors } from "./Fixtures.ts"

const token = "600000001:AAsecret"

/** The error of one call that is answered so. */
const failing = (answer: HttpClient.HttpClient): Effect.Effect<ApiError> => {
  const options = { token: Redacted.make(token), apiUrl: "http://api.test", timeout: Duration.seconds(1) }
  return Effect.orDie(Effect.flip(Api.make(answer, options).call("sendMessage", { chat_id: 1 }, Schema.Unknown)))
}

const answering = (status: number, body: string, headers?: Record<string, string>): HttpClient.HttpClient =>
  HttpClient.make((request) =>
    Effect.succeed(HttpClientResponse.fromWeb(request, new Response(body, { status, ...(headers && { headers }) })))
  )

const breaking = (cause: unknown): HttpClient.HttpClient =>
  HttpClient.make((request) =>
    Effect.fail(new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) }))
  )

const mapping: Record<string, (error: ApiError) => void> = {
  "connection closed (session taken over); stand back, do not hammer": (error) => {
    expect(takenOver(error)).toBe(true)
    expect(passing(error)).toBe(true)
    expect(providerError(error).reason).toBe("taken-over")
  },
  "configuration error at start": (error) => {
    expect(webhookActive(error)).toBe(true)
    expect(passing(error)).toBe(false)
    expect(providerError(error).reason).toBe("configuration")
  },
  "UPSTREAM_RATE_LIMITED retryAfter 7s": (error) =>
    expect(sendReason(error)).toMatchObject({ _tag: "RateLimited", retryAfter: 7000 }),
  RECIPIENT_UNREACHABLE: (error) => expect(sendReason(error)).toMatchObject({ _tag: "Unreachable" }),
  "retry once on the new id": (error) => expect(error.migrateTo).toBe("-1002003004999"),
  "auth failure: closed, no retry": (error) => {
    expect(sendReason(error)._tag).toBe("AuthFailed")
    expect(providerError(error).reason).toBe("auth")
    expect(passing(error)).toBe(false)
  }
}

describe("telegram-errors", () => {
  const check = (one: ErrorCase) =>
    Effect.map(failing(answering(one.http, JSON.stringify(one.body))), (error) => {
      expect(error.description).toBe(one.body.description)
      const assert = mapping[one.map]
      if (assert === undefined) throw new Error(`no mapping for ${one.map}`)
      assert(error)
    })
  for (const one of errors) it.effect(`telegram-errors: ${one.body.description} → ${one.map}`, () => check(one))
  it("has them all", () => expect(errors.length).toBe(8))
})

describe("what else goes wrong", () => {
  const refused = (status: number, description: string) =>
    answering(status, JSON.stringify({ ok: false, error_code: status, description }))
  const cases: ReadonlyArray<readonly [string, HttpClient.HttpClient, string]> = [
    ["a gateway's page", answering(502, "<html>"), "Transient"],
    ["a server error in JSON", refused(500, "Internal Server Error"), "Transient"],
    ["a gateway that waited in vain", answering(504, "<html>"), "Ambiguous"],
    ["an answer cut in the middle", answering(200, '{"ok":true,"resul'), "Ambiguous"],
    ["an empty answer", answering(200, ""), "Ambiguous"],
    ["429 without parameters", refused(429, "Too Many Requests"), "RateLimited"],
    ["a token of a wrong form", refused(404, "Not Found"), "AuthFailed"],
    ["no right to write", refused(400, "Bad Request: not enough rights to send text messages"), "Unreachable"],
    ["an empty text", refused(400, "Bad Request: message text is empty"), "InvalidContent"],
    ["a body too large", answering(413, "<html>"), "InvalidContent"],
    ["refused connection", breaking({ code: "ECONNREFUSED" }), "Transient"],
    ["refused on each address", breaking({ errors: [{ code: "ECONNREFUSED" }] }), "Transient"],
    [
      "unknown host, wrapped as fetch does",
      breaking(new TypeError("fetch failed", { cause: { code: "ENOTFOUND" } })),
      "Transient"
    ],
    ["connect timed out", breaking({ code: "ETIMEDOUT", syscall: "connect" }), "Transient"],
    ["read timed out", breaking({ code: "ETIMEDOUT", syscall: "read" }), "Ambiguous"],
    ["connection reset", breaking({ code: "ECONNRESET" }), "Ambiguous"],
    [
      "closed by the other side",
      breaking(new TypeError("fetch failed", { cause: { code: "UND_ERR_SOCKET" } })),
      "Ambiguous"
    ],
    ["nobody knows", breaking("?"), "Ambiguous"]
  ]
  for (const [what, answer, reason] of cases) {
    it.effect(`${what} → ${reason}`, () =>
      Effect.map(failing(answer), (error) => expect(sendReason(error)._tag).toBe(reason))
    )
  }

  it.effect("the token is in no error, whatever the client says", () =>
    Effect.map(failing(breaking(new Error(`connect to /bot${token}/sendMessage failed`))), (error) => {
      const told = [String(error), JSON.stringify(error), JSON.stringify(sendReason(error)), String(error.cause)]
      for (const text of told) expect(text).not.toContain("AAsecret")
    })
  )

  it.effect("no answer in time is ambiguous", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(failing(HttpClient.make(() => Effect.never)))
      yield* TestClock.adjust("1 second")
      expect(sendReason(yield* Fiber.join(fiber))._tag).toBe("Ambiguous")
    })
  )
})
