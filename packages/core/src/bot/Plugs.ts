/**
 * What handlers and plugins bring into a registry, and how all of it goes out again (B8).
 *
 * PL1 a plugin is plugged once, unless every one of that name says `multiple`.
 * PL2 unplugging takes back its handlers and those of the plugins inside it, then closes its scope; once.
 * PL3 a plugin that cannot be built, or has problems, leaves nothing behind.
 */
import { Effect, Exit, Scope } from "effect"
import { type Bind, bindTo } from "../model/Erased.ts"
import { BotDefinitionError } from "./Definition.ts"
import type { AnyHandler } from "./Handler.ts"
import type { Plugin } from "./Plugin.ts"
import type { Registry, Undo } from "./Registry.ts"

const nothing: Undo = () => {}
const inReverse =
  (undos: Array<Undo>): Undo =>
  () => {
    for (const undo of undos.splice(0).reverse()) undo()
  }

export class Plugs {
  private readonly registry: Registry
  /** How often each name is plugged, and whether all of them allow more. */
  private readonly plugged = new Map<string, { count: number; readonly multiple: boolean }>()

  constructor(registry: Registry) {
    this.registry = registry
  }

  /** Registers handlers in order, plugins with all they bring. Problems are collected, the rest is registered. */
  register(
    handlers: ReadonlyArray<AnyHandler>,
    bind: Bind,
    problems: Array<string>
  ): Effect.Effect<Undo, unknown, Scope.Scope> {
    const undos: Array<Undo> = []
    const undo = inReverse(undos)
    const each = Effect.forEach(handlers, (handler) =>
      Effect.map(this.one(handler, bind, problems), (taken) => undos.push(taken))
    )
    return Effect.as(
      Effect.onError(each, () => Effect.sync(undo)),
      undo
    )
  }

  private one(handler: AnyHandler, bind: Bind, problems: Array<string>): Effect.Effect<Undo, unknown, Scope.Scope> {
    if (handler.def._tag === "plugin") return this.plugin(handler.def.plugin, bind, problems)
    return Effect.catchTag(this.registry.add(handler, bind), "BotDefinitionError", (error) =>
      Effect.sync(() => {
        problems.push(...error.problems)
        return nothing
      })
    )
  }

  private plugin(
    plugin: Plugin<unknown, unknown>,
    bind: Bind,
    problems: Array<string>
  ): Effect.Effect<Undo, unknown, Scope.Scope> {
    return Effect.suspend((): Effect.Effect<Undo, unknown, Scope.Scope> => {
      const taken = this.plugged.get(plugin.name)
      if (taken !== undefined && !(taken.multiple && plugin.multiple)) {
        const known = [...this.plugged.keys()].join(", ")
        problems.push(
          `the plugin "${plugin.name}" is plugged twice; give every one of them \`multiple\` to allow it. Plugged are ${known}`
        )
        return Effect.succeed(nothing)
      }
      const leave = this.enter(plugin)
      const built = Effect.flatMap(Effect.scope, (scope) =>
        bind(Effect.provideService(plugin.build, Scope.Scope, scope))
      )
      const registered = Effect.flatMap(built, (handlers) => this.register(handlers, bind, problems))
      return Effect.map(
        Effect.onError(registered, () => Effect.sync(leave)),
        (undo) => () => {
          undo()
          leave()
        }
      )
    })
  }

  private enter({ multiple, name }: Plugin<unknown, unknown>): Undo {
    const entry = this.plugged.get(name) ?? { count: 0, multiple }
    entry.count++
    this.plugged.set(name, entry)
    return () => {
      if (--entry.count === 0) this.plugged.delete(name)
    }
  }

  /** Plugs one while the bot runs, in a scope of its own under `parent`. PL2, PL3. */
  plug<E, R>(plugin: Plugin<E, R>, parent: Scope.Scope) {
    const { registry } = this
    const attempt = Effect.fnUntraced(function* (self: Plugs, bind: Bind, scope: Scope.Closeable) {
      const problems: Array<string> = []
      const before = registry.danglingGotos()
      const undo = yield* Scope.provide(self.plugin(plugin, bind, problems), scope)
      problems.push(...registry.unknownGotos(before))
      if (problems.length === 0) return undo
      undo()
      return yield* new BotDefinitionError({ bot: registry.bot, problems })
    })
    const plugged = Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Effect.context<Exclude<R, Scope.Scope>>(), (context) =>
        Effect.flatMap(Scope.fork(parent), (scope) => {
          const built = Effect.onError(restore(attempt(this, bindTo(context), scope)), (cause) =>
            Scope.close(scope, Exit.failCause(cause))
          )
          return Effect.flatMap(built, (undo) =>
            Effect.map(
              Effect.cached(
                Effect.suspend(() => {
                  undo()
                  return Scope.close(scope, Exit.void)
                })
              ),
              (unplug) => ({ unplug })
            )
          )
        })
      )
    )
    // A registry forgets types (model/Erased.ts): what fails here is this plugin's own build, or the definition.
    return plugged as Effect.Effect<
      { readonly unplug: Effect.Effect<void> },
      E | BotDefinitionError,
      Exclude<R, Scope.Scope>
    >
  }
}
