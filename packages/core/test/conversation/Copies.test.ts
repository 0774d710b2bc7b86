/** What a program does to a value it holds never reaches what a replay begins from. */
import { Bot, Flow } from "@botmesh/core"
import { TestBot } from "@botmesh/core/testing"
import { expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { live, sharedStore } from "./lives.ts"

const cart = Bot.make("b", [
  Bot.conversation(
    "cart",
    (c) =>
      Effect.gen(function* () {
        const items = yield* c.run(
          "load",
          Effect.sync((): Array<string> => [])
        )
        for (;;) {
          const item = yield* c.ask("item", `¿Qué? (${items.length})`)
          if (item === "fin") break
          items.push(item)
        }
        yield* c.say(items.join(","))
      }),
    { persistent: true }
  )
])

it.effect("R2, R22: the result of a run is what it gave, whatever the program does to it, also after a restart", () =>
  Effect.gen(function* () {
    const store = sharedStore()
    const one = yield* live(cart, { store })
    for (const word of ["cart", "a", "b"]) yield* one.person("ana").says(word)
    yield* one.stop
    const two = yield* live(cart, { store })
    expect(yield* two.person("ana").says("c")).toEqual(["¿Qué? (3)"])
    expect(yield* two.person("ana").says("fin")).toEqual(["a,b,c"])
    yield* two.stop
  })
)

it.effect("R2, R22: the same when it was dormant twice in one process", () =>
  Effect.gen(function* () {
    const { bot, person, settled } = yield* TestBot.make(cart)
    const ana = person("ana")
    for (const word of ["cart", "a", "b"]) yield* ana.says(word)
    for (const word of ["c", "fin"]) {
      yield* TestClock.adjust("11 minutes")
      yield* settled
      expect(bot.conversations.list()).toEqual([])
      expect(yield* ana.says(word)).toEqual([word === "fin" ? "a,b,c" : "¿Qué? (3)"])
    }
  })
)

it.effect("R22: a checkpoint is the state as it was given", () =>
  Effect.gen(function* () {
    const bot = Bot.make("b", [
      Bot.flow(
        Flow.make("cart", { input: Schema.Struct({ items: Schema.Array(Schema.String) }) }).pipe(
          Flow.do("total", (c) =>
            Effect.gen(function* () {
              const items = [...c.state.items]
              for (;;) {
                yield* c.checkpoint({ items })
                const item = yield* c.ask("item", `¿Qué? (${items.length})`)
                if (item === "fin") return items.join(",")
                items.push(item)
                yield* c.ask("more", "¿Más?")
              }
            })
          ),
          Flow.say(({ total }) => total),
          Flow.persistent
        )
      ),
      Bot.when("go", (chat) => chat.trigger("cart", { data: { items: ["z"] } }))
    ])
    const store = sharedStore()
    const one = yield* live(bot, { store })
    for (const word of ["go", "a"]) yield* one.person("ana").says(word)
    yield* one.stop
    const two = yield* live(bot, { store })
    expect(yield* two.person("ana").says("sí")).toEqual(["¿Qué? (2)"])
    expect(yield* two.person("ana").says("fin")).toEqual(["z,a"])
    yield* two.stop
  })
)

class Basket extends Schema.Class<Basket>("Basket")({ items: Schema.mutable(Schema.Array(Schema.String)) }) {}

for (const persistent of [true, false]) {
  it.effect(
    `R22: c.state is that of step entry, copied for the program that changes it (persistent ${persistent})`,
    () =>
      Effect.gen(function* () {
        const plain: Array<string> = ["x"]
        const sizes: Array<string> = []
        const flow = Flow.make("f").pipe(
          Flow.run("plain", () => Effect.succeed(plain)),
          Flow.run("basket", () => Effect.succeed(new Basket({ items: [] })), { result: Basket }),
          Flow.do("q", (c) =>
            Effect.gen(function* () {
              plain.push("y")
              c.state.plain.push("a")
              c.state.basket.items.push("b")
              sizes.push(`${c.state.plain.join("")} ${c.state.basket.items.length}`)
              const answer = yield* c.ask("q", "¿Q?")
              // Cut by the settle limit twice, and replayed.
              if (sizes.length < 3) yield* Effect.sleep("90 seconds")
              return answer
            })
          ),
          Flow.say(({ plain, basket, q }) => `${plain.join()} ${basket instanceof Basket} ${basket.items.length} ${q}`)
        )
        const { bot, mock, person, settled } = yield* TestBot.make(
          Bot.make("b", [Bot.flow(persistent ? Flow.persistent(flow) : flow, { trigger: "go" })], { settle: "1m" })
        )
        const ana = person("ana")
        yield* ana.says("go")
        yield* mock.deliver(mock.inbound.text({ chat: "ana", body: "sí" }))
        for (let i = 0; i < 30; i++) yield* TestClock.adjust("1 minute")
        yield* settled
        expect(sizes.length).toBeGreaterThan(1)
        expect(new Set(sizes)).toEqual(new Set(["xa 1"]))
        expect(bot.conversations.list()).toEqual([])
      })
  )
}
