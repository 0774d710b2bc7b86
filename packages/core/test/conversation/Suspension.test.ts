import { expect, it } from "@effect/vitest"
import { Bot, Flow, SuspendedBy } from "@botmesh/core"
import { makeInbound, TestBot } from "@botmesh/core/testing"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { live, recorded, sharedStore } from "./lives.ts"

const reasonOf = (exit: Exit.Exit<unknown, unknown>): string | undefined =>
  Exit.isFailure(exit)
    ? Option.getOrUndefined(Context.getOption(Cause.annotations(exit.cause), SuspendedBy))
    : undefined

/** Says something and returns at once: the turn may last. */
const hands = (bot: TestBot.TestBot<unknown>, body: string, chat = "ana") =>
  Effect.orDie(bot.mock.deliver(bot.mock.inbound.text({ chat, body, lang: "es" })))

it.effect("settle cuts a step that does not end; its finalizer reads why; it resumes by itself after a back-off", () =>
  Effect.gen(function* () {
    const seen: Array<string | undefined> = []
    let starts = 0
    const slow = Bot.conversation("slow", (c) =>
      Effect.gen(function* () {
        yield* c.say("empiezo")
        const done = yield* c.run(
          "work",
          Effect.suspend(() => (++starts < 3 ? Effect.never : Effect.succeed("hecho"))).pipe(
            Effect.onExit((exit) => Effect.sync(() => seen.push(reasonOf(exit))))
          )
        )
        yield* c.say(done)
      })
    )
    const made = yield* TestBot.make(Bot.make("b", [slow], { settle: "1m" }))
    const { bot, mock } = made
    const events = yield* recorded(bot)
    yield* hands(made, "slow")
    yield* TestClock.adjust("59 seconds")
    expect(starts).toBe(1)
    yield* TestClock.adjust("1 second")
    yield* bot.settled
    expect(seen).toEqual(["settle"])
    expect(bot.conversations.list()).toMatchObject([{ state: "cut", step: "main" }])
    expect((yield* events).filter((event) => event._tag === "suspended")).toEqual([
      { _tag: "suspended", key: "ana", reason: "settle" }
    ])
    yield* TestClock.adjust("999 millis")
    expect(starts).toBe(1)
    yield* TestClock.adjust("1 millis")
    expect(starts).toBe(2)
    // Cut again a minute later, and resumed after two seconds.
    yield* TestClock.adjust("62 seconds")
    yield* bot.settled
    expect(starts).toBe(3)
    expect(mock.texts("ana")).toEqual(["empiezo", "hecho"])
    expect(bot.metrics.snapshot().conversationsEnded).toMatchObject({ done: 1 })
  })
)

it.effect("eight cuts of one op end the conversation with CutTooOftenError; a minute is the longest back-off", () =>
  Effect.gen(function* () {
    let starts = 0
    const endless = Flow.make("endless").pipe(
      Flow.run("x", () =>
        Effect.suspend(() => {
          starts++
          return Effect.never
        })
      ),
      Flow.persistent
    )
    const made = yield* TestBot.make(
      Bot.make("b", [Bot.flow(endless, { trigger: "go" }), Bot.onMessage((chat) => chat.reply("nuevo"))], {
        settle: "1m",
        apology: false
      })
    )
    const events = yield* recorded(made.bot)
    const none = made.bot.conversations.timers()
    yield* hands(made, "go")
    // 8 minutes of work and 1 + 2 + 4 + 8 + 16 + 32 + 60 s of waiting.
    yield* TestClock.adjust("602 seconds")
    expect(starts).toBe(8)
    expect(made.bot.conversations.list()).toHaveLength(1)
    yield* TestClock.adjust("1 second")
    yield* made.bot.settled
    expect(made.bot.conversations.list()).toEqual([])
    const all = yield* events
    expect(all.flatMap((event) => (event._tag === "error" ? [event.error._tag] : []))).toEqual(["CutTooOftenError"])
    expect(all.filter((event) => event._tag === "conversation:ended")).toMatchObject([{ outcome: "failed" }])
    expect(made.bot.conversations.timers()).toBe(none)
    expect(yield* made.person("ana").says("hola")).toEqual(["nuevo"])
    yield* TestClock.adjust("1 hour")
    expect(starts).toBe(8)
  })
)

