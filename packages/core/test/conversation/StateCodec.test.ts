import { assert, describe, it } from "@effect/vitest"
import { DateTime, Equal, Option, Result, Schema } from "effect"
import { decodeState, encodeState, stateCodec } from "../../src/conversation/StateCodec.ts"

const throughText = <A>(schema: Schema.Schema<A>, value: A): A =>
  Result.getOrThrow(decodeState(schema, JSON.parse(JSON.stringify(Result.getOrThrow(encodeState(schema, value))))))

class Order extends Schema.Class<Order>("Order")({ id: Schema.Int, at: Schema.Date }) {}

describe("state through JSON text", () => {
  it("Date, BigInt, Option, maps, classes and numbers that JSON lacks survive", () => {
    assert.deepStrictEqual(throughText(Schema.Date, new Date(5)), new Date(5))
    assert.deepStrictEqual(throughText(Schema.DateFromString, new Date(5)), new Date(5))
    assert.strictEqual(throughText(Schema.BigInt, 2n ** 70n), 2n ** 70n)
    assert.deepStrictEqual(throughText(Schema.Option(Schema.Int), Option.some(3)), Option.some(3))
    assert.deepStrictEqual(
      throughText(Schema.ReadonlyMap(Schema.String, Schema.Date), new Map([["a", new Date(1)]])),
      new Map([["a", new Date(1)]])
    )
    assert.isNaN(throughText(Schema.Number, Number.NaN))
    const order = throughText(Order, new Order({ id: 1, at: new Date(7) }))
    assert.instanceOf(order, Order)
    assert.deepStrictEqual(order.at, new Date(7))
    assert.isTrue(Equal.equals(throughText(Schema.DateTimeUtc, DateTime.makeUnsafe(9)), DateTime.makeUnsafe(9)))
    assert.deepStrictEqual(throughText(Schema.Struct({ a: Schema.UndefinedOr(Schema.String) }), { a: undefined }), {
      a: undefined
    })
  })

  it("the decoded side is stored, so a one-way transformation is no obstacle", () => {
    assert.deepStrictEqual(encodeState(Schema.NumberFromString, 31), Result.succeed(31))
    assert.deepStrictEqual(encodeState(Schema.FiniteFromString.check(Schema.isInt()), 31), Result.succeed(31))
  })

  it("values that are JSON already pass as the very same", () => {
    const state = { name: "Ana", tags: ["a"] }
    const schema = Schema.Struct({ name: Schema.String, tags: Schema.Array(Schema.String) })
    assert.strictEqual(Result.getOrThrow(encodeState(schema, state)), state)
    assert.strictEqual(Result.getOrThrow(encodeState(undefined, state)), state)
    assert.strictEqual(Result.getOrThrow(decodeState(undefined, state)), state)
    assert.strictEqual(stateCodec(schema), stateCodec(schema))
  })

  it("nothing is stored as nothing", () => {
    assert.deepStrictEqual(encodeState(undefined, undefined), Result.succeed(undefined))
  })

  it.each([
    [new Date(0), "instance of Date"],
    [{ f: () => 1 }, "$.f cannot be stored as JSON: a function"],
    [[undefined], "undefined"],
    [Number.NaN, "NaN"]
  ])("without a schema %o is refused, saying why", (value, reason) => {
    const result = encodeState(undefined, value)
    assert.include(Result.getOrThrow(Result.flip(result)).message, reason)
  })

  it("a stored value that is no longer what the schema says is refused", () => {
    assert.isTrue(Result.isFailure(decodeState(Schema.Int, "31")))
    assert.isTrue(Result.isFailure(decodeState(Schema.Int.check(Schema.isBetween({ minimum: 18, maximum: 99 })), 7)))
    assert.isTrue(Result.isFailure(decodeState(Schema.Date, "soon")))
    assert.isTrue(Result.isFailure(decodeState(Schema.Struct({ a: Schema.Int }), {})))
  })

  const Everything = Schema.Struct({
    name: Schema.String,
    age: Schema.Int,
    ratio: Schema.Number,
    big: Schema.BigInt,
    at: Schema.Date,
    maybe: Schema.Option(Schema.String),
    list: Schema.Array(Schema.Union([Schema.Boolean, Schema.Null])),
    extra: Schema.optionalKey(Schema.Json)
  })
  it.prop("whatever the schema allows comes back equal, but for the sign of zero", [Everything], ([state]) => {
    const back = throughText(Everything, state)
    assert.deepStrictEqual(
      JSON.stringify(Result.getOrThrow(encodeState(Everything, back))),
      JSON.stringify(Result.getOrThrow(encodeState(Everything, state)))
    )
    assert.deepStrictEqual(
      [back.name, back.age, back.big, back.at, back.maybe],
      [state.name, state.age + 0, state.big, state.at, state.maybe]
    )
  })
})
