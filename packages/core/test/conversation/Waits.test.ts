import { expect, it } from "@effect/vitest"
import { Bot, Flow, MemoryStore } from "@botmesh/core"
import { type StoreDriver, StoreError } from "@botmesh/core/spi"
import { makeInbound, TestBot } from "@botmesh/core/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { live, recorded, sharedStore } from "./lives.ts"

const question = (timeout: string) =>
  Flow.make("q").pipe(
    Flow.ask("a", "¿a?", { timeout, onTimeout: { say: "tarde" } }),
    Flow.say(({ a }) => `a=${a}`),
    Flow.persistent
  )
const asking = (timeout: string) =>
  Bot.make("b", [
    Bot.flow(question(timeout), { trigger: "go" }),
    Bot.command("lento", () => Effect.sleep("30 seconds")),
    Bot.onMessage((chat) => chat.reply(`nuevo: ${chat.body}`))
  ])

it.effect("R24: a message queued before the deadline is the answer, one that came after it is routed as new", () =>
  Effect.gen(function* () {
    const { bot, mock, person } = yield* TestBot.make(asking("1m"))
    const ana = person("ana")
    const text = (body: string) => Effect.orDie(mock.deliver(mock.inbound.text({ chat: "ana", body })))
    yield* ana.says("go")
    yield* TestClock.adjust("50 seconds")
    // The turn is held over the deadline; the answer waits behind it since before.
    yield* text("/lento")
    yield* TestClock.adjust("5 seconds")
    yield* text("azul")
    yield* TestClock.adjust("1 minute")
    yield* bot.settled
    expect(yield* ana.sees).toEqual(["a=azul"])

    yield* ana.says("go")
    yield* TestClock.adjust("50 seconds")
    yield* text("/lento")
    yield* TestClock.adjust("15 seconds")
    yield* text("verde")
    yield* TestClock.adjust("1 minute")
    yield* bot.settled
    expect(yield* ana.sees).toEqual(["tarde", "nuevo: verde"])
    expect(bot.metrics.snapshot().conversationsEnded).toMatchObject({ done: 2 })
  })
)

it.effect("C23: a restart does not start a wait again; the store wakes what is dormant in time", () =>
  Effect.gen(function* () {
    const store = sharedStore()
    const inbound = makeInbound()
    const text = (chat: string, body: string) => inbound.text({ chat, body })
    const definition = asking("30m")
    const one = yield* live(definition, { store })
    for (const chat of ["ana", "eva"]) yield* one.person(chat).does(text(chat, "go"))
    yield* TestClock.adjust("20 minutes")
    // Dormant since ten minutes after they were asked.
    expect(one.bot.conversations.list()).toEqual([])
    yield* one.stop
    const two = yield* live(definition, { store })
    yield* TestClock.adjust("9 minutes")
    expect(yield* two.person("eva").does(text("eva", "azul"))).toEqual(["a=azul"])
    yield* TestClock.adjust("59 seconds")
    yield* two.settled
    expect(yield* two.person("ana").sees).toEqual([])
    yield* TestClock.adjust("1 second")
    yield* two.settled
    expect(yield* two.person("ana").sees).toEqual(["tarde"])
    yield* two.stop
  })
)

it.effect("a conversation parked for ten minutes gives its fiber up, and answers as before", () =>
  Effect.gen(function* () {
    const finalizers: Array<string> = []
    const { bot, person } = yield* TestBot.make(
      Bot.make("b", [
        Bot.conversation(
          "larga",
          (c) =>
            Effect.gen(function* () {
              const a = yield* c.ask("a", "¿a?")
              const b = yield* c.ask("b", "¿b?")
              yield* c.say(`${a}${b}`)
            }).pipe(Effect.onInterrupt(() => Effect.sync(() => finalizers.push("parado")))),
          { persistent: true }
        )
      ])
    )
    const ana = person("ana")
    yield* ana.says("larga")
    yield* ana.says("1")
    yield* TestClock.adjust("9 minutes")
    expect(bot.conversations.list()).toHaveLength(1)
    yield* TestClock.adjust("1 minute")
    yield* bot.settled
    expect(bot.conversations.list()).toEqual([])
    expect(bot.conversations.timers()).toBe(0)
    expect(finalizers).toEqual(["parado"])
    expect(bot.metrics.snapshot().conversationsEnded).toMatchObject({ done: 0, lost: 0 })
    expect(yield* ana.says("2")).toEqual(["12"])
  })
)

it.effect("reminders are said once a wait, in flows and by c.idle, and survive a restart", () =>
  Effect.gen(function* () {
    const store = sharedStore()
    const inbound = makeInbound()
    const text = (chat: string, body: string) => inbound.text({ chat, body })
    const definition = Bot.make("b", [
      Bot.flow(
        Flow.make("f").pipe(
          Flow.ask("a", "¿a?", {
            idle: { after: "1m", say: "¿sigues?" },
            validate: (a) => a !== "no",
            invalid: "otra"
          }),
          Flow.ask("b", "¿b?"),
          Flow.persistent
        ),
        { trigger: "flow" }
      ),
      Bot.conversation(
        "libre",
        (c) =>
          Effect.gen(function* () {
            yield* c.idle("1m", "¿hola?")
            yield* c.ask("a", "¿a?")
            yield* c.ask("b", "¿b?")
          }),
        { persistent: true }
      )
    ])
    const one = yield* live(definition, { store })
    const [ana, eva] = [one.person("ana"), one.person("eva")]
    yield* ana.does(text("ana", "flow"))
    yield* eva.does(text("eva", "libre"))
    yield* TestClock.adjust("5 minutes")
    yield* one.settled
    expect(yield* ana.sees).toEqual(["¿sigues?"])
    expect(yield* eva.sees).toEqual(["¿hola?"])
    expect(yield* ana.does(text("ana", "no"))).toEqual(["otra"])
    expect(yield* eva.does(text("eva", "x"))).toEqual(["¿b?"])
    yield* TestClock.adjust("50 seconds")
    yield* one.stop
    const two = yield* live(definition, { store })
    yield* TestClock.adjust("10 seconds")
    yield* two.settled
    expect(yield* two.person("ana").sees).toEqual(["¿sigues?"])
    expect(yield* two.person("eva").sees).toEqual(["¿hola?"])
    expect(yield* two.person("ana").does(text("ana", "sí"))).toEqual(["¿b?"])
    yield* TestClock.adjust("5 minutes")
    yield* two.settled
    expect(yield* two.person("ana").sees).toEqual([])
    yield* two.stop
  })
)