it.effect(
  "code that does not stop is counted overrun, sends and stores nothing more, and its turn is free in time",
  () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const after: Array<string> = []
      let starts = 0
      const stubborn = Bot.conversation(
        "terco",
        (c, chat) =>
          Effect.uninterruptible(
            Effect.gen(function* () {
              const name = yield* c.ask("name", "¿Nombre?")
              if (++starts > 1) return yield* c.say(`Bien, ${name}`)
              yield* Deferred.await(gate)
              for (const act of [
                c.say("tarde"),
                chat.reply("tarde"),
                c.checkpoint({}),
                c.run("r", Effect.succeed(1))
              ]) {
                const exit: Exit.Exit<unknown, unknown> = yield* Effect.exit(act)
                after.push(Exit.isFailure(exit) ? String(Option.getOrThrow(Cause.findErrorOption(exit.cause))) : "done")
              }
              return undefined
            })
          ),
        { persistent: true }
      )
      const made = yield* TestBot.make(
        Bot.make("b", [stubborn, Bot.when("hola", (chat) => chat.reply("hola"))], { settle: "1m" })
      )
      const { bot, mock, person } = made
      const events = yield* recorded(bot)
      expect(yield* person("ana").says("terco")).toEqual(["¿Nombre?"])
      yield* hands(made, "Ana")
      const waits = yield* Effect.forkChild(person("ana").says("otra"))
      yield* TestClock.adjust("65 seconds")
      yield* Fiber.join(waits)
      expect((yield* events).filter((event) => event._tag === "overrun")).toHaveLength(1)
      expect(bot.metrics.snapshot().overruns).toBe(1)
      // A copy took its place: it goes on from its log, the answer is not asked for again.
      yield* TestClock.adjust("2 seconds")
      yield* bot.settled
      expect(mock.texts("ana")).toEqual(["¿Nombre?", "Bien, Ana"])
      yield* Deferred.succeed(gate, undefined)
      yield* TestClock.adjust("1 second")
      yield* bot.settled
      expect(after).toHaveLength(4)
      for (const text of after) expect(text).toContain("LeaseLostError")
      expect(mock.texts("ana")).toEqual(["¿Nombre?", "Bien, Ana"])
      expect(bot.conversations.list()).toEqual([])
      expect(bot.metrics.snapshot().conversationsEnded).toMatchObject({ done: 1, lost: 0 })
    })
)

it.effect("an op the program gives up is cut: it goes on with a turn of its own and never completes in a replay", () =>
  Effect.gen(function* () {
    const store = sharedStore()
    const inbound = makeInbound()
    const text = (body: string) => inbound.text({ chat: "ana", body })
    const offer = Bot.make("b", [
      Bot.conversation(
        "oferta",
        (c) =>
          Effect.gen(function* () {
            const quick = yield* Effect.timeoutOption(c.ask("quick", "¿Rápido?"), "30 seconds")
            yield* c.say(Option.isNone(quick) ? "tarde" : "a tiempo")
            const name = yield* c.ask("name", "¿Nombre?")
            yield* c.say(`Fin ${name}`)
          }),
        { persistent: true }
      )
    ])
    const one = yield* live(offer, { store })
    expect(yield* one.person("ana").does(text("oferta"))).toEqual(["¿Rápido?"])
    yield* TestClock.adjust("30 seconds")
    yield* one.settled
    expect(yield* one.person("ana").sees).toEqual(["tarde", "¿Nombre?"])
    yield* one.stop
    const two = yield* live(offer, { store })
    // The replay waits for the program's own timeout again, without holding the turn; the answer is kept.
    expect(yield* two.person("ana").does(text("Ana"))).toEqual([])
    yield* TestClock.adjust("30 seconds")
    yield* two.settled
    expect(yield* two.person("ana").sees).toEqual(["Fin Ana"])
    expect(two.bot.conversations.list()).toEqual([])
    yield* two.stop
  })
)

