/**
 * The life of a bot (B12).
 *
 * LC1 starts and stops are serialised, in the order they were asked for; each is safe to repeat.
 * LC2 `stopping` comes before the drain, `stopped` after the transport is closed.
 * LC3 an exclusive transport is started by its leader only (bot/Leading.ts); closing a transport is bounded (R13). A
 *     stand-by waits in the background: its `start` returns, its `ready` does not, and it can be stopped.
 * LC4 a stop takes nothing new, lets what runs end within the grace, then suspends it (`stopping`).
 */
import { Cause, Deferred, Effect, Exit, Fiber, Option, Scope, Semaphore } from "effect"
import { stopGrace as suspendGrace } from "../conversation/Turns.ts"
import type { Lease } from "../spi/Coordinator.ts"
import type { Assembly } from "./Assembly.ts"
import { banner } from "./Banner.ts"
import type { Settings } from "./Config.ts"
import { makeLeading } from "./Leading.ts"
import { providerState } from "./ProviderState.ts"

export const makeLifecycle = Effect.fnUntraced(function* (id: string, parts: Assembly, settings: Settings) {
  const { lifecycle, provider, publish } = parts
  const one = yield* Semaphore.make(1)
  let ready = Deferred.makeUnsafe<void>()
  let life: Scope.Closeable | undefined
  /** `started` was told in this life: a stand-by tells it when it leads. */
  let begun = false

  /** Starts the transport; this process may. */
  const connect = Effect.fnUntraced(function* (lead?: Lease) {
    // Running before the transport is: its first events must not be refused.
    lifecycle.state = "running"
    yield* provider.start({ receive: parts.receive, state: providerState(parts, lead) })
    yield* Effect.forkScoped(parts.dormants)
    if (!begun) publish({ _tag: "started" })
    begun = true
    publish({ _tag: "ready" })
    yield* Deferred.succeed(ready, undefined)
    yield* banner(id, parts)
  })
  /** Bounded: a transport that does not close in time is left to itself and said so. */
  const disconnect = Effect.fnUntraced(function* (transport: Scope.Closeable) {
    const closing = yield* Effect.forkDetach(Scope.close(transport, Exit.void))
    const closed = yield* Effect.timeoutOption(Fiber.await(closing), suspendGrace)
    if (Option.isNone(closed)) yield* Effect.logWarning(`transport ${provider.id} did not stop within 5 s`)
    else if (Exit.isFailure(closed.value) && !Cause.hasInterruptsOnly(closed.value.cause)) {
      yield* Effect.logWarning(`transport ${provider.id} did not stop cleanly`, closed.value.cause)
    }
  })
  /** What was armed for messages handled here, and live copies: stored ones go on elsewhere, or later. */
  const leave = Effect.suspend(() => {
    parts.idle.stop()
    parts.followers.stop()
    return parts.conversations.shutdown
  })
  const leading = makeLeading(id, parts, settings, {
    connect,
    disconnect,
    pend: () => {
      ready = Deferred.makeUnsafe<void>()
    },
    leave: Effect.andThen(Effect.timeoutOption(parts.settled, suspendGrace + 1000), leave)
  })
  const isExclusive =
    settings.providerSession === "leader" ||
    (settings.providerSession === "auto" && provider.capabilities.exclusiveSession)
  const begin = Effect.suspend(() =>
    isExclusive
      ? leading.start()
      : Effect.flatMap(Effect.acquireRelease(Scope.make(), disconnect), (transport) =>
          Scope.provide(connect(), transport)
        )
  )

  const open = (restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) =>
    Effect.flatMap(Scope.make(), (scope) => {
      lifecycle.state = "starting"
      begun = false
      return Effect.matchCauseEffect(restore(Scope.provide(begin, scope)), {
        onSuccess: () =>
          Effect.sync(() => {
            life = scope
          }),
        onFailure: (cause) => {
          lifecycle.state = "stopped"
          return Effect.andThen(Scope.close(scope, Exit.void), Effect.failCause(cause))
        }
      })
    })

  const close = Effect.fnUntraced(function* (scope: Scope.Closeable) {
    life = undefined
    publish({ _tag: "stopping" })
    lifecycle.state = "draining"
    // Shared and without a journal, what was taken here is known to nobody else.
    lifecycle.finishing = parts.coordinator.shared && !parts.durability.durable
    parts.idle.stop()
    const drained = yield* Effect.timeoutOption(parts.settled, settings.stopGrace)
    lifecycle.finishing = false
    if (Option.isNone(drained)) {
      parts.admissions.stop()
      for (const turn of [...parts.turns.active.turns()]) parts.turns.suspend(turn, "stopping")
      yield* Effect.timeoutOption(parts.settled, suspendGrace + 1000)
    }
    // What ended meanwhile has armed some again.
    yield* leave
    yield* Scope.close(scope, Exit.void)
    lifecycle.state = "stopped"
    ready = Deferred.makeUnsafe<void>()
    publish({ _tag: "stopped" })
  })

  const start = one.withPermit(
    Effect.uninterruptibleMask((restore) => Effect.suspend(() => (life === undefined ? open(restore) : Effect.void)))
  )
  const stop = one.withPermit(
    Effect.suspend(() => (life === undefined ? Effect.void : Effect.uninterruptible(close(life))))
  )
  return { start, stop, ready: Effect.suspend(() => Deferred.await(ready)) }
})
export type Lifecycle = Effect.Success<ReturnType<typeof makeLifecycle>>