it.effect("a held chat stays silent whatever comes due in it, dormant or not, over a restart", () =>
  Effect.gen(function* () {
    const store = sharedStore()
    const inbound = makeInbound()
    const text = (chat: string, body: string) => inbound.text({ chat: "g", sender: chat, group: true, body })
    const definition = asking("30m")
    const one = yield* live(definition, { store })
    for (const sender of ["ana", "eva"]) yield* one.person(sender, { chat: "g" }).does(text(sender, "go"))
    yield* TestClock.adjust("15 minutes")
    expect(one.bot.conversations.list()).toEqual([])
    yield* one.bot.handoff.start("g")
    yield* TestClock.adjust("2 hours")
    yield* one.settled
    yield* one.stop
    const two = yield* live(definition, { store })
    yield* TestClock.adjust("2 hours")
    yield* two.settled
    const ana = two.person("ana", { chat: "g" })
    expect(yield* ana.sees).toEqual([])
    expect(yield* two.bot.handoff.end("g")).toBe(true)
    yield* two.settled
    yield* TestClock.adjust("14 minutes")
    yield* two.settled
    expect(yield* ana.sees).toEqual([])
    yield* TestClock.adjust("90 seconds")
    yield* two.settled
    expect(yield* ana.sees).toEqual(["tarde", "tarde"])
    yield* two.stop
  })
)

/** A store whose checkpoint writes fail while `broken` says so. */
const fragile = () => {
  const driver = MemoryStore.make()
  const state = { broken: false }
  const fails: StoreDriver = {
    ...driver,
    putCheckpoint: (...args) =>
      state.broken
        ? Effect.fail(new StoreError({ store: "memory", operation: "put", reason: "unavailable", detail: "down" }))
        : driver.putCheckpoint(...args)
  }
  return { state, store: sharedStore(fails) }
}

it.effect(
  "R6: a write that fails drops the live copy and nothing else; what is stored goes on once it can be read",
  () =>
    Effect.gen(function* () {
      const { state, store } = fragile()
      const flow = Flow.make("f").pipe(
        Flow.ask("a", "¿a?"),
        Flow.ask("b", "¿b?"),
        Flow.say(({ a, b }) => `${a}${b}`),
        Flow.persistent
      )
      const { bot, person } = yield* TestBot.make(
        Bot.make("b", [Bot.flow(flow, { trigger: "go" })], { apology: false }),
        {
          store
        }
      )
      const events = yield* recorded(bot)
      const ana = person("ana")
      yield* ana.says("go")
      state.broken = true
      expect(yield* ana.says("1")).toEqual([])
      expect(bot.conversations.list()).toEqual([])
      state.broken = false
      expect(yield* ana.says("1")).toEqual(["¿b?"])
      expect(yield* ana.says("2")).toEqual(["12"])
      const all = yield* events
      expect(all.flatMap((event) => (event._tag === "error" ? [event.error._tag] : []))).toEqual(["StoreError"])
      expect(all.filter((event) => event._tag === "conversation:ended")).toMatchObject([{ outcome: "done" }])
    })
)

it.effect("R6, C11: a checkpoint somebody else has moved on is refused, and the copy that wrote it is gone", () =>
  Effect.gen(function* () {
    const store = sharedStore()
    const inbound = makeInbound()
    const text = (body: string) => inbound.text({ chat: "ana", body })
    const flow = Flow.make("f").pipe(
      Flow.ask("a", "¿a?"),
      Flow.ask("b", "¿b?"),
      Flow.say(({ a, b }) => `${a}${b}`),
      Flow.persistent
    )
    const definition = Bot.make("b", [Bot.flow(flow, { trigger: "go" })], { apology: false })
    const one = yield* live(definition, { store })
    const two = yield* live(definition, { store })
    yield* one.person("ana").does(text("go"))
    expect(yield* two.person("ana").does(text("1"))).toEqual(["¿b?"])
    const events = yield* recorded(one.bot)
    expect(yield* one.person("ana").does(text("viejo"))).toEqual([])
    expect(one.bot.conversations.list()).toEqual([])
    const all = yield* events
    expect(all.filter((event) => event._tag === "conversation:ended")).toMatchObject([{ outcome: "lost" }])
    expect(all.flatMap((event) => (event._tag === "error" ? [event.error._tag] : []))).toEqual(["LeaseLostError"])
    expect(yield* two.person("ana").does(text("2"))).toEqual(["12"])
    yield* one.stop
    yield* two.stop
  })
)
