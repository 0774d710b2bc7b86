import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Metric, Scope } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { makeMetrics } from "../../src/events/Metrics.ts"
import { dropReasons, suspendReasons } from "../../src/model/DropReason.ts"

const withRegistry = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => Effect.provideService(self, Metric.MetricRegistry, new Map()))

describe("Metrics", () => {
  it.effect("I24 every drop reason and suspend reason stands from the start with 0", () =>
    Effect.gen(function* () {
      const metrics = yield* makeMetrics("shop")
      const text = yield* metrics.prometheus
      for (const reason of dropReasons) {
        expect(metrics.snapshot().dropped[reason]).toBe(0)
        expect(text).toContain(`botmesh_dropped_total{bot="shop",reason="${reason}"} 0\n`)
      }
      for (const reason of suspendReasons) {
        expect(text).toContain(`botmesh_suspended_total{bot="shop",reason="${reason}"} 0\n`)
      }
    }).pipe(withRegistry)
  )

  it.effect("each method moves its own number and no other", () =>
    Effect.gen(function* () {
      const metrics = yield* makeMetrics("shop")
      const zero = metrics.snapshot()
      metrics.received()
      metrics.received()
      metrics.handled()
      metrics.dropped("echo")
      metrics.sent()
      metrics.sendFailed("RateLimited")
      metrics.error()
      metrics.suspended("settle")
      metrics.conversationStarted()
      metrics.conversationEnded("gave-up")
      metrics.presenceSkipped()
      metrics.turn()
      metrics.overrun()
      metrics.leaseLost()
      metrics.handover("resumed")
      metrics.staleSend()
      metrics.checkpointRefused()
      metrics.eventsLost(3)
      metrics.leader()
      metrics.leader()
      metrics.follower()
      metrics.stateRefused()
      metrics.activeConversations(7)
      metrics.activeConversations(5)
      metrics.waiting(4)
      expect(metrics.snapshot()).toEqual({
        received: 2,
        handled: 1,
        dropped: { ...zero.dropped, echo: 1 },
        sent: 1,
        sendFailed: { ...zero.sendFailed, RateLimited: 1 },
        errors: 1,
        suspended: { ...zero.suspended, settle: 1 },
        conversationsStarted: 1,
        conversationsEnded: { ...zero.conversationsEnded, "gave-up": 1 },
        presenceSkipped: 1,
        turns: 1,
        overruns: 1,
        leasesLost: 1,
        handovers: { ...zero.handovers, resumed: 1 },
        staleSends: 1,
        checkpointsRefused: 1,
        eventsLost: 3,
        ledTerms: 2,
        stateRefused: 1,
        followed: 1,
        overlaps: 0,
        activeConversations: 5,
        waiting: 4,
        leading: 0
      })
      expect(zero.received).toBe(0)
      expect(zero.dropped.echo).toBe(0)
    }).pipe(withRegistry)
  )

  it.effect("Effect's Prometheus exporter sees the same numbers, until the scope closes", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const metrics = yield* Scope.provide(makeMetrics("shop"), scope)
      const other = yield* Scope.provide(makeMetrics("desk"), scope)
      metrics.dropped("duplicate")
      metrics.waiting(2)
      other.sent()
      const exported = (yield* PrometheusMetrics.format()).split("\n")
      const own = (yield* metrics.prometheus).split("\n")
      expect(exported).toContain('botmesh_dropped_total{bot="shop",reason="duplicate"} 1')
      expect(exported).toContain('botmesh_waiting{bot="shop"} 2')
      expect(exported).toContain('botmesh_sent_total{bot="desk"} 1')
      expect(exported).toEqual(expect.arrayContaining(own))
      expect(own.some((line) => line.includes("desk"))).toBe(false)
      yield* Scope.close(scope, Exit.void)
      expect(yield* PrometheusMetrics.format()).toBe("")
      metrics.sent()
      expect(metrics.snapshot().sent).toBe(1)
    }).pipe(withRegistry)
  )

  it.effect("a bot's name is escaped as a label", () =>
    Effect.gen(function* () {
      const metrics = yield* makeMetrics('a"b\\c\nd')
      expect(yield* metrics.prometheus).toContain('botmesh_turns_total{bot="a\\"b\\\\c\\nd"} 0\n')
    }).pipe(withRegistry)
  )
})
