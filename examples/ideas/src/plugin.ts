/**
 * A plugin is a named bundle of handlers, built in a scope of its own. What it acquires is released when it is unplugged
 * or when the bot stops, and its handlers go with it.
 */
import { Bot, Plugin } from "@botmesh/core"
import { Context, Effect, Layer } from "effect"

/** Something that has to be opened and closed. */
export class Dictionary extends Context.Service<
  Dictionary,
  {
    readonly open: Effect.Effect<(word: string) => string>
    readonly close: Effect.Effect<void>
  }
>()("example/Dictionary") {}

export const translator = Plugin.make(
  "translator",
  Effect.gen(function* () {
    const dictionary = yield* Dictionary
    const lookUp = yield* Effect.acquireRelease(dictionary.open, () => dictionary.close)
    return [
      Bot.command("translate", (chat) => chat.reply(lookUp(chat.args.join(" ")))),
      Bot.when({ pattern: "what is", match: "startsWith" }, (chat) => chat.reply(lookUp(chat.body.slice(8))))
    ]
  })
)

export const plugins = Bot.make("plugins", [
  Bot.plugin(translator),
  Bot.onMessage((chat) => chat.reply("Try /translate casa"))
])

const words = new Map([
  ["casa", "house"],
  ["perro", "dog"]
])
export const layer = Layer.succeed(Dictionary, {
  open: Effect.succeed((word: string) => words.get(word.trim()) ?? "I do not know"),
  close: Effect.void
})

export default plugins
