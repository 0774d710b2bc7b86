/**
 * The Bot API's errors in the words of the contract. Pure.
 */
import {
  Ambiguous,
  AuthFailed,
  InvalidContent,
  ProviderError,
  RateLimited,
  SendError,
  type SendReason,
  Transient,
  Unreachable
} from "@botmesh/core/spi"
import type { ApiError } from "./native/ApiError.ts"

export const provider = "telegram"

/** 400s that speak of the recipient, not of the content. */
const noRecipient = [
  "chat not found",
  "user not found",
  "peer_id_invalid",
  "chat_write_forbidden",
  "not enough rights to send",
  "have no rights to send",
  "need administrator rights",
  "chat was deactivated",
  "group chat was deactivated",
  "user is deactivated"
]

const speaksOf = (error: ApiError, phrases: ReadonlyArray<string>): boolean => {
  const description = error.description.toLowerCase()
  return phrases.some((phrase) => description.includes(phrase))
}

const refused = (error: ApiError): SendReason => {
  const detail = error.description
  if (error.code === 429 || error.retryAfter !== undefined) {
    return new RateLimited({ retryAfter: error.retryAfter ?? 1000, detail })
  }
  // A token of a wrong form is answered with 404.
  if (error.code === 401 || error.code === 404) return new AuthFailed({ detail })
  if (error.code === 403 || (error.code === 400 && speaksOf(error, noRecipient))) return new Unreachable({ detail })
  if (error.code === 408 || error.code === 409) return new Transient({ detail })
  return new InvalidContent({ detail })
}

/** Why a send failed, and so what to do about it. */
export const sendReason = (error: ApiError): SendReason => {
  switch (error.kind) {
    case "refused":
      return refused(error)
    case "server":
    case "unsent":
      return new Transient({ detail: error.description })
    case "unclear":
      return new Ambiguous({ detail: error.description })
  }
}

export const sendError = (chatId: string, reason: SendReason): SendError => new SendError({ provider, chatId, reason })

export const webhookActive = (error: ApiError): boolean => error.code === 409 && speaksOf(error, ["webhook"])
export const takenOver = (error: ApiError): boolean => error.code === 409 && !webhookActive(error)
export const refusedToken = (error: ApiError): boolean =>
  error.kind === "refused" && (error.code === 401 || error.code === 404)

/** Worth another try at start or while receiving: the network, the server, a limit, or another poller. */
export const passing = (error: ApiError): boolean =>
  error.kind !== "refused" || error.code === 429 || error.code === 408 || takenOver(error)

/** Why the provider cannot work, for `start`. */
export const providerError = (error: ApiError): ProviderError => {
  const detail = `${error.method}: ${error.description}`
  if (refusedToken(error)) return new ProviderError({ provider, reason: "auth", detail })
  if (takenOver(error)) return new ProviderError({ provider, reason: "taken-over", detail })
  if (error.kind !== "refused") return new ProviderError({ provider, reason: "unreachable", detail })
  return new ProviderError({ provider, reason: "configuration", detail })
}
