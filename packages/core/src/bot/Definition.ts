/**
 * A bot before it runs: its handlers in order and its options. The definition is its own service key, so that
 * `const bot = yield* shop` finds the running bot and many bots live in one process (design.md 3).
 */
import { Context, type Effect, type Pipeable, Schema } from "effect"
import type { Chat } from "../chat/Chat.ts"
import type { UserEffect } from "../model/Erased.ts"
import type { BotOptions } from "./Config.ts"
import type { AnyHandler, ErrorOf, ServicesOf } from "./Handler.ts"
import type { BotShape } from "./BotShape.ts"

/** The identifier of a running bot's service. */
export interface Running<in out Id extends string> {
  readonly _: (_: Id) => Id
}

export interface Definition<in out Id extends string, in out E, out R>
  extends Context.Key<Running<Id>, BotShape<E>>,
    Pipeable.Pipeable {
  readonly id: Id
  readonly handlers: ReadonlyArray<AnyHandler>
  readonly options: BotOptions
  /** Typed recovery, innermost first; each sees what the one before left. */
  readonly recover: ReadonlyArray<(error: never, chat: Chat) => UserEffect>
  readonly _R: () => R
}
export type AnyDefinition = Definition<any, any, any>

/** What is wrong with a definition; the layer does not build. Every problem is named at once. Source: B26. */
export class BotDefinitionError extends Schema.TaggedError<BotDefinitionError>()("BotDefinitionError", {
  bot: Schema.String,
  problems: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `Bot "${this.bot}" cannot be built:\n${this.problems.map((problem) => `- ${problem}`).join("\n")}`
  }
}

const create = <Id extends string, E, R>(
  id: Id,
  handlers: ReadonlyArray<AnyHandler>,
  options: BotOptions,
  recover: Definition<Id, E, R>["recover"]
): Definition<Id, E, R> =>
  Object.assign(Context.Service<Running<Id>, BotShape<E>>(`@botmesh/bot/${id}`), {
    id,
    handlers,
    options,
    recover,
    _R: phantom
  })

const phantom = (): never => {
  throw new Error("a phantom type has no value")
}

/**
 * Defines a bot. @param id names it in stores, metrics and logs; keep it over restarts.
 * @param handlers in registration order. Problems (duplicate ids or triggers, unknown gotos) fail `Bot.layer`.
 */
export const make = <const Id extends string, const H extends ReadonlyArray<AnyHandler>>(
  id: Id,
  handlers: H,
  options: BotOptions = {}
): Definition<Id, ErrorOf<H>, ServicesOf<H>> => create(id, handlers, options, [])

/**
 * Answers for the errors of handlers, typed: what `recover` fails with is what is left for `bot.events`. It runs in the
 * chat's turn, so it may reply. Errors of handlers never fail the layer (A19).
 */
export const onError =
  <E, A extends Effect.Effect<unknown, any, any>>(recover: (error: E, chat: Chat) => A) =>
  <Id extends string, R>(self: Definition<Id, E, R>): Definition<Id, Effect.Error<A>, R | Effect.Services<A>> =>
    create(self.id, self.handlers, self.options, [...self.recover, recover])
