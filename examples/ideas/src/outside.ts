/**
 * Talking first. A flow can be started by any code that has the running bot: a webhook of the shop, a form, a timer. It
 * waits for the chat's turn, so it never runs into a handler that is at work there.
 */
import { Bot, Flow } from "@botmesh/core"
import { Duration, Effect, Schema } from "effect"

/** `input` types the state that the trigger brings along. */
const delivery = Flow.make("delivery", { input: Schema.Struct({ parcel: Schema.String }) }).pipe(
  Flow.choose("when", ({ parcel }) => `Parcel ${parcel} is here. When shall we bring it?`, {
    today: "Today",
    tomorrow: "Tomorrow"
  }),
  Flow.say(({ parcel, when }) => `${parcel} comes ${when}`)
)

export const outside = Bot.make("outside", [Bot.flow(delivery)])

/** Called by the warehouse. The result says whether the flow was started, queued behind another, or refused, and why. */
export const arrived = Effect.fn("arrived")(function* (chatId: string, parcel: string) {
  const bot = yield* outside
  return yield* bot.trigger("delivery", { chatId, data: { parcel }, ifActive: "queue" })
})

/** Says something every day for as long as the scope lives. Jobs of this scheduler live in the process. */
export const daily = Effect.fn("daily")(function* (chatId: string) {
  const bot = yield* outside
  return yield* bot.schedule.every("daily", Duration.days(1), bot.send(chatId, "Good morning"))
})

export default outside
