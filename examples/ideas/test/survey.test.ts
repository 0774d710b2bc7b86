import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { MemoryStore, Store } from "@botmesh/core"
import { MockProvider, TestBot } from "@botmesh/core/testing"
import { survey } from "../src/survey.ts"

it.effect("survey: a program that asks", () =>
  Effect.gen(function* () {
    const { person } = yield* TestBot.make(survey)
    const [ana, luis] = [person("ana"), person("luis")]
    yield* ana.says("survey")
    expect(yield* ana.says("5")).toEqual(["Noted at 0: 5 stars. Your coupon: THANKS-5"])
    yield* luis.says("survey")
    expect(yield* luis.says("2")).toEqual(["What went wrong?"])
    expect(yield* luis.says("cold")).toEqual(["Noted at 0: 2 stars (cold). Your coupon: THANKS-2"])
  })
)

it.effect("survey: reminds once of a question that nobody answers", () =>
  Effect.gen(function* () {
    const { person, settled } = yield* TestBot.make(survey)
    const ana = person("ana")
    yield* ana.says("survey")
    yield* TestClock.adjust("3 hours")
    yield* settled
    expect(yield* ana.sees).toEqual(["Are you still there? Two more questions."])
    expect(yield* ana.says("4")).toHaveLength(1)
  })
)

it.effect("survey: a restart in the middle repeats nothing", () =>
  Effect.gen(function* () {
    const store = Layer.succeed(Store, yield* Effect.provide(Store, MemoryStore.layer()))
    const mock = yield* MockProvider.make()
    const life = <A, E>(body: (ana: TestBot.Person) => Effect.Effect<A, E>) =>
      Effect.scoped(Effect.flatMap(TestBot.make(survey, { mock, store }), ({ person }) => body(person("ana"))))
    yield* life((ana) => Effect.andThen(ana.says("survey"), ana.says("2")))
    yield* life((ana) => ana.says("cold"))
    expect(mock.texts("ana")).toEqual([
      "From 1 to 5?",
      "What went wrong?",
      "Noted at 0: 2 stars (cold). Your coupon: THANKS-2"
    ])
  })
)
