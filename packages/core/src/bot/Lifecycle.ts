/**
 * The life of a bot (B12).
 *
 * LC1 starts and stops are serialised, in the order they were asked for; each is safe to repeat.
 * LC2 `stopping` comes before the drain, `stopped` after the transport is closed.
 * LC3 an exclusive transport is started by its leader only; closing its scope is bounded (R13).
 * LC4 a stop takes nothing new, lets what runs end within the grace, then suspends it (`stopping`).
 */
import { Deferred, Duration, Effect, Exit, Fiber, Option, Scope, Semaphore } from "effect"
import { stopGrace as suspendGrace } from "../conversation/Turns.ts"
import type { InboundEvent } from "../model/Event.ts"
import { type NotAcceptingError, ProviderError, type ProviderHost } from "../spi/Provider.ts"
import type { Assembly } from "./Assembly.ts"
import type { Settings } from "./Config.ts"

export const makeLifecycle = Effect.fnUntraced(function* (id: string, parts: Assembly, settings: Settings) {
  const { lifecycle, provider, publish } = parts
  const one = yield* Semaphore.make(1)
  let ready = Deferred.makeUnsafe<void>()
  let life: Scope.Closeable | undefined

  const host: ProviderHost = {
    receive: (events: ReadonlyArray<InboundEvent>): Effect.Effect<void, NotAcceptingError> => parts.receive(events),
    state: {
      get: (key) =>
        Effect.mapError(parts.store.getValue(parts.scope, `provider/${provider.id}/${key}`), asProviderError),
      set: (key, value, ttl) =>
        Effect.mapError(
          parts.store.setValue(
            parts.scope,
            `provider/${provider.id}/${key}`,
            value,
            ttl === undefined ? undefined : parts.timers.now() + Duration.toMillis(ttl)
          ),
          asProviderError
        )
    }
  }
  const asProviderError = (error: { readonly message: string }) =>
    new ProviderError({ provider: provider.id, reason: "unreachable", detail: error.message })

  const banner = Effect.suspend(() => {
    const lines = {
      transport: provider.id,
      store: parts.store.name,
      coordinator: parts.coordinator.name,
      durability: parts.durability.name,
      replica: parts.coordinator.incarnation
    }
    return Effect.andThen(
      Effect.logInfo(`bot "${id}" is running`, lines),
      parts.store.persistent
        ? Effect.void
        : Effect.logWarning(
            `bot "${id}" keeps everything in memory: a restart forgets it. Use Local.layerFile or another store in production`
          )
    )
  })

  const open = Effect.fnUntraced(function* () {
    const scope = yield* Scope.make()
    lifecycle.state = "starting"
    const started = yield* Effect.exit(
      Effect.gen(function* () {
        if (provider.capabilities.exclusiveSession) {
          lifecycle.state = "stand-by"
          yield* Effect.mapError(parts.coordinator.lead(`provider:${provider.id}`), asProviderError)
        }
        // Running before the transport is: its first events must not be refused.
        lifecycle.state = "running"
        yield* provider.start(host)
        yield* Effect.forkScoped(parts.dormants)
      }).pipe(Scope.provide(scope))
    )
    if (Exit.isFailure(started)) {
      lifecycle.state = "stopped"
      yield* Scope.close(scope, started)
      return yield* started
    }
    life = scope
    publish({ _tag: "started" })
    publish({ _tag: "ready" })
    yield* Deferred.succeed(ready, undefined)
    yield* banner
  })

  const start = one.withPermit(
    Effect.suspend(() => (life === undefined ? Effect.uninterruptible(open()) : Effect.void))
  )

  /** Bounded: a transport that does not close in time is left to itself and said so. */
  const closeTransport = Effect.fnUntraced(function* (scope: Scope.Closeable) {
    const closing = yield* Effect.forkDetach(Scope.close(scope, Exit.void))
    const closed = yield* Effect.timeoutOption(Fiber.join(closing), suspendGrace)
    if (Option.isNone(closed)) yield* Effect.logWarning(`transport ${provider.id} did not stop within 5 s`)
  })

  const close = Effect.fnUntraced(function* (scope: Scope.Closeable) {
    life = undefined
    publish({ _tag: "stopping" })
    lifecycle.state = "draining"
    const drained = yield* Effect.timeoutOption(parts.settled, settings.stopGrace)
    if (Option.isNone(drained)) {
      for (const turn of [...parts.turns.active.turns()]) parts.turns.suspend(turn, "stopping")
      yield* Effect.timeoutOption(parts.settled, suspendGrace + 1000)
    }
    parts.idle.stop()
    yield* parts.conversations.shutdown
    yield* closeTransport(scope)
    lifecycle.state = "stopped"
    ready = Deferred.makeUnsafe<void>()
    publish({ _tag: "stopped" })
  })
  const stop = one.withPermit(
    Effect.suspend(() => (life === undefined ? Effect.void : Effect.uninterruptible(close(life))))
  )
  return { start, stop, ready: Effect.suspend(() => Deferred.await(ready)) }
})
