import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { findNotJson, isPlainJson } from "../../src/model/PlainJson.ts"

class Point {
  readonly x = 1
}
class Items extends Array<number> {}
const withHole: Array<number> = []
withHole[2] = 1
const cyclic: Record<string, unknown> = { a: {} }
cyclic["b"] = { c: [cyclic] }
const nested = (depth: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}
const doubling = (levels: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = [value, value]
  return value
}

describe("plain JSON", () => {
  it.each([
    [{ a: new Date(0) }, "$.a", "an instance of Date"],
    [{ a: [new Point()] }, "$.a[0]", "an instance of Point"],
    [new Map(), "$", "an instance of Map"],
    [Items.of(1), "$", "an instance of Items"],
    [{ "a b": () => 1 }, '$["a b"]', "a function"],
    [{ toJSON: () => 1 }, "$.toJSON", "a function"],
    [[1, undefined], "$[1]", "undefined"],
    [undefined, "$", "undefined"],
    [{ a: { b: Number.NaN } }, "$.a.b", "NaN is no JSON number"],
    [Number.POSITIVE_INFINITY, "$", "Infinity is no JSON number"],
    [[5n], "$[0]", "a bigint"],
    [Symbol("s"), "$", "a symbol"],
    [{ [Symbol("s")]: 1 }, "$", "a symbol as key"],
    [withHole, "$", "an array with holes or keys of its own"],
    [cyclic, "$.b.c[0]", "a cycle"],
    [Object("boxed"), "$", "an instance of String"]
  ])("%o cannot be stored: %s is %s", (value, path, reason) => {
    assert.deepStrictEqual(findNotJson(value), { path, reason })
    assert.isFalse(isPlainJson(value))
  })

  it.each([
    ["text"],
    [""],
    [0],
    [-1.5],
    [true],
    [null],
    [[]],
    [{}],
    [{ a: [1, { b: null }] }],
    [Object.create(null)],
    [{ a: undefined }],
    [JSON.parse('{"__proto__":1}')]
  ])("%o can", (value) => assert.isTrue(isPlainJson(value)))

  it("a value that appears twice is no cycle", () => {
    const shared = { a: 1 }
    assert.isTrue(isPlainJson([shared, shared, { shared }]))
  })

  it("depth and size are bounded, whatever the shape", () => {
    assert.isTrue(isPlainJson(nested(64)))
    assert.include(findNotJson(nested(65))?.reason, "deeper than 64")
    assert.include(findNotJson(nested(100_000))?.reason, "deeper")
    assert.isFalse(isPlainJson(nested(3), { depth: 2 }))
    assert.include(findNotJson(doubling(60))?.reason, "too large")
    assert.isFalse(
      isPlainJson(
        Array.from({ length: 11 }, () => 1),
        { size: 11 }
      )
    )
  })

  it.prop("JSON is plain, and stays so through text", [Schema.Json], ([json]) => {
    const plain = isPlainJson(json)
    return plain && isPlainJson(JSON.parse(JSON.stringify(json)))
  })
})
