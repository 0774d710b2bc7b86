import { readFileSync } from "node:fs"
import { expect, it } from "@effect/vitest"
import { Bot, Flow, MemoryStore } from "@botmesh/core"
import { makeInbound, TestBot } from "@botmesh/core/testing"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { live, recorded, sharedStore } from "./lives.ts"

const scenarios: ReadonlyArray<{ readonly id: string }> = JSON.parse(
  readFileSync(new URL("../fixtures/scenarios-conversation.json", import.meta.url), "utf8")
)
it("knows every scenario by its id", () => {
  expect(scenarios.map(({ id }) => id)).toHaveLength(11)
})

const Age = Schema.Int.check(Schema.isBetween({ minimum: 18, maximum: 99 }))

it.effect("CONV-01: a question asked again waits again; the fourth wrong answer gives up", () =>
  Effect.gen(function* () {
    const form = Flow.make("form").pipe(
      Flow.ask("age", "¿Edad?", { answer: Age, retries: 2, invalid: "De 18 a 99" }),
      Flow.say(({ age }) => `Edad ${age}`)
    )
    const { bot, person } = yield* TestBot.make(Bot.make("b", [Bot.flow(form, { trigger: "form" })]))
    const ana = person("ana", { lang: "es" })
    expect(yield* ana.says("form")).toEqual(["¿Edad?"])
    expect(yield* ana.says("x")).toEqual(["De 18 a 99"])
    expect(yield* ana.says("200")).toEqual(["De 18 a 99"])
    expect(yield* ana.says("33")).toEqual(["Edad 33"])
    yield* ana.says("form")
    yield* ana.says("x")
    yield* ana.says("200")
    const gone = yield* ana.says("")
    expect(gone).toHaveLength(1)
    expect(gone).not.toEqual(["De 18 a 99"])
    expect(bot.conversations.list()).toEqual([])
    expect(bot.metrics.snapshot().conversationsEnded).toMatchObject({ done: 1, "gave-up": 1 })
  })
)

it.effect("CONV-02: four flows by goto in one turn", () =>
  Effect.gen(function* () {
    const flows = ["f1", "f2", "f3", "f4"].map((id, i, all) => {
      const made = Flow.make(id).pipe(Flow.say(id))
      const next = all[i + 1]
      return Bot.flow(next === undefined ? made : made.pipe(Flow.goto(next)))
    })
    const { bot, person } = yield* TestBot.make(
      Bot.make("b", [...flows, Bot.flow(Flow.make("go").pipe(Flow.goto("f1")), { trigger: "go" })])
    )
    expect(yield* person("ana").says("go")).toEqual(["f1", "f2", "f3", "f4"])
    expect(bot.metrics.snapshot().conversationsEnded).toMatchObject({ done: 1 })
  })
)

it.effect("CONV-02: ten thousand hops grow no stack; the default guard stops a ring after a hundred", () =>
  Effect.gen(function* () {
    let hops = 0
    const ring = Flow.make("ring").pipe(
      Flow.run("hop", () => Effect.sync(() => ++hops)),
      Flow.when(
        ({ hop }) => hop % 10_000 === 0,
        (f) => f.pipe(Flow.say("fin"), Flow.end())
      ),
      Flow.goto("ring")
    )
    const wide = yield* TestBot.make(
      Bot.make("wide", [Bot.flow(ring, { trigger: "go" })], { limits: { gotos: 20_000, steps: 100_000 } })
    )
    expect(yield* wide.person("ana").says("go")).toEqual(["fin"])
    expect(hops).toBe(10_000)
    const guarded = yield* TestBot.make(Bot.make("guarded", [Bot.flow(ring, { trigger: "go" })], { apology: false }))
    const events = yield* recorded(guarded.bot)
    hops = 0
    expect(yield* guarded.person("ana").says("go")).toEqual([])
    expect(hops).toBe(101)
    const errors = (yield* events).filter((event) => event._tag === "error")
    expect(errors.map(({ error }) => error._tag)).toEqual(["TurnLimitError"])
  })
)

