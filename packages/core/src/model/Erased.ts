/**
 * The one place where the engine forgets the types of user code. A handler's services are the requirements of
 * `Bot.layer`; the context captured there is the one its effects are run with, so the cast below is what the compiler
 * would say if it could follow a heterogeneous list.
 */
import { Context, Effect } from "effect"

/** An effect of user code: any error, any services of the bot's own context. */
export type UserEffect<A = unknown> = Effect.Effect<A, unknown, unknown>

/** Gives user code the services it was registered with. */
export type Bind = <A>(effect: UserEffect<A>) => Effect.Effect<A, unknown>

/** The services the running code was given last: what is bound to the same ones runs as it is. */
const Given = Context.Reference<Context.Context<never> | undefined>("@botmesh/core/Given", {
  defaultValue: () => undefined
})

/** The services, and the mark that says so: what the fibers of a bot are started with. */
export const given = <R>(services: Context.Context<R>): Context.Context<R> => Context.add(services, Given, services)

export const bindTo = <R>(services: Context.Context<R>): Bind => {
  const marked = given(services)
  return <A>(effect: UserEffect<A>) => {
    const typed = effect as Effect.Effect<A, unknown, R>
    // Merging contexts for every handler would cost more than all the rest of a message.
    return Effect.withFiber<A, unknown>((fiber) =>
      fiber.getRef(Given) === services ? (typed as Effect.Effect<A, unknown>) : Effect.provideContext(typed, marked)
    )
  }
}
