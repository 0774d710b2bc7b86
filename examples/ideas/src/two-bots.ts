/**
 * Two bots in one process. A definition is its own service key, so each is found by its definition; they share services
 * and the store, but never a row of it: every row begins with the bot's id.
 */
import { Bot } from "@botmesh/core"
import { Effect } from "effect"

export const shop = Bot.make("shop", [Bot.when("hola", (chat) => chat.reply("Shop: hola"))])

export const support = Bot.make("support", [
  Bot.when("hola", (chat) => chat.reply("Support: hola")),
  // One bot speaks for the other: the running shop is a service that this handler requires.
  Bot.command("tell", (chat) =>
    Effect.flatMap(shop, (bot) => bot.send(chat.args[0] ?? "", chat.args.slice(1).join(" ")))
  )
])

export default shop