it.effect("DOC-01: a ring of gotos is stopped with one error, and other chats go on", () =>
  Effect.gen(function* () {
    const { bot, mock, person } = yield* TestBot.make(
      Bot.make(
        "b",
        [
          Bot.flow(Flow.make("f1").pipe(Flow.say("otra vez"), Flow.goto("f2")), { trigger: "go" }),
          Bot.flow(Flow.make("f2").pipe(Flow.goto("f1"))),
          Bot.when("hola", (chat) => chat.reply("hola"))
        ],
        { apology: false }
      )
    )
    const events = yield* recorded(bot)
    const ana = person("ana")
    const said = yield* ana.says("go")
    expect(said.length).toBeLessThanOrEqual(100)
    expect(said.length).toBeGreaterThan(40)
    expect((yield* events).filter((event) => event._tag === "error")).toHaveLength(1)
    expect(yield* person("eva").says("hola")).toEqual(["hola"])
    expect(yield* ana.says("hola")).toEqual(["hola"])
    expect(mock.texts("eva")).toEqual(["hola"])
  })
)

const nagging = (id: string) => Flow.make(id).pipe(Flow.ask("x", "¿x?", { idle: { after: "5s", say: "¿sigues?" } }))

it.effect("CONV-06: no timer outlives its conversation: end, abort, goto, handoff, replace", () =>
  Effect.gen(function* () {
    const { bot, mock, person } = yield* TestBot.make(
      Bot.make("b", [
        Bot.flow(nagging("ends"), { trigger: "ends" }),
        Bot.flow(nagging("jumps").pipe(Flow.goto("last")), { trigger: "jumps" }),
        Bot.flow(Flow.make("last").pipe(Flow.say("fin"))),
        Bot.command("abort", (chat) => chat.abortConversation),
        Bot.command("human", (chat) => chat.handOff())
      ])
    )
    const none = bot.conversations.timers()
    for (const name of ["end", "abort", "goto", "handoff", "replace"]) {
      const ana = person(name)
      yield* ana.says(name === "goto" ? "jumps" : "ends")
      expect(bot.conversations.timers()).toBe(none + 1)
      yield* TestClock.adjust("1 second")
      yield* bot.settled
      if (name === "end" || name === "goto") yield* ana.says("ya")
      if (name === "abort") yield* ana.says("/abort")
      if (name === "handoff") yield* ana.says("/human")
      if (name === "replace") yield* bot.trigger("last", { chatId: name, ifActive: "replace" })
      expect(bot.conversations.timers(), name).toBe(none)
      yield* TestClock.adjust("1 hour")
      yield* bot.settled
      expect(
        mock.texts(name).filter((text) => text === "¿sigues?"),
        name
      ).toEqual([])
    }
    expect(bot.conversations.list().map(({ key, state }) => [key, state])).toEqual([["handoff", "handoff"]])
  })
)

it.effect("CONV-07: the wait counts from the last question", () =>
  Effect.gen(function* () {
    const three = Flow.make("three").pipe(
      Flow.ask("a", "¿a?", { timeout: "60s" }),
      Flow.ask("b", "¿b?", { timeout: "60s" }),
      Flow.ask("c", "¿c?", { timeout: "60s" }),
      Flow.say(({ a, b, c }) => `${a}${b}${c}`)
    )
    const { bot, person } = yield* TestBot.make(Bot.make("b", [Bot.flow(three, { trigger: "go" })]))
    const ana = person("ana")
    yield* ana.says("go")
    for (const answer of ["1", "2", "3"]) {
      yield* TestClock.adjust("50 seconds")
      yield* bot.settled
      yield* ana.says(answer)
    }
    expect(bot.metrics.snapshot().conversationsEnded).toMatchObject({ done: 1 })
  })
)

it.effect("CONV-09: a conversation entered by a button waits like one entered by text", () =>
  Effect.gen(function* () {
    const two = Flow.make("two").pipe(
      Flow.ask("a", "¿a?"),
      Flow.ask("b", "¿b?"),
      Flow.say(({ a, b }) => `${a} y ${b}`)
    )
    const { person } = yield* TestBot.make(
      Bot.make("b", [Bot.action("start", (chat) => chat.trigger("two")), Bot.flow(two, { trigger: "two" })])
    )
    const ana = person("ana")
    expect(yield* ana.presses("start", "Empezar")).toEqual(["¿a?"])
    expect(yield* ana.says("uno")).toEqual(["¿b?"])
    expect(yield* ana.says("dos")).toEqual(["uno y dos"])
    const eva = person("eva")
    expect(yield* eva.presses("two")).toEqual(["¿a?"])
    expect(yield* eva.says("1")).toEqual(["¿b?"])
    expect(yield* eva.says("2")).toEqual(["1 y 2"])
  })
)

