/** Wires the way out: hooks from the registry; counters, events and the echo filter's memory behind it. */
import type { Cause } from "effect"
import { makeOutbound, type Outbound } from "../outbound/Send.ts"
import type { Parts } from "./Parts.ts"
import type { Registry } from "./Registry.ts"

export const wireOutbound = (
  parts: Parts,
  registry: Registry,
  report: (cause: Cause.Cause<unknown>, where: string) => void
): Outbound => {
  const { echo, lifecycle, metrics, provider, publish, settings, timers } = parts
  return makeOutbound({
    bot: parts.id,
    provider,
    lifecycle,
    before: registry.beforeSend,
    after: registry.afterSend,
    onError: registry.failedSend,
    typing: settings.typing,
    watch: {
      delivered: (message, receipt) => {
        metrics.sent()
        echo?.remember(message, receipt, timers.now())
      },
      failed: (message, reason) => {
        metrics.sendFailed(reason)
        publish({ _tag: "send-failed", message, reason })
      },
      presenceSkipped: metrics.presenceSkipped,
      stale: metrics.staleSend,
      hookFailed: (cause) => report(cause, "a send hook")
    }
  })
}
