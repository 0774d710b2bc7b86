/**
 * The one place where the engine forgets the types of user code. A handler's services are the requirements of
 * `Bot.layer`; the context captured there is the one its effects are run with, so the cast below is what the compiler
 * would say if it could follow a heterogeneous list.
 */
import { type Context, Effect } from "effect"

/** An effect of user code: any error, any services of the bot's own context. */
export type UserEffect<A = unknown> = Effect.Effect<A, unknown, unknown>

/** Gives user code the services it was registered with. */
export type Bind = <A>(effect: UserEffect<A>) => Effect.Effect<A, unknown>

export const bindTo =
  <R>(context: Context.Context<R>): Bind =>
  <A>(effect: UserEffect<A>) =>
    Effect.provideContext(effect as Effect.Effect<A, unknown, R>, context)
