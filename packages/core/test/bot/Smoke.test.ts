import { expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Bot, Flow } from "@botmesh/core"
import { TestBot } from "@botmesh/core/testing"

const Age = Schema.Int.check(Schema.isBetween({ minimum: 18, maximum: 99 }))
const signUp = Flow.make("registrar").pipe(
  Flow.ask("name", "¿Tu nombre?"),
  Flow.ask("age", ({ name }) => `¿Tu edad, ${name}?`, {
    answer: Age,
    retries: 2,
    invalid: "Entre 18 y 99, por favor",
    timeout: "10m"
  }),
  Flow.choose("plan", "¿Plan?", { pro: "Pro", max: "Max" }),
  Flow.run("charge", ({ plan }, op) => Effect.succeed(`${plan}-${op.attempt}`)),
  Flow.say(({ name, plan }) => `Listo, ${name}: ${plan}`),
  Flow.persistent
)
const shop = Bot.make("shop", [
  Bot.when("hola", (chat) => chat.reply("👋 ¡Hola!")),
  Bot.when(/pedido (\d+)/u, (chat) => chat.reply(`Pedido ${chat.match?.[1]}`)),
  Bot.command("reset", (chat) => Effect.andThen(chat.abortConversation, chat.reply("reset"))),
  Bot.flow(signUp, { trigger: "registrar" }),
  Bot.conversation("encuesta", (c) =>
    Effect.gen(function* () {
      const first = yield* c.ask("liked", "¿Qué te gustó?")
      const stars = yield* c.ask("stars", "¿1 a 5?", { answer: Schema.Int })
      yield* c.say(`Gracias: ${first} ${stars}`)
    })
  ),
  Bot.onMessage((chat) => chat.reply("No te entendí"))
])

it.effect("greets, matches and signs up", () =>
  Effect.gen(function* () {
    const { bot, person } = yield* TestBot.make(shop)
    const ana = person("ana", { lang: "es" })
    expect(yield* ana.says("hola")).toEqual(["👋 ¡Hola!"])
    expect(yield* ana.says("pedido 12")).toEqual(["Pedido 12"])
    expect(yield* ana.says("xx")).toEqual(["No te entendí"])
    expect(yield* ana.says("Registrar")).toEqual(["¿Tu nombre?"])
    expect(yield* ana.says("Ana")).toEqual(["¿Tu edad, Ana?"])
    expect(yield* ana.says("12")).toEqual(["Entre 18 y 99, por favor"])
    expect(yield* ana.says("31")).toEqual(["¿Plan?"])
    expect(yield* ana.says("1")).toEqual(["Listo, Ana: pro"])
    expect(yield* ana.says("encuesta")).toEqual(["¿Qué te gustó?"])
    expect(yield* ana.says("todo")).toEqual(["¿1 a 5?"])
    expect(yield* ana.says("5")).toEqual(["Gracias: todo 5"])
    expect(bot.conversations.list()).toEqual([])
    yield* ana.says("registrar")
    yield* ana.says("Ana")
    yield* TestClock.adjust("11 minutes")
    yield* bot.settled
    expect(yield* ana.sees).toHaveLength(1)
    expect(yield* ana.says("/reset")).toEqual(["reset"])
    expect(bot.metrics.snapshot().conversationsEnded).toMatchObject({ done: 2, timeout: 1 })
  })
)
