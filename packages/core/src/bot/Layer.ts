/** Builds a running bot from its definition and the Layers beneath it (design.md 3). */
import { Effect, Exit, Layer, Scope, type Stream } from "effect"
import type { Flow } from "../conversation/Flow.ts"
import type { ConfigValidationError } from "../model/Duration.ts"
import { type Bind, bindTo } from "../model/Erased.ts"
import type { Coordinator } from "../spi/Coordinator.ts"
import type { Durability } from "../spi/Durability.ts"
import type { Provider, ProviderError } from "../spi/Provider.ts"
import type { Scheduler } from "../spi/Scheduler.ts"
import type { Store } from "../spi/Store.ts"
import { assemble } from "./Assembly.ts"
import type { BotShape, EventsOf } from "./BotShape.ts"
import { readOptions } from "./Config.ts"
import { BotDefinitionError, type Definition, type Running } from "./Definition.ts"
import type { AnyHandler } from "./Handler.ts"
import { makeLifecycle } from "./Lifecycle.ts"
import type { Plugin } from "./Plugin.ts"
import { Registry, type Undo } from "./Registry.ts"

/** What every bot stands on; `Local.layer` fills all of it but the Provider. */
export type Spi = Store | Coordinator | Durability | Scheduler

/** Registers handlers in order, plugins with all they bring; everything comes back out in reverse. */
const register = Effect.fnUntraced(function* (
  registry: Registry,
  plugged: Map<string, boolean>,
  handlers: ReadonlyArray<AnyHandler>,
  bind: Bind,
  problems: Array<string>
): Effect.fn.Return<Undo, unknown, Scope.Scope> {
  const undos: Array<Undo> = []
  for (const handler of handlers) {
    const { def } = handler
    const undo =
      def._tag === "plugin"
        ? yield* registerPlugin(registry, plugged, def.plugin, bind, problems)
        : yield* Effect.matchEffect(registry.add(handler, bind), {
            onSuccess: Effect.succeed,
            onFailure: (error) =>
              Effect.sync((): Undo => {
                problems.push(...error.problems)
                return () => {}
              })
          })
    undos.push(undo)
  }
  return () => {
    for (const undo of undos.reverse()) undo()
  }
})

const registerPlugin = (
  registry: Registry,
  plugged: Map<string, boolean>,
  plugin: Plugin<unknown, unknown>,
  bind: Bind,
  problems: Array<string>
): Effect.Effect<Undo, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const before = plugged.get(plugin.name)
    if (before !== undefined && !(before && plugin.multiple)) {
      problems.push(`the plugin "${plugin.name}" is plugged twice; give every one of them \`multiple\` to allow it`)
      return () => {}
    }
    plugged.set(plugin.name, plugin.multiple)
    const scope = yield* Effect.scope
    const handlers = yield* bind(Effect.provideService(plugin.build, Scope.Scope, scope))
    const undo = yield* register(registry, plugged, handlers, bind, problems)
    return () => {
      plugged.delete(plugin.name)
      undo()
    }
  })

const make = Effect.fn("Bot.layer")(function* <Id extends string, E, R>(definition: Definition<Id, E, R>) {
  const settings = yield* readOptions(definition.options)
  const bind = bindTo(yield* Effect.context<R>())
  const registry = new Registry(definition.id, bind)
  const plugged = new Map<string, boolean>()
  const problems: Array<string> = []
  yield* Effect.mapError(
    register(registry, plugged, definition.handlers, bind, problems),
    (error) =>
      new BotDefinitionError({
        bot: definition.id,
        problems: [`a plugin could not be built: ${error instanceof Error ? error.message : String(error)}`]
      })
  )
  problems.push(...registry.unknownGotos())
  if (problems.length > 0) return yield* new BotDefinitionError({ bot: definition.id, problems })

  const parts = yield* assemble(definition, settings, registry)
  const lifecycle = yield* makeLifecycle(definition.id, parts, settings)
  yield* Effect.addFinalizer(() => Effect.andThen(lifecycle.stop, parts.hub.shutdown))

  const plug = Effect.fnUntraced(function* <E2, R2>(plugin: Plugin<E2, R2>) {
    const own = bindTo(yield* Effect.context<Exclude<R2, Scope.Scope>>())
    const scope = yield* Scope.make()
    const found: Array<string> = []
    const built = yield* Effect.exit(Scope.provide(registerPlugin(registry, plugged, plugin, own, found), scope))
    const refused = Exit.isSuccess(built) ? [...found, ...registry.unknownGotos()] : []
    if (Exit.isFailure(built) || refused.length > 0) {
      if (Exit.isSuccess(built)) built.value()
      yield* Scope.close(scope, Exit.void)
      if (Exit.isFailure(built)) return yield* own(built)
      return yield* new BotDefinitionError({ bot: definition.id, problems: refused })
    }
    const unplug = Effect.suspend(() => {
      built.value()
      return Scope.close(scope, Exit.void)
    })
    return { unplug: yield* Effect.cached(unplug) }
  })
  const flow =
    (replace: boolean) =>
    <S, E2, R2>(self: Flow<S, E2, R2>, trigger?: string) =>
      Effect.flatMap(Effect.context<R2>(), (context) => registry.registerFlow(self, trigger, bindTo(context), replace))

  const bot: BotShape<E> = {
    id: definition.id,
    state: () => parts.lifecycle.state,
    send: (chatId, reply, options) =>
      parts.outbound.send(undefined, {
        chatId,
        content: typeof reply === "string" ? { _tag: "text", text: reply } : reply,
        ...(options?.topic === undefined ? {} : { topic: options.topic })
      }),
    trigger: parts.trigger,
    plug: plug as BotShape<E>["plug"],
    flows: {
      register: flow(false),
      replace: flow(true),
      unregister: (id) => Effect.sync(() => registry.unregisterFlow(id)),
      has: (id) => registry.flows.has(id),
      list: () => registry.listFlows()
    },
    conversations: {
      timers: parts.timers.size,
      list: () => [...parts.conversations.lives.values()].map(parts.conversations.info),
      abort: parts.abort
    },
    handoff: { start: parts.handoffs.start, end: parts.handoffs.end, get: parts.handoffs.get },
    access: {
      block: (id) => Effect.sync(() => parts.access.block(id)),
      unblock: (id) => Effect.sync(() => parts.access.unblock(id)),
      isBlocked: (id) => parts.access.isBlocked(id)
    },
    schedule: parts.scheduler,
    // The hub is written by the engine, which knows E only as what the definition's handlers fail with.
    events: parts.events as Stream.Stream<EventsOf<E>>,
    ready: lifecycle.ready,
    start: lifecycle.start,
    stop: lifecycle.stop,
    settled: parts.settled,
    metrics: { snapshot: parts.metrics.snapshot, prometheus: parts.metrics.prometheus }
  }
  if (settings.autoStart) yield* lifecycle.start
  return bot
})

/**
 * The running bot: starts with the layer (unless `autoStart` is false) and stops, drained, when it closes. Fails when an
 * option or the definition is wrong, or when the transport cannot ever start as configured.
 */
export const layer = <Id extends string, E, R>(
  definition: Definition<Id, E, R>
): Layer.Layer<
  Running<Id>,
  ConfigValidationError | BotDefinitionError | ProviderError,
  Exclude<R, Scope.Scope> | Provider | Spi
> => Layer.effect(definition, make(definition))
