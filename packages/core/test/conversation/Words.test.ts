import { describe, expect, it } from "@effect/vitest"
import { Bot, Flow } from "@botmesh/core"
import { TestBot } from "@botmesh/core/testing"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { recorded } from "./lives.ts"

const form = Flow.make("f").pipe(
  Flow.ask("a", "¿a?"),
  Flow.say("bien"),
  Flow.ask("b", "¿b?", { cancel: false, back: false }),
  Flow.ask("c", "¿c?"),
  Flow.say(({ a, b, c }) => `${a} ${b} ${c}`)
)
const definition = Bot.make("b", [Bot.flow(form, { trigger: "go" }), Bot.onMessage((chat) => chat.reply("nuevo"))])

describe.each([
  ["es", "Cancelar", "atrás"],
  ["en", "cancel", "Back"],
  ["pt", "CANCELAR", "voltar"]
])("words inside a question, in %s", (lang, cancel, back) => {
  it.effect("cancelling ends it with a text, going back asks the question before, and a question may opt out", () =>
    Effect.gen(function* () {
      const { bot, person } = yield* TestBot.make(definition)
      const ana = person("ana", { lang })
      yield* ana.says("go")
      yield* ana.says("1")
      expect(yield* ana.says(cancel)).toEqual(["¿c?"])
      expect(yield* ana.says(back)).toEqual(["¿b?"])
      expect(yield* ana.says(back)).toEqual(["¿c?"])
      expect(yield* ana.says("3")).toEqual([`1 ${back} 3`])
      yield* ana.says("go")
      expect(yield* ana.says(back)).toEqual(["¿a?"])
      const said = yield* ana.says(` ${cancel} `)
      expect(said).toHaveLength(1)
      expect(said).not.toEqual(["nuevo"])
      expect(bot.conversations.list()).toEqual([])
      expect(bot.metrics.snapshot().conversationsEnded).toMatchObject({ done: 1, cancelled: 1 })
    })
  )
})

it.effect("going back inside a free-form step asks its question before again, and repeats nothing earlier", () =>
  Effect.gen(function* () {
    let runs = 0
    const { person } = yield* TestBot.make(
      Bot.make("b", [
        Bot.conversation(
          "libre",
          (c) =>
            Effect.gen(function* () {
              yield* c.say("hola")
              const n = yield* c.run(
                "n",
                Effect.sync(() => ++runs)
              )
              const a = yield* c.ask("a", "¿a?")
              const b = yield* c.ask("b", "¿b?")
              yield* c.say(`${n}${a}${b}`)
            }),
          { persistent: true }
        )
      ])
    )
    const ana = person("ana", { lang: "es" })
    expect(yield* ana.says("libre")).toEqual(["hola", "¿a?"])
    expect(yield* ana.says("x")).toEqual(["¿b?"])
    expect(yield* ana.says("atrás")).toEqual(["¿a?"])
    expect(yield* ana.says("y")).toEqual(["¿b?"])
    expect(yield* ana.says("z")).toEqual(["1yz"])
  })
)

it.effect("onTimeout and onGiveUp say something, go to another flow, or both", () =>
  Effect.gen(function* () {
    const options = {
      answer: Schema.Int,
      retries: 0,
      timeout: "1m",
      onTimeout: { say: (state: { readonly who: string }) => `tarde, ${state.who}`, goto: "otra" },
      onGiveUp: { goto: "otra" }
    } as const
    const flow = Flow.make("f").pipe(
      Flow.ask("who", "¿quién?"),
      Flow.ask("n", "¿n?", options),
      Flow.say(({ n }) => `${n}`)
    )
    const { bot, person } = yield* TestBot.make(
      Bot.make("b", [Bot.flow(flow, { trigger: "go" }), Bot.flow(Flow.make("otra").pipe(Flow.say("otra")))])
    )
    const events = yield* recorded(bot)
    const ana = person("ana")
    yield* ana.says("go")
    yield* ana.says("Ana")
    yield* TestClock.adjust("1 minute")
    yield* bot.settled
    expect(yield* ana.sees).toEqual(["tarde, Ana", "otra"])
    yield* ana.says("go")
    yield* ana.says("Ana")
    expect(yield* ana.says("x")).toEqual(["otra"])
    const ended = (yield* events).filter((event) => event._tag === "conversation:ended")
    expect(ended).toMatchObject([{ outcome: "done" }, { outcome: "done" }])
  })
)

