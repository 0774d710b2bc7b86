/**
 * A shop's bot. It is nothing but a list of handlers: the first that fits takes the message. How it is run (which
 * transport, which store) is decided elsewhere: see main.ts, or try `botmesh dev` on this file.
 */
import { Bot, type Chat } from "@botmesh/core"
import { Effect, Schema } from "effect"
import { order } from "./order.ts"
import { Payments } from "./payments.ts"
import { signUp } from "./signUp.ts"
import { orderTexts, signUpTexts, texts } from "./texts.ts"

const english = (chat: Chat): boolean => chat.lang.toLowerCase().startsWith("en")

const menu = (chat: Chat) =>
  chat.choices(chat.t("shop.menu"), {
    "sign-up": chat.t("shop.menu.sign-up"),
    order: chat.t("shop.menu.order"),
    survey: chat.t("shop.menu.survey"),
    human: chat.t("shop.menu.human")
  })

const greet = (chat: Chat) => Effect.andThen(chat.reply(chat.t("shop.hello")), menu(chat))

/** Silent from here on, until the person, or somebody of the shop, gives the chat back. */
const toHuman = (chat: Chat) => Effect.andThen(chat.reply(chat.t("shop.human")), chat.handOff("asks for a person"))

/** The choice is kept in the person's profile, and `chat.lang` follows it from then on. */
const speak = (lang: "es" | "en") => (chat: Chat) =>
  Effect.andThen(chat.user.set("lang", lang), chat.reply(chat.with({ lang }).t("shop.language")))

const Stars = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 }))
const unhappy = 3

/** A conversation as a plain program: it waits at each question, for days if need be, and survives a restart. */
const survey = Bot.conversation(
  "survey",
  (c) =>
    Effect.gen(function* () {
      const say = (key: keyof (typeof texts)["es"], params = {}) => c.chat.t(key, params)
      yield* c.idle("10m", say("shop.survey.idle"))
      yield* c.ask("liked", say("shop.survey.liked"))
      const stars = yield* c.ask("stars", say("shop.survey.stars"), { answer: Stars })
      if (stars < unhappy) yield* c.ask("why", say("shop.survey.why"))
      yield* c.say(say("shop.survey.thanks", { stars }))
    }),
  { trigger: ["encuesta", "survey"], persistent: true, timeout: "2d" }
)

export const shop = Bot.make(
  "shop",
  [
    Bot.when(["hola", "buenas", "hello", "hi"], greet),
    Bot.when("menú", menu),
    Bot.when(/^(?:pedido|order) (\d+)$/iu, (chat) =>
      chat.reply(chat.t("shop.order.state", { number: chat.match?.[1] ?? "" }))
    ),

    Bot.flow(signUp("registrar", signUpTexts.es), { trigger: ["registrar", "registrarme"] }),
    Bot.flow(signUp("sign-up", signUpTexts.en), { trigger: ["sign up", "register"] }),
    Bot.flow(order("pedido", orderTexts.es), { trigger: "pedido" }),
    Bot.flow(order("order", orderTexts.en), { trigger: "order" }),
    survey,

    // The menu's buttons.
    Bot.action("sign-up", (chat) => chat.trigger(english(chat) ? "sign-up" : "registrar")),
    Bot.action("order", (chat) => chat.trigger(english(chat) ? "order" : "pedido")),
    Bot.action("survey", (chat) => chat.trigger("survey")),
    Bot.action("human", toHuman),

    // Commands act at once, also in the middle of a conversation.
    Bot.command("start", greet),
    Bot.command("help", (chat) => chat.reply(chat.t("shop.help"))),
    Bot.command("reset", (chat) =>
      Effect.flatMap(chat.abortConversation, (was) => chat.reply(chat.t(was ? "shop.reset" : "shop.reset.nothing")))
    ),
    Bot.command("es", speak("es")),
    Bot.command("en", speak("en")),

    Bot.when(["humano", "persona", "human"], toHuman),
    Bot.command("bot", (chat) => Effect.andThen(chat.handBack, chat.reply(chat.t("shop.bot")))),

    Bot.onMessage((chat) => chat.reply(chat.t("shop.unknown")))
  ],
  {
    i18n: { default: "es", languages: texts },
    groupMode: "mention",
    handoff: { allowCommands: ["bot"] }
  }
).pipe(
  // Errors are typed by what the handlers can fail with; what is not answered here is told by `bot.events`.
  Bot.onError((error, chat) =>
    error._tag === "PayError" ? chat.reply(chat.t("shop.pay", { code: error.code })) : Effect.fail(error)
  )
)

/** For `botmesh dev`, which runs what a file exports: the bot, and the services it needs. */
export default shop
export const layer = Payments.layerLog("charges.log")
