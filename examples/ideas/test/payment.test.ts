import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { TestBot } from "@botmesh/core/testing"
import { CardRefused, layer, Payments, payment } from "../src/payment.ts"

it.effect("payment: charges once for an order", () =>
  Effect.gen(function* () {
    const { person } = yield* TestBot.make(payment)
    const ana = person("ana")
    yield* ana.says("buy")
    expect(yield* ana.says("pro")).toEqual(["Paid. Receipt pro-1"])
    yield* ana.says("buy")
    expect(yield* ana.says("max")).toEqual(["Paid. Receipt max-2"])
  }).pipe(Effect.provide(layer))
)

it.effect("payment: a refusal is answered where errors are", () =>
  Effect.gen(function* () {
    const { person } = yield* TestBot.make(payment)
    const ana = person("ana")
    yield* ana.says("buy")
    expect(yield* ana.says("pro")).toEqual(["The bank said no (limit)"])
  }).pipe(Effect.provideService(Payments, { charge: () => Effect.fail(new CardRefused({ code: "limit" })) }))
)

it.effect("payment: a charge that was cut runs again under the same key", () => {
  const keys: Array<string> = []
  const slowOnce = Layer.succeed(Payments, {
    charge: (_, { key }) => Effect.as(keys.push(key) === 1 ? Effect.never : Effect.void, "r")
  })
  return Effect.gen(function* () {
    const { mock, person, settled } = yield* TestBot.make(payment)
    const ana = person("ana")
    yield* ana.says("buy")
    yield* mock.deliver(mock.inbound.text({ chat: "ana", body: "pro" }))
    // The bank hangs. After `settle` (1m) the step is cut and resumes by itself.
    yield* TestClock.adjust("2 minutes")
    yield* settled
    expect(yield* ana.sees).toContain("Paid. Receipt r")
    expect(keys).toHaveLength(2)
    expect(new Set(keys).size).toBe(1)
  }).pipe(Effect.provide(slowOnce))
})
