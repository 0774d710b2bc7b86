/** The bot of the worlds: a little of everything a bot can do, and a way to see from outside what its handlers did. */
import { Bot, type Conv, Flow, SuspendedBy } from "@botmesh/core"
import { Cause, Context, Effect, Exit, Option, Schema } from "effect"

/** Sees what handlers do, outside the bot. */
export class Witness extends Context.Service<
  Witness,
  {
    /** Takes money once for each id, however often it is asked. */
    readonly charge: (id: string) => Effect.Effect<string>
    /** A question took this for its answer. */
    readonly answered: (question: string, value: string) => void
    /** A step of a conversation was suspended. */
    readonly suspended: (reason: string) => void
  }
>()("@botmesh/simulation/Witness") {}

const Name = Schema.String.check(Schema.isPattern(/^n /u))
const Nick = Schema.String.check(Schema.isPattern(/^a /u))

export const settle = 5000

/** The definition sees the witness of its own world only: each world makes one. */
export const makeShop = (witness: Witness["Service"]) => {
  const seen =
    (question: string) =>
    (value: string): boolean => {
      witness.answered(question, value)
      return true
    }
  /** Tells why the code was stopped, if it was. */
  const watched = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.onExit(effect, (exit) => {
      if (Exit.isSuccess(exit)) return Effect.void
      const reason = Context.getOption(Cause.annotations(exit.cause), SuspendedBy)
      if (Option.isSome(reason)) witness.suspended(reason.value)
      return Effect.void
    })

  const signUp = Flow.make("registrar").pipe(
    Flow.ask("name", "¿Nombre?", { answer: Name, invalid: "¿Nombre?", validate: seen("name") }),
    Flow.ask("nick", "¿Apodo?", {
      answer: Nick,
      invalid: "¿Apodo?",
      validate: seen("nick"),
      idle: { after: "4s", say: "¿Sigues ahí?" }
    }),
    Flow.choose("plan", "¿Plan?", { pro: "Pro", max: "Max" }, { invalid: "¿Plan?", timeout: "8s" }),
    Flow.run("charge", (_, op) => Effect.andThen(Effect.sleep(200), witness.charge(op.id))),
    Flow.say(({ name, nick, plan }) => `Listo ${name} ${nick} ${plan}`),
    Flow.persistent
  )
  const survey = (c: Conv<unknown>) =>
    watched(
      Effect.gen(function* () {
        const liked = yield* c.ask("liked", "¿Qué te gustó?", { validate: seen("liked") })
        const why = yield* c.ask("why", "¿Por qué?", { validate: seen("why") })
        yield* c.say("Un momento")
        yield* c.sleep("pause", "6s")
        const id = yield* c.run("save", (op) => Effect.andThen(Effect.sleep(100), witness.charge(op.id)))
        const stars = yield* c.ask("stars", "¿Estrellas?", { validate: seen("stars") })
        const more = yield* c.ask("more", "¿Algo más?", { validate: seen("more") })
        yield* c.say(`Anotado ${liked}, ${why}, ${stars}, ${more} (${id.length > 0 ? "guardado" : ""})`)
      })
    )
  const colour = Flow.make("color").pipe(
    Flow.ask("colour", "¿Color?", { timeout: "5s", onTimeout: { say: "Sin color" } }),
    Flow.say(({ colour }) => `Color ${colour}`)
  )
  return Bot.make(
    "sim",
    [
      Bot.flow(signUp, { trigger: "registrar" }),
      Bot.conversation("encuesta", survey, { persistent: true }),
      Bot.flow(colour, { trigger: "color" }),
      Bot.when(/^eco (.+)$/u, (chat) =>
        Effect.andThen(chat.reply(`Eco ${chat.match?.[1] ?? ""} 1`), chat.reply(`Eco ${chat.match?.[1] ?? ""} 2`))
      ),
      Bot.when(/^lento/u, (chat) => Effect.andThen(Effect.sleep(settle * 3), chat.reply("Lento"))),
      Bot.when(/^terco/u, (chat) =>
        Effect.andThen(Effect.uninterruptible(Effect.sleep(settle * 3)), chat.reply("Terco"))
      ),
      Bot.when(/^largo/u, (chat) => Effect.andThen(Effect.sleep(settle * 0.7), chat.reply("Largo"))),
      Bot.command("color", (chat) =>
        Effect.flatMap(chat.trigger("color", { ifActive: "replace" }), ({ _tag }) => chat.reply(`Color: ${_tag}`))
      ),
      Bot.command("luego", (chat) =>
        Effect.flatMap(chat.trigger("color", { ifActive: "queue" }), ({ _tag }) => chat.reply(`Luego: ${_tag}`))
      ),
      Bot.command("fin", (chat) => Effect.andThen(chat.abortConversation, chat.reply("Abortado"))),
      Bot.before("message", (chat) => (chat.body === "basura" ? chat.stop : Effect.void)),
      Bot.onMessage((chat) => chat.reply("¿Cómo?"))
    ],
    {
      apology: false,
      settle,
      stopGrace: "1s",
      echoFilter: true,
      groupMode: "mention",
      conversationScope: "chat",
      access: { blacklist: ["malo"] },
      limits: { perKey: 6, pending: 2 },
      conversation: { dormantAfter: "20s" }
    }
  )
}
