/** Counters: nothing that comes in is passed over in silence (I24). Source: B19. */
import { type Effect, Metric } from "effect"

const updates = Metric.counter("botmesh_telegram_updates_total", {
  description: "Telegram updates by kind and what became of them",
  incremental: true
})

const failures = Metric.counter("botmesh_telegram_call_failures_total", {
  description: "Failed calls of the receiving side by what was done about them",
  incremental: true
})

export const countUpdate = (kind: string, outcome: string): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(updates, { kind, outcome }), 1)

export const countFailure = (verdict: string): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(failures, { verdict }), 1)
