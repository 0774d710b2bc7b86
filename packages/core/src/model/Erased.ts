/**
 * The one place where the engine forgets the types of user code. A handler's services are the requirements of
 * `Bot.layer`; the context captured there is the one its effects are run with, so the cast below is what the compiler
 * would say if it could follow a heterogeneous list.
 */
import { Context, Effect, Fiber } from "effect"

/** An effect of user code: any error, any services of the bot's own context. */
export type UserEffect<A = unknown> = Effect.Effect<A, unknown, unknown>

/**
 * Gives user code the services it was registered with. Called in the fiber that runs the effect: where the bot's own
 * fibers have them already, with whatever the code around has put over them, nothing is to be done.
 */
export type Bind = <A>(effect: UserEffect<A>) => Effect.Effect<A, unknown>

/** A handler or hook, with the services it was registered with. */
export interface Bound<In, A> {
  readonly run: (input: In) => UserEffect<A>
  readonly bind: Bind
}

/** Begins a handler or hook in the running fiber; one that throws dies. */
export const begin = <In, A>(handler: Bound<In, A>, input: In): Effect.Effect<A, unknown> => {
  try {
    return handler.bind(handler.run(input))
  } catch (defect) {
    return Effect.die(defect)
  }
}

/** The services the running code was given last: what is bound to the same ones runs as it is. */
const Given = Context.Reference<Context.Context<never> | undefined>("@botmesh/core/Given", {
  defaultValue: () => undefined
})

/** The services, and the mark that says so: what the fibers of a bot are started with. */
export const given = <R>(services: Context.Context<R>): Context.Context<R> => Context.add(services, Given, services)

export const bindTo = <R>(services: Context.Context<R>): Bind => {
  const marked = given(services)
  // Hooks and handler of a message run in one context.
  let last: Context.Context<never> | undefined
  const has = (context: Context.Context<never>): boolean => {
    if (context === last) return true
    if (Context.get(context, Given) !== services) return false
    last = context
    return true
  }
  return <A>(effect: UserEffect<A>) => {
    if (!Effect.isEffect(effect)) return Effect.die(notAnEffect(effect))
    const context = Fiber.getCurrent()?.context
    // Merging contexts for every handler would cost more than all the rest of a message.
    return context !== undefined && has(context)
      ? (effect as Effect.Effect<A, unknown>)
      : Effect.provideContext(effect as Effect.Effect<A, unknown, R>, marked)
  }
}

/** The compiler refuses it; code that was never type-checked gets the reason instead of silence. */
const notAnEffect = (value: unknown): TypeError =>
  new TypeError(
    value instanceof Promise
      ? "returned a Promise, not an Effect: wrap it, return Effect.promise(() => …), or use Effect.gen with chat.reply"
      : `returned ${value === undefined ? "nothing" : typeof value}, not an Effect: return what chat.reply gives, or Effect.void`
  )
