import { expect, it } from "@effect/vitest"
import { Bot, Flow, FlowInputError, UnknownFlowError } from "@botmesh/core"
import { makeInbound, TestBot } from "@botmesh/core/testing"
import { Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { live, recorded, sharedStore } from "./lives.ts"

const question = Flow.make("q").pipe(
  Flow.ask("a", "¿a?"),
  Flow.say(({ a }) => `a=${a}`)
)
const hello = Flow.make("hello").pipe(Flow.say((state) => `hola ${JSON.stringify(state)}`))
const stored = Flow.make("p").pipe(Flow.ask("a", "¿p?"), Flow.say("p fin"), Flow.persistent)

it.effect("B18: data, body, refusals and unknown flows", () =>
  Effect.gen(function* () {
    const bodies: Array<string> = []
    const body = Flow.make("body").pipe(
      Flow.do("x", (c) =>
        Effect.as(
          Effect.sync(() => bodies.push(`${c.chat.body}|${c.chat.sender}|${c.lang}`)),
          null
        )
      )
    )
    const { bot, person } = yield* TestBot.make(
      Bot.make("b", [Bot.flow(question), Bot.flow(hello), Bot.flow(body)], { access: { blacklist: ["malo"] } })
    )
    expect(yield* bot.trigger("hello", { chatId: "ana", data: { n: 1 } })).toMatchObject({ _tag: "started" })
    expect(yield* person("ana").sees).toEqual(['hola {"n":1}'])
    yield* bot.trigger("body", { chatId: "g", userId: "eva", isGroup: true, body: "dicho", lang: "pt" })
    yield* bot.trigger("body", { chatId: "ana" })
    expect(bodies).toEqual(["dicho|eva|pt", "|ana|en"])
    expect(yield* Effect.flip(bot.trigger("nada", { chatId: "ana" }))).toBeInstanceOf(UnknownFlowError)
    expect(yield* bot.trigger("hello", { chatId: "malo" })).toEqual({ _tag: "refused", reason: "blocked" })
    yield* bot.handoff.start("eva")
    expect(yield* bot.trigger("hello", { chatId: "eva" })).toEqual({ _tag: "refused", reason: "handoff" })
    yield* bot.trigger("q", { chatId: "ana" })
    expect(yield* bot.trigger("hello", { chatId: "ana" })).toEqual({ _tag: "refused", reason: "active" })
    yield* bot.stop
    expect(yield* bot.trigger("hello", { chatId: "ana" })).toEqual({ _tag: "refused", reason: "not-running" })
  })
)

it.effect("B18: queue waits for the end of what is active, live or dormant; as many as may be kept", () =>
  Effect.gen(function* () {
    const { bot, person } = yield* TestBot.make(
      Bot.make("b", [Bot.flow(question), Bot.flow(hello), Bot.flow(stored)], { limits: { pending: 2 } })
    )
    const queue = (n: number) => bot.trigger("hello", { chatId: "ana", data: { n }, ifActive: "queue" })
    const ana = person("ana")
    yield* bot.trigger("q", { chatId: "ana" })
    expect(yield* queue(1)).toEqual({ _tag: "queued" })
    expect(yield* queue(2)).toEqual({ _tag: "queued" })
    expect(yield* queue(3)).toEqual({ _tag: "refused", reason: "active" })
    expect(yield* ana.says("x")).toEqual(["¿a?", "a=x", 'hola {"n":1}', 'hola {"n":2}'])

    yield* bot.trigger("p", { chatId: "ana" })
    yield* TestClock.adjust("11 minutes")
    expect(bot.conversations.list()).toEqual([])
    expect(yield* bot.trigger("hello", { chatId: "ana" })).toEqual({ _tag: "refused", reason: "active" })
    expect(yield* queue(4)).toEqual({ _tag: "queued" })
    expect(yield* ana.says("y")).toEqual(["¿p?", "p fin", 'hola {"n":4}'])
  })
)

it.effect("B18: replace ends a dormant conversation too, on another life of the bot", () =>
  Effect.gen(function* () {
    const store = sharedStore()
    const inbound = makeInbound()
    const definition = Bot.make("b", [
      Bot.flow(stored, { trigger: "p" }),
      Bot.flow(question),
      Bot.onMessage((chat) => chat.reply("nuevo"))
    ])
    const one = yield* live(definition, { store })
    yield* one.person("ana").does(inbound.text({ chat: "ana", body: "p" }))
    yield* one.stop
    const two = yield* live(definition, { store })
    const events = yield* recorded(two.bot)
    expect(yield* two.bot.trigger("q", { chatId: "ana", ifActive: "replace" })).toMatchObject({ _tag: "started" })
    expect(yield* two.person("ana").does(inbound.text({ chat: "ana", body: "x" }))).toEqual(["¿a?", "a=x"])
    expect(yield* two.person("ana").does(inbound.text({ chat: "ana", body: "y" }))).toEqual(["nuevo"])
    const ended = (yield* events).filter((event) => event._tag === "conversation:ended")
    expect(ended.map(({ flow, outcome }) => [flow, outcome])).toEqual([
      ["p", "replaced"],
      ["q", "done"]
    ])
    yield* two.stop
  })
)

it.effect("R18: inside a turn a trigger of the same key starts after the handler, in the order asked for", () =>
  Effect.gen(function* () {
    const results: Array<unknown> = []
    const { bot, mock, person } = yield* TestBot.make(
      Bot.make("b", [
        Bot.flow(hello),
        Bot.flow(question),
        Bot.when("mío", (chat) =>
          Effect.gen(function* () {
            results.push(yield* chat.trigger("hello", { data: { n: 1 } }))
            results.push(yield* chat.trigger("hello", { data: { n: 2 } }))
            yield* chat.reply("antes")
          })
        ),
        Bot.conversation("dentro", (c, chat) =>
          Effect.gen(function* () {
            results.push(yield* chat.trigger("hello", { ifActive: "queue" }))
            yield* c.ask("x", "¿x?")
            yield* c.say("fin")
          })
        )
      ])
    )
    expect(yield* person("ana").says("mío")).toEqual(["antes", 'hola {"n":1}', 'hola {"n":2}'])
    expect(yield* person("leo").says("dentro")).toEqual(["¿x?"])
    expect(yield* person("leo").says("ya")).toEqual(["fin", "hola {}"])
    expect(results).toEqual([...results].fill({ _tag: "queued" }))
    expect(mock.texts()).toHaveLength(6)
    expect(bot.conversations.list()).toEqual([])
  })
)

it.effect("R18: inside a turn a trigger of another key is queued: two chats do not wait for one another", () =>
  Effect.gen(function* () {
    const other: Record<string, string> = { ana: "eva", eva: "ana" }
    const results: Array<unknown> = []
    const shop = Bot.make("b", [
      Bot.flow(hello),
      Bot.when("cruza", (chat) =>
        Effect.gen(function* () {
          yield* Effect.sleep("1 second")
          const bot = yield* Effect.succeed(running.bot)
          if (bot !== undefined) results.push(yield* bot.trigger("hello", { chatId: other[chat.from] ?? "" }))
          yield* Effect.sleep("1 second")
        })
      )
    ])
    const running: { bot: Bot.BotShape<unknown> | undefined } = { bot: undefined }
    const { bot, mock } = yield* TestBot.make(shop)
    running.bot = bot
    for (const chat of ["ana", "eva"]) yield* mock.deliver(mock.inbound.text({ chat, body: "cruza" }))
    yield* TestClock.adjust("2 seconds")
    yield* bot.settled
    expect(results).toEqual([{ _tag: "queued" }, { _tag: "queued" }])
    expect(mock.texts()).toEqual(["hola {}", "hola {}"])
  })
)

it.effect("a trigger from outside takes the key's turn, and is answered though its flow does not stop", () =>
  Effect.gen(function* () {
    const stuck = Flow.make("stuck").pipe(Flow.run("x", () => Effect.uninterruptible(Effect.never)))
    const { bot, mock, person } = yield* TestBot.make(
      Bot.make("b", [Bot.flow(hello), Bot.flow(stuck), Bot.when("lento", () => Effect.sleep("20 seconds"))], {
        settle: "1m",
        limits: { cuts: 1 },
        apology: false
      })
    )
    yield* mock.deliver(mock.inbound.text({ chat: "ana", body: "lento" }))
    const asked = yield* Effect.forkChild(bot.trigger("hello", { chatId: "ana" }))
    yield* TestClock.adjust("19 seconds")
    expect(mock.texts()).toEqual([])
    yield* TestClock.adjust("1 second")
    expect(yield* Fiber.join(asked)).toMatchObject({ _tag: "started" })
    expect(mock.texts()).toEqual(["hola {}"])
    const never = yield* Effect.forkChild(Effect.flip(bot.trigger("stuck", { chatId: "eva" })))
    yield* TestClock.adjust("65 seconds")
    expect((yield* Fiber.join(never))._tag).toBe("LeaseLostError")
    yield* bot.settled
    expect(bot.conversations.list()).toEqual([])
    expect(yield* person("eva").says("hola")).toEqual([])
  })
)

it.effect("abort from outside ends a live and a dormant conversation, each once", () =>
  Effect.gen(function* () {
    const { bot, person } = yield* TestBot.make(
      Bot.make("b", [Bot.flow(stored, { trigger: "p" }), Bot.onMessage((chat) => chat.reply("nuevo"))])
    )
    const events = yield* recorded(bot)
    const ana = person("ana")
    for (const wait of ["1 minute", "11 minutes"] as const) {
      yield* ana.says("p")
      yield* TestClock.adjust(wait)
      expect(yield* bot.conversations.abort("ana")).toBe(true)
      expect(yield* bot.conversations.abort("ana")).toBe(false)
      expect(yield* ana.says("x")).toEqual(["nuevo"])
    }
    const ended = (yield* events).flatMap((event) => (event._tag === "conversation:ended" ? [event.outcome] : []))
    expect(ended).toEqual(["aborted", "aborted"])
    expect(bot.conversations.timers()).toBe(0)
  })
)

const since = Flow.make("since", { input: Schema.Struct({ since: Schema.Date }) }).pipe(
  Flow.say((state) => `desde ${state.since.toISOString().slice(0, 10)} ${"extra" in state}`)
)

it.effect("B18: data is checked against the input of the flow; its JSON form is decoded", () =>
  Effect.gen(function* () {
    const { bot, person } = yield* TestBot.make(Bot.make("b", [Bot.flow(since)]))
    const start = (data?: Record<string, unknown>) =>
      bot.trigger("since", data === undefined ? { chatId: "ana" } : { chatId: "ana", data })
    yield* start({ since: new Date(0), extra: 1 })
    yield* start({ since: "2024-02-29T00:00:00.000Z" })
    expect(yield* person("ana").sees).toEqual(["desde 1970-01-01 true", "desde 2024-02-29 false"])
    for (const data of [undefined, { since: "ayer" }, { since: 5 }]) {
      const error = yield* Effect.flip(start(data))
      expect(error).toBeInstanceOf(FlowInputError)
      expect(error.message).toContain('Flow "since" cannot start with what it was given')
    }
    expect(yield* person("ana").sees).toEqual([])
  })
)

it.effect("B3: a goto with data that is not the input ends with FlowInputError", () =>
  Effect.gen(function* () {
    const jump = Flow.make("jump").pipe(Flow.goto("since", () => ({ since: "ayer" })))
    const { bot, person } = yield* TestBot.make(Bot.make("b", [Bot.flow(jump, { trigger: "j" }), Bot.flow(since)]))
    const events = yield* recorded(bot)
    expect(yield* person("ana").says("j")).toEqual(["Sorry, something went wrong. Please try again in a moment."])
    const failures = (yield* events).filter((event) => event._tag === "error")
    expect(failures.map(({ error }) => error)).toEqual([expect.any(FlowInputError)])
  })
)

it.effect("B26: a flow that needs its input has no text trigger", () =>
  Effect.gen(function* () {
    const failure = yield* Effect.flip(TestBot.make(Bot.make("b", [Bot.flow(since, { trigger: "desde" })])))
    expect(failure).toMatchObject({ _tag: "BotDefinitionError" })
    expect(String(failure)).toContain('flow "since" needs its input, which a message cannot bring')
  })
)
