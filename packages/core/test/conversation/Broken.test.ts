/** What a failure that a program survives leaves in the log of its step. */
import { Bot } from "@botmesh/core"
import { InvalidContent, Transient } from "@botmesh/core/spi"
import { TestBot } from "@botmesh/core/testing"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { live, sharedStore } from "./lives.ts"

const twoWords = Bot.make("b", [
  Bot.conversation(
    "go",
    (c) =>
      Effect.gen(function* () {
        yield* Effect.ignore(c.say("uno"))
        yield* c.say("dos")
        const a = yield* c.ask("a", "¿a?")
        const b = yield* c.ask("b", "¿b?")
        yield* c.say(`fin ${a} ${b}`)
      }),
    { persistent: true }
  ),
  Bot.onMessage((chat) => chat.reply("eco"))
])

it.effect("R22, R1: a say after one that failed and was survived is a say of its own, also after a restart", () =>
  Effect.gen(function* () {
    const store = sharedStore()
    const one = yield* live(twoWords, { store })
    yield* one.mock.faults.fail(new InvalidContent({ detail: "planned" }), 1)
    expect(yield* one.person("ana").says("go")).toEqual(["dos", "¿a?"])
    expect(one.mock.sent().map(({ message }) => message.key?.split(":").at(-1))).toEqual(["say#2", "a"])
    expect(yield* one.person("ana").says("1")).toEqual(["¿b?"])
    yield* one.stop
    const two = yield* live(twoWords, { store })
    expect(yield* two.person("ana").says("2")).toEqual(["fin 1 2"])
    yield* two.stop
  })
)

it.effect("R22: the same when it was dormant in one process", () =>
  Effect.gen(function* () {
    const { bot, mock, person, settled } = yield* TestBot.make(twoWords)
    yield* mock.faults.fail(new InvalidContent({ detail: "planned" }), 1)
    yield* person("ana").says("go")
    yield* person("ana").says("1")
    yield* TestClock.adjust("11 minutes")
    yield* settled
    expect(bot.conversations.list()).toEqual([])
    expect(yield* person("ana").says("2")).toEqual(["fin 1 2"])
  })
)

it.effect(
  "R16: a step that is tried again tells what it survived, and tries the send that ended it under its own key",
  () =>
    Effect.gen(function* () {
      const { mock, person, settled } = yield* TestBot.make(twoWords)
      yield* mock.faults.fail(new Transient({ detail: "planned" }), 2)
      const ana = person("ana")
      expect(yield* ana.says("go")).toEqual([])
      yield* TestClock.adjust("1 minute")
      yield* settled
      expect(yield* ana.sees).toEqual(["dos", "¿a?"])
      expect(mock.sent().map(({ message }) => message.key?.split(":").at(-1))).toEqual(["say#2", "a"])
    })
)

it.effect("R22: a run that failed and was survived, then another under the same name: both as they were", () =>
  Effect.gen(function* () {
    const store = sharedStore()
    let runs = 0
    const bot = Bot.make("b", [
      Bot.conversation(
        "go",
        (c) =>
          Effect.gen(function* () {
            yield* c.ask("a", "¿a?")
            const one = yield* Effect.option(
              c.run(
                "x",
                Effect.suspend(() => (++runs === 1 ? Effect.fail("no") : Effect.succeed(runs)))
              )
            )
            const two = yield* c.run(
              "x",
              Effect.sync(() => ++runs)
            )
            yield* c.ask("b", "¿b?")
            yield* c.say(`fin ${one._tag} ${two}`)
          }),
        { persistent: true }
      )
    ])
    const first = yield* live(bot, { store })
    yield* first.person("ana").says("go")
    expect(yield* first.person("ana").says("1")).toEqual(["¿b?"])
    yield* first.stop
    const second = yield* live(bot, { store })
    expect(yield* second.person("ana").says("2")).toEqual(["fin None 2"])
    expect(runs).toBe(2)
    yield* second.stop
  })
)

it.effect("R2, R22: a run tried again keeps its id, in a replay too; one begun after something else has its own", () =>
  Effect.gen(function* () {
    const store = sharedStore()
    const ids: Array<string> = []
    const bot = Bot.make("b", [
      Bot.conversation(
        "paga",
        (c) =>
          Effect.gen(function* () {
            const pay = c.run("pay", (op) =>
              Effect.suspend(() => {
                ids.push(`${op.id.split(":").at(-1)} ${op.attempt}`)
                return ids.length % 3 === 0 ? Effect.succeed(ids.length) : Effect.fail("no")
              })
            )
            const one = yield* Effect.retry(pay, { times: 5 })
            yield* c.ask("otra", "¿Otra?")
            const two = yield* Effect.retry(pay, { times: 5 })
            const name = yield* c.ask("name", "¿Nombre?")
            yield* c.say(`${name} ${one} ${two}`)
          }),
        { persistent: true }
      )
    ])
    const first = yield* live(bot, { store })
    expect(yield* first.person("ana").says("paga")).toEqual(["¿Otra?"])
    yield* first.stop
    const second = yield* live(bot, { store })
    expect(yield* second.person("ana").says("sí")).toEqual(["¿Nombre?"])
    yield* second.stop
    const third = yield* live(bot, { store })
    expect(yield* third.person("ana").says("Ana")).toEqual(["Ana 3 6"])
    yield* third.stop
    expect(ids).toEqual(["pay 1", "pay 2", "pay 3", "pay#4 1", "pay#4 2", "pay#4 3"])
  })
)

it.effect("R22: failures weigh in the log like results", () =>
  Effect.gen(function* () {
    let tries = 0
    const { bot, person } = yield* TestBot.make(
      Bot.make("b", [
        Bot.conversation(
          "go",
          (c) =>
            Effect.gen(function* () {
              for (let i = 0; i < 100; i++) {
                const failing = Effect.suspend(() => Effect.fail(new Error(`${++tries}`.padEnd(10_000, "e"))))
                yield* Effect.catchTag(
                  c.run(`x${i}`, failing),
                  "LogFull",
                  () => c.end(`lleno tras ${i}`),
                  () => Effect.void
                )
              }
            }),
          { persistent: true }
        )
      ])
    )
    expect(yield* person("ana").says("go")).toEqual(["lleno tras 7"])
    expect(bot.conversations.list()).toEqual([])
    expect(tries).toBe(7)
  })
)
