import { Schema } from "effect"

/**
 * A step of a document that could not do its work, and had no `else` to go on with: the conversation fails.
 * `refused` stays as it is; the others may go better next time.
 */
export class FlowStepError extends Schema.TaggedError<FlowStepError>()("FlowStepError", {
  flow: Schema.String,
  step: Schema.String,
  /** `refused`: not allowed as it is written or configured. `failed`: the other side failed. */
  reason: Schema.Literals(["refused", "failed", "timeout", "too-large", "unreadable"]),
  detail: Schema.String
}) {
  override get message(): string {
    return `Step "${this.step}" of "${this.flow}" ${this.reason === "refused" ? "is refused" : "failed"}: ${this.detail}`
  }
  get isRetryable(): boolean {
    return this.reason !== "refused"
  }
}