it.effect("a program that fails, ends or sleeps after it left a wait by itself is settled like any other", () =>
  Effect.gen(function* () {
    const asks = (name: string, after: Effect.Effect<unknown, unknown>) =>
      Bot.conversation(name, (c) => Effect.andThen(Effect.timeoutOption(c.ask("x", "¿x?"), "10 seconds"), after), {
        persistent: true
      })
    const { bot, person } = yield* TestBot.make(
      Bot.make(
        "b",
        [
          Bot.conversation("falla", (c) => Effect.timeout(c.ask("x", "¿x?"), "10 seconds"), { persistent: true }),
          asks("acaba", Effect.void),
          Bot.conversation("duerme", (c) =>
            Effect.gen(function* () {
              yield* Effect.timeoutOption(c.ask("x", "¿x?"), "10 seconds")
              yield* c.sleep("pausa", "1m")
              yield* c.say("despierto")
            })
          )
        ],
        { apology: false }
      )
    )
    const events = yield* recorded(bot)
    for (const name of ["falla", "acaba", "duerme"]) yield* person(name).says(name)
    yield* TestClock.adjust("10 seconds")
    yield* bot.settled
    expect(bot.conversations.list().map(({ flow, state }) => [flow, state])).toEqual([["duerme", "sleeping"]])
    yield* TestClock.adjust("1 minute")
    yield* bot.settled
    expect(yield* person("duerme").sees).toEqual(["despierto"])
    const all = yield* events
    expect(all.filter((event) => event._tag === "error")).toHaveLength(1)
    expect(all.flatMap((event) => (event._tag === "conversation:ended" ? [[event.flow, event.outcome]] : []))).toEqual([
      ["falla", "failed"],
      ["acaba", "done"],
      ["duerme", "done"]
    ])
  })
)

it.effect("a second op beside an open one fails typed; a run that is tried again keeps its id", () =>
  Effect.gen(function* () {
    const ids: Array<string> = []
    const { person } = yield* TestBot.make(
      Bot.make("b", [
        Bot.conversation("dos", (c) =>
          Effect.gen(function* () {
            const both = yield* Effect.result(
              Effect.all([c.ask("a", "¿a?"), c.ask("b", "¿b?")], { concurrency: "unbounded" })
            )
            yield* c.say(both._tag === "Failure" ? both.failure._tag : "ambas")
          })
        ),
        Bot.conversation("cobra", (c) =>
          Effect.gen(function* () {
            const paid = yield* Effect.retry(
              c.run("pay", (op) =>
                Effect.suspend(() => {
                  ids.push(`${op.id} ${op.attempt}`)
                  return ids.length < 3 ? Effect.fail("no") : Effect.succeed("ok")
                })
              ),
              { times: 5 }
            )
            yield* c.say(paid)
          })
        )
      ])
    )
    expect(yield* person("ana").says("dos")).toEqual(["¿a?", "OpInProgress"])
    expect(yield* person("eva").says("cobra")).toEqual(["ok"])
    expect(new Set(ids.map((id) => id.split(" ")[0])).size).toBe(1)
    expect(ids.map((id) => id.split(" ").at(-1))).toEqual(["1", "2", "3"])
  })
)

it.effect("a failure the program survived is the same failure in a replay", () =>
  Effect.gen(function* () {
    const store = sharedStore()
    const inbound = makeInbound()
    const text = (body: string) => inbound.text({ chat: "ana", body })
    let runs = 0
    const shop = Bot.make("b", [
      Bot.conversation(
        "paga",
        (c) =>
          Effect.gen(function* () {
            const paid = yield* Effect.catchTag(
              c.run(
                "pay",
                Effect.suspend(() =>
                  ++runs === 1 ? Effect.fail({ _tag: "Declined", code: 7 }) : Effect.succeed("pagado")
                )
              ),
              "Declined",
              ({ code }) => Effect.succeed(`rechazado ${code}`)
            )
            const why = yield* c.ask("why", "¿Por qué?")
            yield* c.say(`${paid}: ${why}`)
          }),
        { persistent: true }
      )
    ])
    const one = yield* live(shop, { store })
    expect(yield* one.person("ana").does(text("paga"))).toEqual(["¿Por qué?"])
    yield* one.stop
    const two = yield* live(shop, { store })
    expect(yield* two.person("ana").does(text("sin fondos"))).toEqual(["rechazado 7: sin fondos"])
    expect(runs).toBe(1)
    yield* two.stop
  })
)

const sleepy = Flow.make("sleepy").pipe(
  Flow.say("duermo"),
  Flow.delay("10m"),
  Flow.ask("a", "¿a?"),
  Flow.say(({ a }) => `a=${a}`)
)

