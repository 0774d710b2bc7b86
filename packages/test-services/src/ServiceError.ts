import { Data } from "effect"

/** A server could not be found, started or asked. */
export class ServiceError extends Data.TaggedError("ServiceError")<{
  readonly message: string
  readonly cause?: unknown
}> {}
