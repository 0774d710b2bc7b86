/**
 * A person takes over. While they hold the chat the bot is silent in it: messages are stored and told as events, but no
 * handler, no conversation and no timer of the bot answers. Given back, an open question waits on with the time it had left.
 */
import { Bot, Flow } from "@botmesh/core"
import { Effect } from "effect"

const claim = Flow.make("claim").pipe(
  Flow.ask("order", "Which order?"),
  Flow.ask("problem", "What is wrong with it?", { timeout: "10m" }),
  Flow.say(({ order }) => `Thank you, we look into ${order}`)
)

export const handoff = Bot.make(
  "handoff",
  [
    Bot.flow(claim, { trigger: "claim" }),
    Bot.command("human", (chat) => Effect.andThen(chat.reply("A person will write to you"), chat.handOff("asked for"))),
    // Listed in `allowCommands`, so it works in a chat that a person holds.
    Bot.command("status", (chat) => chat.reply("A person has your chat")),
    Bot.when("hola", (chat) => chat.reply("👋"))
  ],
  { handoff: { allowCommands: ["status"] } }
)

/** What the desk of the people would call; any code that has the running bot can. */
export const giveBack = (chatId: string) => Effect.flatMap(handoff, (bot) => bot.handoff.end(chatId))

export default handoff
