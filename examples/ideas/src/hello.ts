/** The smallest bot: one exact text, one pattern, one command, and an answer for everything else. */
import { Bot } from "@botmesh/core"

export const hello = Bot.make("hello", [
  // The whole text in normal form: "Hóla ", "HOLA" and "hola" are the same, "hola amigo" is not.
  Bot.when("hola", (chat) => chat.reply("👋 ¡Hola!")),
  // A regex sees the text as it was written; what it captures is in `chat.match`.
  Bot.when(/^order (\d+)$/iu, (chat) => chat.reply(`Order ${chat.match?.[1]} is on its way`)),
  // `/echo one two`: the words behind a command are in `chat.args`.
  Bot.command("echo", (chat) => chat.reply(chat.args.join(" ") || "Say something"), { description: "Says it back" }),
  Bot.onMessage((chat) => chat.reply("I did not understand"))
])

export default hello
