import { Schema } from "effect"

/**
 * Redis did not do what was asked.
 *
 * `unreachable`: no connection, or it ended before the reply; whether the command ran is unknown. `timeout`: the same, after
 * waiting. `readonly`: a replica answered; the client has turned to the primary. `moving`: the cluster or a restart is under
 * way (TRYAGAIN, CLUSTERDOWN, LOADING…). `denied`: password or rights. `full`: no memory. `invalid`: an option or a layout
 * that cannot be used. `reply`: any other error reply.
 */
export class RedisError extends Schema.TaggedError<RedisError>()("RedisError", {
  operation: Schema.String,
  reason: Schema.Literals(["unreachable", "timeout", "readonly", "moving", "denied", "full", "invalid", "reply"]),
  detail: Schema.String
}) {
  override get message(): string {
    return `Redis ${this.operation} failed (${this.reason}): ${this.detail}`
  }
  get isRetryable(): boolean {
    return retryable.has(this.reason)
  }
}

const retryable: ReadonlySet<RedisError["reason"]> = new Set(["unreachable", "timeout", "readonly", "moving"])

const byCode: ReadonlyMap<string, RedisError["reason"]> = new Map<string, RedisError["reason"]>([
  ["READONLY", "readonly"],
  ["MASTERDOWN", "readonly"],
  ["NOREPLICAS", "moving"],
  ["TRYAGAIN", "moving"],
  ["CLUSTERDOWN", "moving"],
  ["LOADING", "moving"],
  ["BUSY", "moving"],
  ["MOVED", "moving"],
  ["ASK", "moving"],
  ["UNBLOCKED", "unreachable"],
  ["NOAUTH", "denied"],
  ["WRONGPASS", "denied"],
  ["NOPERM", "denied"],
  ["OOM", "full"],
  ["MISCONF", "full"]
])

const noReply =
  /Connection is closed|MaxRetries|max retries per request|Stream isn't writeable|Cluster isn't ready|Cluster is ended|sentinels are unreachable|None of startup nodes|aborted due to connection|Too many Cluster redirections|Failed to refresh slots cache/iu
const late = /timed out|timeout|ETIMEDOUT/iu

const reasonOf = (cause: unknown): RedisError["reason"] => {
  const text = cause instanceof Error ? `${cause.name} ${cause.message}` : String(cause)
  const code = byCode.get(/(?:ReplyError )?([A-Z]+)\b/u.exec(cause instanceof Error ? cause.message : text)?.[1] ?? "")
  if (code !== undefined) return code
  if (late.test(text)) return "timeout"
  const system = typeof cause === "object" && cause !== null && "syscall" in cause
  return system || noReply.test(text) || /ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|EHOST|ENET/u.test(text)
    ? "unreachable"
    : "reply"
}

/** What a failure of the client library means to a caller. */
export const redisError =
  (operation: string) =>
  (cause: unknown): RedisError => {
    const last = typeof cause === "object" && cause !== null && "lastNodeError" in cause ? cause.lastNodeError : cause
    const told = last ?? cause
    const detail = told instanceof Error ? told.message : String(told)
    return new RedisError({ operation, reason: reasonOf(told), detail })
  }
