/** Silence. `Bot.onIdle` watches a whole chat, `idle` of a question watches that question; every message starts both again. */
import { Bot, Flow } from "@botmesh/core"

const order = Flow.make("order").pipe(
  Flow.ask("item", "What would you like?", { idle: { after: "5m", say: "Take your time: pizza or pasta?" } }),
  Flow.say(({ item }) => `One ${item}`)
)

export const reminder = Bot.make("reminder", [
  Bot.flow(order, { trigger: "order" }),
  Bot.when("hola", (chat) => chat.reply("👋")),
  Bot.onIdle("1h", (chat) => chat.reply("I am still here if you need me"))
])

export default reminder
