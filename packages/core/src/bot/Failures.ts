/** What the `error` event holds when it is not an error of the bot's own. */
import { Cause, Effect, Schema } from "effect"
import type { Chat } from "../chat/Chat.ts"
import { jumpOf } from "../chat/Control.ts"
import { CutTooOftenError, TurnLimitError } from "../conversation/Execute.ts"
import type { BotEvent } from "../events/BotEvent.ts"
import type { Metrics } from "../events/Metrics.ts"
import type { Failure } from "../inbound/InboundPort.ts"
import type { Bind } from "../model/Erased.ts"
import { BotNotRunningError, ProviderNotLeaderError } from "../spi/Errors.ts"
import { SendError } from "../spi/Provider.ts"
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
  /** Logs without being waited for. */
  readonly log: (message: string, cause: Cause.Cause<unknown>) => void
}

const errorOf = (failure: Pick<Failure, "cause" | "where">): unknown => {
  const error = Cause.findErrorOption(failure.cause)
  return error._tag === "Some"
    ? error.value
    : new HandlerDiedError({ where: failure.where, cause: Cause.squash(failure.cause) })
}

/** Errors of the engine inside user code; `Bot.onError` is typed for the errors of the bot's own handlers. */
const isOwnError = (error: unknown): boolean =>
  !(error instanceof HandlerDiedError || error instanceof TurnLimitError || error instanceof CutTooOftenError)

/** The transport does not reach the person: an apology would not either. */
const isOutOfReach = (error: unknown): boolean =>
  error instanceof SendError
    ? error.reason._tag !== "InvalidContent" && error.reason._tag !== "Unsupported"
    : error instanceof BotNotRunningError || error instanceof ProviderNotLeaderError

/**
 * What happens when anything of a message fails (A19): counted, typed recovery in the chat's turn, the onFailure hooks,
 * always one `error` event, and for a handler that nothing answered for a log line and an apology.
 */
export const makeFailures = (options: FailuresOptions) => {
  const { apology, bind, definition, log, metrics, publish, registry } = options

  /** Counts, tells and logs a failure that has no chat and is not waited for: of a send hook, a predicate, a hook of hooks. */
  const report = (cause: Cause.Cause<unknown>, where: string): void => {
    metrics.error()
    publish({ _tag: "error", error: errorOf({ cause, where }), cause, where, chat: undefined })
    log(`${where} failed`, cause)
  }

  const recovered = Effect.fnUntraced(function* (failure: Failure, chat: Chat) {
    let error = errorOf(failure)
    for (const recover of definition.recover) {
      if (!isOwnError(error)) return error
      // The definition's own type says which errors reach it: those its handlers and earlier recoveries left.
      const exit = yield* Effect.exit(bind(Effect.suspend(() => recover(error as never, chat))))
      if (exit._tag === "Success" || jumpOf(exit.cause) !== undefined) return new HandledError({ error })
      error = errorOf({ cause: exit.cause, where: "Bot.onError" })
    }
    return error
  })

  const apologise = (failure: Failure, error: unknown): Effect.Effect<void> => {
    const { chat } = failure
    const turn = chat?.holder.turn
    if (chat === undefined || apology === undefined || failure.quiet === true || isOutOfReach(error)) return Effect.void
    if (turn === undefined || turn.refusal() !== undefined) return Effect.void
    return Effect.catchCause(Effect.asVoid(chat.reply(apology(chat.lang))), (cause) =>
      Effect.logWarning("the apology was not sent", cause)
    )
  }

  const answered = Effect.fnUntraced(function* (failure: Failure, tell: (error: unknown) => void) {
    const { chat } = failure
    if (failure.retried === true) {
      tell(errorOf(failure))
      return yield* Effect.logWarning(`${failure.where} failed and is tried again`, failure.cause)
    }
    const error = chat === undefined || failure.engine === true ? errorOf(failure) : yield* recovered(failure, chat)
    const hooks = failure.during === "call" ? registry.call.onError : registry.message.onError
    for (const hook of hooks.items) {
      yield* Effect.catchCause(
        Effect.suspend(() => hook.bind(hook.run(failure))),
        (cause) => Effect.sync(() => report(cause, "an onFailure hook"))
      )
    }
    tell(error)
    if (error instanceof HandledError) return
    yield* Effect.logError(`${failure.where} failed`, failure.cause)
    yield* apologise(failure, error)
  })

  const failed = (failure: Failure): Effect.Effect<void> =>
    Effect.suspend(() => {
      metrics.error()
      let told = false
      const tell = (error: unknown): void => {
        if (told) return
        told = true
        publish({ _tag: "error", error, cause: failure.cause, where: failure.where, chat: failure.chat })
      }
      // A recovery or a hook that is cut must not take the event with it.
      return Effect.onInterrupt(answered(failure, tell), () => Effect.sync(() => tell(errorOf(failure))))
    })
  return { failed, report }
}