it.effect("a free-form program may answer for a question nobody answered, or answered wrongly", () =>
  Effect.gen(function* () {
    const { bot, person } = yield* TestBot.make(
      Bot.make("b", [
        Bot.conversation("libre", (c) =>
          Effect.gen(function* () {
            const n = yield* Effect.catchTags(c.ask("n", "¿n?", { answer: Schema.Int, retries: 1, timeout: "1m" }), {
              QuestionTimedOut: () => Effect.succeed(-1),
              GaveUp: ({ attempts }) => Effect.succeed(-attempts * 10)
            })
            yield* c.say(`${n}`)
          })
        )
      ])
    )
    const ana = person("ana")
    yield* ana.says("libre")
    yield* TestClock.adjust("1 minute")
    yield* bot.settled
    expect(yield* ana.sees).toEqual(["-1"])
    yield* ana.says("libre")
    yield* ana.says("x")
    expect(yield* ana.says("y")).toEqual(["-20"])
  })
)

it.effect("a file is an answer where one is asked for, and text is not", () =>
  Effect.gen(function* () {
    const flow = Flow.make("f").pipe(
      Flow.askMedia("pic", "¿Foto?", { kinds: ["image"], invalid: "una foto" }),
      Flow.ask("name", "¿Nombre?", { invalid: "texto" }),
      Flow.say(({ pic, name }) => `${pic.kind} ${pic.caption} ${name}`),
      Flow.persistent
    )
    const { person } = yield* TestBot.make(Bot.make("b", [Bot.flow(flow, { trigger: "go" })]))
    const ana = person("ana", { lang: "es" })
    expect(yield* ana.says("go")).toEqual(["¿Foto?"])
    expect(yield* ana.says("no tengo")).toEqual(["una foto"])
    expect(yield* ana.sendsMedia("audio")).toEqual(["una foto"])
    expect(yield* ana.sendsMedia("image", "yo")).toEqual(["¿Nombre?"])
    expect(yield* ana.sendsMedia("image")).toEqual(["texto"])
    expect(yield* ana.says("Ana")).toEqual(["image yo Ana"])
  })
)

it.effect("a conversation that ends itself, however, ends once", () =>
  Effect.gen(function* () {
    const { bot, person } = yield* TestBot.make(
      Bot.make("b", [
        Bot.conversation(
          "aborta",
          (c, chat) =>
            Effect.gen(function* () {
              yield* c.say("uno")
              yield* chat.abortConversation
              yield* c.say("nunca")
            }),
          { persistent: true }
        ),
        Bot.conversation("acaba", (c) => Effect.andThen(c.end("adiós"), c.say("nunca"))),
        Bot.conversation("salta", (c) => Effect.andThen(c.goto("fin", { n: 1 }), c.say("nunca"))),
        Bot.flow(Flow.make("fin").pipe(Flow.say((state) => `fin ${JSON.stringify(state)}`)))
      ])
    )
    const events = yield* recorded(bot)
    const ana = person("ana")
    expect(yield* ana.says("aborta")).toEqual(["uno"])
    expect(yield* ana.says("acaba")).toEqual(["adiós"])
    expect(yield* ana.says("salta")).toEqual(['fin {"n":1}'])
    const ended = (yield* events).flatMap((event) => (event._tag === "conversation:ended" ? [event.outcome] : []))
    expect(ended).toEqual(["aborted", "done", "done"])
    expect(bot.conversations.list()).toEqual([])
  })
)
