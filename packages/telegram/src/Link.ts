/** A started provider: who listens, who the bot is, and how buttons are answered. It lasts from start to the close of its scope. */
import { Effect, FiberSet, Schema, type Scope } from "effect"
import type { ProviderHost } from "@botmesh/core/spi"
import type { Identity } from "./Identity.ts"
import type { Api } from "./native/Api.ts"

export interface Link {
  readonly host: ProviderHost
  readonly bot: Identity
  /** Stops the button's spinner, in the background and as well as it goes. Safe to repeat. */
  readonly answer: (callbackId: string) => Effect.Effect<void>
}

/** Answers under way at once; beyond it a spinner runs out by itself. */
const answersAtOnce = 256

export const open = (api: Api, host: ProviderHost, bot: Identity): Effect.Effect<Link, never, Scope.Scope> =>
  Effect.map(FiberSet.make<void>(), (answers) => ({
    host,
    bot,
    answer: (callbackId) =>
      Effect.flatMap(FiberSet.size(answers), (running) =>
        running >= answersAtOnce
          ? Effect.logDebug("telegram: too many buttons to answer at once", { running })
          : Effect.asVoid(FiberSet.run(answers, answerOne(api, callbackId)))
      )
  }))

const answerOne = (api: Api, callbackId: string): Effect.Effect<void> =>
  api.call("answerCallbackQuery", { callback_query_id: callbackId }, Schema.Boolean).pipe(
    Effect.asVoid,
    // The person already has the answer, or the query is too old: nothing of the message depends on it.
    Effect.catch((error) => Effect.logDebug("telegram: a button was not answered", { detail: error.description }))
  )