it.effect(
  "messages that come while it sleeps are kept for the next question, sixteen of them; commands act at once",
  () =>
    Effect.gen(function* () {
      const { bot, person } = yield* TestBot.make(
        Bot.make("b", [Bot.flow(sleepy, { trigger: "go" }), Bot.command("hora", (chat) => chat.reply("las tres"))])
      )
      const ana = person("ana")
      expect(yield* ana.says("go")).toEqual(["duermo"])
      for (let i = 0; i < 16; i++) expect(yield* ana.says(`m${i}`)).toEqual([])
      expect(bot.conversations.list()).toMatchObject([{ state: "sleeping", queued: 16 }])
      expect(yield* ana.says("m16")).toEqual([])
      expect(bot.metrics.snapshot().dropped["pending-full"]).toBe(1)
      expect(yield* ana.says("/hora")).toEqual(["las tres"])
      yield* TestClock.adjust("10 minutes")
      yield* bot.settled
      expect(yield* ana.sees).toEqual(["a=m0"])
    })
)

it.effect(
  "R16 I25 a sleep whose kept messages are full wakes in time, also when a message brought it back after a restart",
  () =>
    Effect.gen(function* () {
      const store = sharedStore()
      const lasting = Bot.make("b", [Bot.flow(sleepy.pipe(Flow.persistent), { trigger: "go" })], {
        limits: { pending: 2 }
      })
      const one = yield* live(lasting, { store })
      const ana = one.person("ana")
      expect(yield* ana.says("go")).toEqual(["duermo"])
      yield* ana.says("m0")
      yield* ana.says("m1")
      yield* one.stop
      const two = yield* live(lasting, { store })
      expect(yield* two.person("ana").does({ ...makeInbound().text({ chat: "ana", body: "m2", id: "m2" }) })).toEqual(
        []
      )
      expect(two.bot.metrics.snapshot().dropped["pending-full"]).toBe(1)
      yield* TestClock.adjust("10 minutes")
      yield* two.bot.settled
      expect(yield* two.person("ana").sees).toEqual(["a=m0"])
      yield* two.stop
    })
)

it.effect("a message that wakes a sleep on its way is kept once", () =>
  Effect.gen(function* () {
    const store = sharedStore()
    const inbound = makeInbound()
    const text = (body: string) => inbound.text({ chat: "ana", body })
    const flow = Flow.make("f").pipe(
      Flow.ask("a", "¿a?"),
      Flow.delay("1m"),
      Flow.delay("1m"),
      Flow.ask("b", "¿b?"),
      Flow.say(({ a, b }) => `${a}${b}`),
      Flow.persistent
    )
    const definition = Bot.make("b", [Bot.flow(flow, { trigger: "go" }), Bot.onMessage((chat) => chat.reply("?"))])
    const one = yield* live(definition, { store })
    yield* one.person("ana").does(text("go"))
    yield* one.person("ana").does(text("x"))
    yield* one.stop
    yield* TestClock.adjust("1 minute")
    const two = yield* live(definition, { store })
    // The first delay is over: the message wakes it, and it falls into the second.
    yield* two.person("ana").does(text("y"))
    expect(two.bot.conversations.list()).toMatchObject([{ state: "sleeping", queued: 1 }])
    yield* TestClock.adjust("2 minutes")
    yield* two.settled
    expect(yield* two.person("ana").sees).toEqual(["xy"])
    yield* two.stop
  })
)

it.effect(
  "the log of a persistent conversation is bounded and says how to compact it; c.checkpoint loops for ever",
  () =>
    Effect.gen(function* () {
      const loop = (name: string, compact: boolean, persistent: boolean) =>
        Bot.conversation(
          name,
          (c) =>
            Effect.gen(function* () {
              const state: { readonly n?: number } = c.state
              let n = state.n ?? 0
              for (;;) {
                if (compact) yield* c.checkpoint({ n })
                yield* c.run("step", Effect.succeed(n))
                if (++n % 1000 === 0) yield* c.ask("more", `${n}`)
              }
            }),
          { persistent }
        )
      const { bot, person } = yield* TestBot.make(
        Bot.make("b", [loop("full", false, true), loop("compact", true, true), loop("memory", false, false)], {
          apology: false
        })
      )
      const events = yield* recorded(bot)
      expect(yield* person("a").says("full")).toEqual([])
      const errors = (yield* events).flatMap((event) => (event._tag === "error" ? [event.error] : []))
      expect(errors.map((error) => String(error))).toHaveLength(1)
      expect(errors[0]).toMatchObject({ _tag: "LogFull", message: expect.stringContaining("c.checkpoint") })
      for (const name of ["compact", "memory"]) {
        expect(yield* person(name).says(name)).toEqual(["1000"])
        for (const n of [2000, 3000]) expect(yield* person(name).says("más")).toEqual([`${n}`])
      }
    })
)