const cabins = { a: "Cabina 1", b: "Cabina 3", c: "Cabina 4", d: "Cabina 2" }
it.effect("CONV-11, CONV-13: menus match whole answers, in any case and with or without accents", () =>
  Effect.gen(function* () {
    const { bot, person } = yield* TestBot.make(
      Bot.make("b", [
        Bot.flow(
          Flow.make("cabins").pipe(
            Flow.choose("n", "¿Cuál?", cabins),
            Flow.say(({ n }) => n)
          ),
          {
            trigger: "cabinas"
          }
        ),
        Bot.flow(
          Flow.make("desk").pipe(
            Flow.choose("n", "¿Qué?", { care: "Atención" }),
            Flow.say(({ n }) => n)
          ),
          { trigger: "mesa" }
        ),
        Bot.when("hola", (chat) => chat.reply("hola"))
      ])
    )
    const ana = person("ana", { lang: "es" })
    yield* ana.says("cabinas")
    expect(yield* ana.says("nada el 01.02")).toHaveLength(1)
    expect(bot.conversations.list()).toHaveLength(1)
    expect(yield* ana.says("cabina 4")).toEqual(["c"])
    for (const answer of ["atencion", "ATENCIÓN "]) {
      yield* ana.says("mesa")
      expect(yield* ana.says(answer)).toEqual(["care"])
    }
    expect(yield* ana.says("holanda")).toEqual([])
    expect(yield* ana.says("hola amigo")).toEqual([])
  })
)

const ordering = Flow.make("order").pipe(
  Flow.choose("dish", "¿Plato?", { a: "Arroz", b: "Pan", c: "Sopa" }, { timeout: "10m" }),
  Flow.say(({ dish }) => `Plato ${dish}`),
  Flow.persistent
)
const restaurant = Bot.make("restaurant", [
  Bot.flow(ordering, { trigger: "pedir" }),
  Bot.when("menu", (chat) => chat.reply("el menú"))
])

it.effect("CONV-15: a chat held by a person is silent, and its conversation waits on when it is given back", () =>
  Effect.gen(function* () {
    const { bot, mock, person } = yield* TestBot.make(restaurant)
    const events = yield* recorded(bot)
    const ana = person("ana")
    expect(yield* ana.says("pedir")).toEqual(["¿Plato?"])
    yield* TestClock.adjust("9 minutes")
    yield* bot.handoff.start("ana")
    for (const body of ["3", "hola", "menu"]) expect(yield* ana.says(body)).toEqual([])
    expect((yield* events).filter((event) => event._tag === "message")).toHaveLength(4)
    yield* TestClock.adjust("1 day")
    yield* bot.settled
    expect(mock.texts("ana")).toEqual(["¿Plato?"])
    yield* bot.handoff.end("ana")
    yield* TestClock.adjust("30 seconds")
    yield* bot.settled
    expect(yield* ana.says("3")).toEqual(["Plato c"])
  })
)

it.effect("CONV-15: the time a held question had left runs out after it is given back, not before and not never", () =>
  Effect.gen(function* () {
    const { bot, person } = yield* TestBot.make(restaurant)
    const ana = person("ana")
    yield* ana.says("pedir")
    yield* TestClock.adjust("9 minutes")
    yield* bot.handoff.start("ana")
    yield* TestClock.adjust("1 day")
    yield* bot.handoff.end("ana")
    yield* TestClock.adjust("59 seconds")
    yield* bot.settled
    expect(yield* ana.sees).toEqual([])
    expect(bot.metrics.snapshot().conversationsEnded.timeout).toBe(0)
    yield* TestClock.adjust("32 seconds")
    yield* bot.settled
    expect(bot.metrics.snapshot().conversationsEnded.timeout).toBe(1)
    expect(yield* ana.sees).toHaveLength(1)
  })
)

