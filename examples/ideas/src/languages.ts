/** Hooks and languages: what runs around every message, and texts in the language of whoever reads them. */
import { Bot } from "@botmesh/core"
import { Effect } from "effect"

export const languages = Bot.make(
  "languages",
  [
    // Before anything looks at the message. It may change it, or end it with `chat.stop`.
    Bot.before("message", (chat) =>
      chat.body.includes("casino") ? chat.stop : Effect.succeed(chat.with({ body: chat.body.trim() }))
    ),
    Bot.when(["hola", "hello"], (chat) => chat.reply(chat.t("greeting", { name: chat.sender }))),
    // The profile is kept in the store; its field `lang` wins over what the transport reports.
    Bot.command("lang", (chat) =>
      Effect.gen(function* () {
        const lang = chat.args[0] ?? "en"
        yield* chat.user.set("lang", lang)
        yield* chat.with({ lang }).reply(chat.with({ lang }).t("changed"))
      })
    ),
    Bot.after("message", (chat) => Effect.logDebug("handled", { lang: chat.lang, from: chat.langSource })),
    // Every text on its way out.
    Bot.before("send", (message) =>
      Effect.succeed(
        message.content._tag === "text"
          ? { ...message, content: { ...message.content, text: `🤖 ${message.content.text}` } }
          : message
      )
    )
  ],
  {
    i18n: {
      default: "en",
      languages: {
        en: { greeting: "Hello {name}", changed: "From now on in English" },
        es: { greeting: "Hola {name}", changed: "Desde ahora en español" }
      },
      detect: (body) => (/[ñ¿¡]/u.test(body) ? "es" : undefined)
    }
  }
)

export default languages
