/**
 * What handlers fail with is typed, and answered in one place. An error never stops the bot: the message is consumed, the
 * error is counted, told as an `error` event, and the person gets an answer.
 */
import { Bot } from "@botmesh/core"
import { Effect, Schema } from "effect"

export class OutOfStock extends Schema.TaggedError<OutOfStock>()("OutOfStock", { item: Schema.String }) {}
export class Closed extends Schema.TaggedError<Closed>()("Closed", {}) {}

export const errors = Bot.make("errors", [
  Bot.when("pizza", () => Effect.fail(new OutOfStock({ item: "pizza" }))),
  Bot.when("pasta", () => Effect.fail(new Closed())),
  // A bug. It is told as HandlerDiedError; nobody has to expect it, and the person gets an apology.
  Bot.when("soup", () => Effect.die(new Error("no spoon")))
]).pipe(
  // `error` is OutOfStock | Closed | the errors of sends. What this fails with is what is left for the events.
  Bot.onError((error, chat) =>
    error._tag === "OutOfStock" ? chat.reply(`We are out of ${error.item}`) : Effect.fail(error)
  )
)

export default errors
