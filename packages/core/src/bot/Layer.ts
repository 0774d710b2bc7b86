/** Builds a running bot from its definition and the Layers beneath it (design.md 3). */
import { Effect, Layer, Scope, type Stream } from "effect"
import type { Flow } from "../conversation/Flow.ts"
import type { ConfigValidationError } from "../model/Duration.ts"
import type { Pattern } from "../handlers/Trigger.ts"
import { bindTo, given } from "../model/Erased.ts"
import type { Coordinator } from "../spi/Coordinator.ts"
import type { Durability } from "../spi/Durability.ts"
import type { Provider, ProviderError } from "../spi/Provider.ts"
import type { Scheduler } from "../spi/Scheduler.ts"
import type { Store } from "../spi/Store.ts"
import { type Assembly, assemble } from "./Assembly.ts"
import type { BotShape, EventsOf } from "./BotShape.ts"
import { readOptions } from "./Config.ts"
import { BotDefinitionError, type Definition, type Running } from "./Definition.ts"
import { type Lifecycle, makeLifecycle } from "./Lifecycle.ts"
import { isName } from "./Options.ts"
import { Plugs } from "./Plugs.ts"
import { Registry } from "./Registry.ts"

/** What every bot stands on; `Local.layer` fills all of it but the Provider. */
export type Spi = Store | Coordinator | Durability | Scheduler

/** Registers the definition's handlers; every problem is named at once (B26). */
const registered = Effect.fnUntraced(function* <Id extends string, E, R>(definition: Definition<Id, E, R>) {
  const services = yield* Effect.context<R>()
  const bind = bindTo(services)
  const registry = new Registry(definition.id, bind)
  const plugs = new Plugs(registry)
  const problems: Array<string> = isName(definition.id) ? [] : ['the id of a bot is a text without "/"']
  yield* Effect.mapError(
    plugs.register(definition.handlers, bind, problems),
    (error) =>
      new BotDefinitionError({
        bot: definition.id,
        problems: [`a plugin could not be built: ${error instanceof Error ? error.message : String(error)}`]
      })
  )
  problems.push(...registry.unknownGotos())
  if (problems.length > 0) return yield* new BotDefinitionError({ bot: definition.id, problems })
  return { registry, plugs, context: given(services) }
})

const make = Effect.fn("Bot.layer")(function* <Id extends string, E, R>(definition: Definition<Id, E, R>) {
  const settings = yield* readOptions(definition.options)
  const { context, plugs, registry } = yield* registered(definition)
  // What is plugged later closes after the bot has stopped, as what it was built with does.
  const plugged = yield* Scope.fork(yield* Effect.scope)
  const parts = yield* assemble(definition, settings, registry, context)
  const lifecycle = yield* makeLifecycle(definition.id, parts, settings)
  yield* Effect.addFinalizer(() => Effect.andThen(lifecycle.stop, parts.hub.shutdown))
  const bot = shapeOf<E>(parts, registry, lifecycle, (plugin) => plugs.plug(plugin, plugged))
  if (settings.autoStart) yield* lifecycle.start
  return bot
})

const shapeOf = <E>(
  parts: Assembly,
  registry: Registry,
  lifecycle: Lifecycle,
  plug: BotShape<E>["plug"]
): BotShape<E> => {
  const flow =
    (replace: boolean) =>
    <S, E2, R2>(self: Flow<S, E2, R2>, trigger?: Pattern) =>
      Effect.flatMap(Effect.context<R2>(), (context) => registry.registerFlow(self, trigger, bindTo(context), replace))
  const { access, conversations, handoffs, metrics } = parts
  return {
    id: parts.id,
    state: () => parts.lifecycle.state,
    send: (chatId, reply, options) =>
      parts.outbound.send(undefined, {
        chatId,
        content: typeof reply === "string" ? { _tag: "text", text: reply } : reply,
        ...(options?.topic === undefined ? {} : { topic: options.topic })
      }),
    trigger: parts.trigger,
    plug,
    flows: {
      register: flow(false),
      replace: flow(true),
      unregister: (id) => Effect.sync(() => registry.unregisterFlow(id)),
      has: (id) => registry.flows.has(id),
      list: () => registry.listFlows()
    },
    conversations: {
      timers: parts.timers.size,
      list: () => [...conversations.lives.values()].map(conversations.info),
      abort: parts.abort
    },
    handoff: { start: handoffs.start, end: handoffs.end, get: handoffs.get },
    access: {
      block: (id) => Effect.sync(() => access.block(id)),
      unblock: (id) => Effect.sync(() => access.unblock(id)),
      isBlocked: (id) => access.isBlocked(id)
    },
    schedule: parts.scheduler,
    // The hub is written by the engine, which knows E only as what the definition's handlers fail with.
    events: parts.events as Stream.Stream<EventsOf<E>>,
    ready: lifecycle.ready,
    start: lifecycle.start,
    stop: lifecycle.stop,
    settled: parts.settled,
    metrics: { snapshot: metrics.snapshot, prometheus: metrics.prometheus }
  }
}

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
