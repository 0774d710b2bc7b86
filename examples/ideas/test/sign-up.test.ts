import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { MemoryStore, Store } from "@botmesh/core"
import { MockProvider, TestBot } from "@botmesh/core/testing"
import { signUp } from "../src/sign-up.ts"

it.effect("sign-up: asks, checks and branches", () =>
  Effect.gen(function* () {
    const { person } = yield* TestBot.make(signUp)
    const ana = person("ana")
    yield* ana.says("sign up")
    expect(yield* ana.says("A")).toEqual(["At least two letters, please"])
    expect(yield* ana.says("Ana")).toEqual(["How old are you, Ana?"])
    expect(yield* ana.says("seventeen")).toEqual(["Between 18 and 99, please"])
    expect(yield* ana.says("31")).toEqual(["Which plan?"])
    expect(yield* ana.says("max")).toEqual(["Your VAT number?"])
    expect(yield* ana.says("ES123")).toEqual(["Welcome Ana: max (ES123)"])
  })
)

it.effect("sign-up: gives up after too many wrong answers, and waits ten minutes for one", () =>
  Effect.gen(function* () {
    const { person, settled } = yield* TestBot.make(signUp)
    const ana = person("ana")
    for (const text of ["sign up", "Ana", "1", "2"]) yield* ana.says(text)
    expect(yield* ana.says("3")).toEqual([
      "I could not understand your answers, so let us leave it here. Write to me whenever you like."
    ])
    for (const text of ["sign up", "Ana"]) yield* ana.says(text)
    yield* TestClock.adjust("10 minutes")
    yield* settled
    expect(yield* ana.sees).toEqual(["I was waiting for your age. Write “sign up” to start again."])
  })
)

it.effect("sign-up: goes on after a restart, where it was", () =>
  Effect.gen(function* () {
    // Two lives of the bot on one store and one transport.
    const store = Layer.succeed(Store, yield* Effect.provide(Store, MemoryStore.layer()))
    const mock = yield* MockProvider.make()
    const life = <A, E>(body: (ana: TestBot.Person) => Effect.Effect<A, E>) =>
      Effect.scoped(Effect.flatMap(TestBot.make(signUp, { mock, store }), ({ person }) => body(person("ana"))))
    yield* life((ana) => Effect.andThen(ana.says("sign up"), ana.says("Ana")))
    yield* mock.clear
    expect(yield* life((ana) => ana.says("31"))).toEqual(["Which plan?"])
  })
)

it.effect("sign-up: what a person can always say", () =>
  Effect.gen(function* () {
    const { bot, person } = yield* TestBot.make(signUp)
    const ana = person("ana", { lang: "es" })
    for (const text of ["sign up", "Ana"]) yield* ana.says(text)
    expect(yield* ana.says("atrás")).toEqual(["What is your name?"])
    expect(yield* ana.says("Anna")).toEqual(["How old are you, Anna?"])
    expect(yield* ana.says("Cancelar")).toEqual(["Cancelado."])
    expect(bot.metrics.snapshot().conversationsEnded.cancelled).toBe(1)
  })
)