it.effect("CONV-17: a chat given back is answered; nothing is left behind, restarts in between or not", () =>
  Effect.gen(function* () {
    const store = sharedStore()
    const inbound = makeInbound()
    const text = (body: string) => inbound.text({ chat: "ana", body })
    const one = yield* live(restaurant, { store })
    yield* one.person("ana").does(text("pedir"))
    yield* TestClock.adjust("9 minutes")
    yield* one.bot.handoff.start("ana", { by: "eva" })
    yield* one.settled
    for (const body of ["1", "2", "menu"]) expect(yield* one.person("ana").does(text(body))).toEqual([])
    yield* one.stop

    const two = yield* live(restaurant, { store })
    expect(yield* two.bot.handoff.get("ana")).toMatchObject({ by: "eva" })
    yield* TestClock.adjust("1 hour")
    yield* two.settled
    for (const body of ["1", "menu"]) expect(yield* two.person("ana").does(text(body))).toEqual([])
    expect(yield* two.bot.handoff.end("ana")).toBe(true)
    yield* two.settled
    yield* two.stop

    const three = yield* live(restaurant, { store })
    yield* TestClock.adjust("40 seconds")
    yield* three.settled
    expect(yield* three.person("ana").does(text("2"))).toEqual(["Plato b"])
    expect(yield* three.person("ana").does(text("menu"))).toEqual(["el menú"])
    expect(yield* three.bot.handoff.end("ana")).toBe(false)
    yield* three.stop
  })
)

it.effect("CONV-17: a dormant question keeps the time it had left over a handoff and two restarts", () =>
  Effect.gen(function* () {
    const store = sharedStore(MemoryStore.make())
    const inbound = makeInbound()
    const text = (body: string) => inbound.text({ chat: "ana", body })
    const one = yield* live(restaurant, { store })
    yield* one.person("ana").does(text("pedir"))
    yield* one.stop
    const two = yield* live(restaurant, { store })
    yield* TestClock.adjust("5 minutes")
    yield* two.bot.handoff.start("ana")
    yield* TestClock.adjust("10 hours")
    yield* two.settled
    yield* two.bot.handoff.end("ana")
    yield* two.settled
    yield* two.stop
    const three = yield* live(restaurant, { store })
    yield* TestClock.adjust("4 minutes")
    yield* three.settled
    expect(yield* three.person("ana").sees).toEqual([])
    yield* TestClock.adjust("2 minutes")
    yield* three.settled
    expect(yield* three.person("ana").sees).toHaveLength(1)
    expect(three.bot.metrics.snapshot().conversationsEnded.timeout).toBe(1)
    yield* three.stop
  })
)

it.effect("CONV-18: a flow replaced from outside is gone: timers, checkpoint, waiters", () =>
  Effect.gen(function* () {
    const f1 = Flow.make("f1").pipe(Flow.ask("a", "¿a?", { timeout: "10m" }), Flow.say("f1 fin"), Flow.persistent)
    const f2 = Flow.make("f2").pipe(
      Flow.ask("b", "¿b?"),
      Flow.say(({ b }) => `f2 ${b}`)
    )
    const { bot, mock, person } = yield* TestBot.make(
      Bot.make("b", [
        Bot.flow(f1, { trigger: "f1" }),
        Bot.flow(f2),
        Bot.onMessage((chat) => chat.reply(`nuevo: ${chat.body}`))
      ])
    )
    const none = bot.conversations.timers()
    const events = yield* recorded(bot)
    const ana = person("ana")
    yield* ana.says("f1")
    expect(yield* bot.trigger("f2", { chatId: "ana" })).toEqual({ _tag: "refused", reason: "active" })
    expect(yield* bot.trigger("f2", { chatId: "ana", ifActive: "replace" })).toMatchObject({ _tag: "started" })
    expect(yield* ana.sees).toEqual(["¿b?"])
    expect(yield* ana.says("azul")).toEqual(["f2 azul"])
    expect(bot.conversations.timers()).toBe(none)
    yield* TestClock.adjust("1 hour")
    yield* bot.settled
    expect(mock.texts("ana")).toEqual(["¿a?", "¿b?", "f2 azul"])
    expect(yield* ana.says("azul")).toEqual(["nuevo: azul"])
    const ended = (yield* events).filter((event) => event._tag === "conversation:ended")
    expect(ended.map(({ flow, outcome }) => [flow, outcome])).toEqual([
      ["f1", "replaced"],
      ["f2", "done"]
    ])
  })
)
