/**
 * How a call to the Bot API ends badly, before it is put in the words of the contract.
 */
import { Data } from "effect"

/**
 * `refused`: the API answered with an error, nothing was applied. `server`: a 5xx in front of or inside the API.
 * `unsent`: the request never reached it. `unclear`: it was written but the answer is missing or cut.
 */
export type ApiErrorKind = "refused" | "server" | "unsent" | "unclear"

/** Carries no cause on purpose: the cause of an HTTP failure holds the request's URL, and the token stands in it. */
export class ApiError extends Data.TaggedError("ApiError")<{
  readonly method: string
  readonly kind: ApiErrorKind
  /** The API's error code, or the HTTP status; 0 when there is none. */
  readonly code: number
  readonly description: string
  /** Milliseconds. */
  readonly retryAfter?: number
  readonly migrateTo?: string
}> {
  override get message(): string {
    return `${this.method}: ${this.description}`
  }
}
