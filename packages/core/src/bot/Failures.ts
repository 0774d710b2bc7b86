/** What the `error` event holds when it is not an error of the bot's own. */
import { Cause, Effect, Schema } from "effect"
import type { Chat } from "../chat/Chat.ts"
import type { BotEvent } from "../events/BotEvent.ts"
import type { Metrics } from "../events/Metrics.ts"
import type { Failure } from "../inbound/InboundPort.ts"
import type { Bind } from "../model/Erased.ts"
import type { AnyDefinition } from "./Definition.ts"
import type { Registry } from "./Registry.ts"

/** A handler died (a defect: a bug), was not suspended and left no error of its own. */
export class HandlerDiedError extends Schema.TaggedError<HandlerDiedError>()("HandlerDiedError", {
  where: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `${this.where} died: ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
  }
}

/** `Bot.onError` answered for it; still told (A19). */
export class HandledError extends Schema.TaggedError<HandledError>()("HandledError", {
  error: Schema.Unknown
}) {
  override get message(): string {
    return `Handled: ${this.error instanceof Error ? this.error.message : String(this.error)}`
  }
}

export interface FailuresOptions {
  readonly definition: Pick<AnyDefinition, "id" | "recover">
  readonly registry: Registry
  readonly metrics: Metrics
  readonly publish: (event: BotEvent<Chat, unknown>) => void
  /** The localised text of the apology; `undefined` says nothing. */
  readonly apology: ((lang: string) => string) | undefined
  readonly bind: Bind
}

const errorOf = (failure: Failure): unknown => {
  const error = Cause.findErrorOption(failure.cause)
  return error._tag === "Some"
    ? error.value
    : new HandlerDiedError({ where: failure.where, cause: Cause.squash(failure.cause) })
}

/**
 * What happens when anything of a message fails (A19): counted, typed recovery in the chat's turn, the onFailure hooks,
 * an apology if nothing answered for it, a log line, and always one `error` event.
 */
export const makeFailures = (options: FailuresOptions) => {
  const { apology, bind, definition, metrics, publish, registry } = options

  const recovered = Effect.fnUntraced(function* (failure: Failure, chat: Chat) {
    let error = errorOf(failure)
    for (const recover of definition.recover) {
      if (error instanceof HandlerDiedError) return error
      // The definition's own type says which errors reach it: those its handlers and earlier recoveries left.
      const exit = yield* Effect.exit(bind(Effect.suspend(() => recover(error as never, chat))))
      if (exit._tag === "Success") return new HandledError({ error })
      error = errorOf({ cause: exit.cause, where: "Bot.onError", chat })
    }
    return error
  })

  const contained = (effect: Effect.Effect<unknown, unknown>, what: string): Effect.Effect<void> =>
    Effect.catchCause(Effect.asVoid(effect), (cause) => Effect.logError(`${what} failed itself`, cause))

  const failed = Effect.fnUntraced(function* (failure: Failure) {
    metrics.error()
    const { chat } = failure
    const error = chat === undefined ? errorOf(failure) : yield* recovered(failure, chat)
    for (const hook of registry.message.onError.items) {
      yield* contained(hook.bind(Effect.suspend(() => hook.run(failure))), "an onFailure hook")
    }
    publish({ _tag: "error", error, cause: failure.cause, where: failure.where, chat })
    if (error instanceof HandledError) return
    yield* Effect.logError(`${failure.where} failed`, failure.cause)
    if (chat !== undefined && apology !== undefined && chat.holder.turn?.refusal() === undefined) {
      yield* contained(chat.reply(apology(chat.lang)), "the apology")
    }
  })
  return { failed: (failure: Failure): Effect.Effect<void> => failed(failure) }
}