it.effect("what is not JSON is refused with its name and ends the conversation, its checkpoint too", () =>
  Effect.gen(function* () {
    const flow = Flow.make("f").pipe(Flow.ask("a", "¿a?"), Flow.persistent)
    const { bot, person } = yield* TestBot.make(
      Bot.make(
        "b",
        [
          Bot.flow(flow),
          Bot.conversation("fecha", (c) => c.run("d", Effect.succeed(new Date(0) as unknown as string)), {
            persistent: true
          }),
          Bot.onMessage((chat) => chat.reply("nuevo"))
        ],
        { apology: false }
      )
    )
    const events = yield* recorded(bot)
    yield* person("ana").says("fecha")
    yield* bot.trigger("f", { chatId: "eva", data: { when: new Date(0) } })
    const all = yield* events
    expect(all.flatMap((event) => (event._tag === "error" ? [event.error._tag] : []))).toEqual([
      "NotStorable",
      "NotStorable"
    ])
    expect(all.flatMap((event) => (event._tag === "conversation:ended" ? [event.outcome] : []))).toEqual([
      "failed",
      "failed"
    ])
    expect(yield* person("eva").says("hola")).toEqual(["nuevo"])
  })
)

it.effect("messages kept for a question that never comes are new again once the conversation has ended", () =>
  Effect.gen(function* () {
    const { bot, person } = yield* TestBot.make(
      Bot.make("b", [
        Bot.flow(Flow.make("f").pipe(Flow.delay("10m"), Flow.say("fin")), { trigger: "go" }),
        Bot.when("hola", (chat) => chat.reply("hola")),
        Bot.command("reset", (chat) => chat.abortConversation),
        Bot.onMessage((chat) => chat.reply(`nuevo: ${chat.body}`))
      ])
    )
    const ana = person("ana")
    yield* ana.says("go")
    for (const body of ["hola", "uno", "go"]) yield* ana.says(body)
    yield* TestClock.adjust("10 minutes")
    yield* bot.settled
    expect(yield* ana.sees).toEqual(["fin", "hola", "nuevo: uno"])
    expect(bot.conversations.list()).toMatchObject([{ state: "sleeping", queued: 0 }])
    yield* ana.says("hola")
    expect(yield* ana.says("/reset")).toEqual([])
    yield* TestClock.adjust("10 minutes")
    yield* bot.settled
    expect(yield* ana.sees).toEqual([])
    const { handled, received } = bot.metrics.snapshot()
    expect(handled).toBe(received)
  })
)

it.effect("a conversation that hands its own chat over rests with its deadline until it is given back", () =>
  Effect.gen(function* () {
    const flow = Flow.make("f").pipe(
      Flow.do("ask", (c) => Effect.as(c.chat.handOff("ayuda"), null)),
      Flow.ask("a", "¿a?", { timeout: "10m", onTimeout: { say: "tarde" } }),
      Flow.say(({ a }) => `a=${a}`),
      Flow.persistent
    )
    const { bot, person } = yield* TestBot.make(Bot.make("b", [Bot.flow(flow, { trigger: "go" })]))
    const ana = person("ana")
    expect(yield* ana.says("go")).toEqual(["¿a?"])
    expect(bot.conversations.list()).toMatchObject([{ state: "handoff" }])
    yield* TestClock.adjust("5 minutes")
    expect(yield* ana.says("azul")).toEqual([])
    yield* bot.handoff.end("ana")
    yield* bot.settled
    expect(bot.conversations.list()).toMatchObject([{ state: "waiting", accepts: "a" }])
    yield* TestClock.adjust("9 minutes")
    expect(yield* ana.sees).toEqual([])
    expect(yield* ana.says("azul")).toEqual(["a=azul"])
  })
)
