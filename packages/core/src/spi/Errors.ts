/** Errors that more than one contract can raise. Each contract's own error stands beside it. */
import { Schema } from "effect"

/**
 * The turn or lead behind an act is gone: `expired`, `frozen`, `superseded` (a higher fence or another run's checkpoint
 * stands), `unavailable` (the coordinator cannot be reached), `revoked` (the step was suspended) or `ended` (the turn was
 * over when the act came). Nothing of the act was applied. Source: C6, C11, R17.
 */
export class LeaseLostError extends Schema.TaggedError<LeaseLostError>()("LeaseLostError", {
  key: Schema.String,
  reason: Schema.Literals(["expired", "frozen", "superseded", "unavailable", "revoked", "ended"]),
  detail: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return `The turn of ${this.key} is lost (${this.reason})${this.detail === undefined ? "" : `: ${this.detail}`}`
  }
  get isRetryable(): boolean {
    return false
  }
}

/** The coordinator gave no turn in time or could not be reached; the message was not handled. Source: C8, C22. */
export class CoordinationUnavailableError extends Schema.TaggedError<CoordinationUnavailableError>()(
  "CoordinationUnavailableError",
  { key: Schema.String, detail: Schema.String }
) {
  override get message(): string {
    return `No turn for ${this.key}: ${this.detail}`
  }
  get isRetryable(): boolean {
    return true
  }
}

/** The lock is somebody else's for now. Source: C15. */
export class LockTakenError extends Schema.TaggedError<LockTakenError>()("LockTakenError", { key: Schema.String }) {
  override get message(): string {
    return `The lock ${this.key} is taken`
  }
  get isRetryable(): boolean {
    return true
  }
}

/** The lock's time was over, or it was released; another may hold it. Source: C15. */
export class LockLostError extends Schema.TaggedError<LockLostError>()("LockLostError", { key: Schema.String }) {
  override get message(): string {
    return `The lock ${this.key} is lost`
  }
  get isRetryable(): boolean {
    return false
  }
}

/** A send before start or after stop; it reached no provider. Source: B12. */
export class BotNotRunningError extends Schema.TaggedError<BotNotRunningError>()("BotNotRunningError", {
  bot: Schema.String,
  state: Schema.String
}) {
  override get message(): string {
    return `Bot "${this.bot}" is not running (${this.state}): start it before sending`
  }
  get isRetryable(): boolean {
    return true
  }
}

/** A send on a replica that does not hold the exclusive provider. Source: C13. */
export class ProviderNotLeaderError extends Schema.TaggedError<ProviderNotLeaderError>()("ProviderNotLeaderError", {
  provider: Schema.String
}) {
  override get message(): string {
    return `This replica is a stand-by of provider "${this.provider}": send from the leader`
  }
  get isRetryable(): boolean {
    return true
  }
}
