import { describe, expect, it } from "@effect/vitest"
import { compileExpression, type Expression } from "@botmesh/flows"
import { Result } from "effect"
import { Dice } from "../kit/Dice.ts"
import { interpret, print, someTree, someWorld } from "../kit/Expressions.ts"
import { answerRoots, momentOf } from "../kit/Moment.ts"

const compiled = (source: string): Expression => Result.getOrThrow(compileExpression(source, { names: answerRoots }))
const value = (source: string, state: Readonly<Record<string, unknown>> = {}, body = "hola"): unknown =>
  compiled(source).evaluate(state, momentOf({ body }))
const failure = (source: string) => {
  const result = compileExpression(source)
  return Result.isFailure(result) ? result.failure : expect.unreachable(`${source} compiles`)
}

describe("E5: values", () => {
  it("literals, paths and precedence", () => {
    expect(value("1 + 2 - 4")).toBe(-1)
    expect(value('"a" + 1 + true + null')).toBe("a1true")
    expect(value("1 + 1 == 2 && !false || false")).toBe(true)
    expect(value("-a + 3", { a: 1 })).toBe(2)
    expect(value("--a", { a: 1 })).toBe(1)
    expect(value("order.items[1].name", { order: { items: [{}, { name: "té" }] } })).toBe("té")
    expect(value("'it\\'s' + \"\\u00e9\\n\"")).toBe("it's\u00e9\n")
    expect(value('$state["user-name"]', { "user-name": "Ana" })).toBe("Ana")
    expect(value("a.b", { "a.b": "whole", a: { b: "parts" } })).toBe("whole")
  })

  it("the message and the answer", () => {
    expect(value("$body == 'hola' && $from == $sender && !$isGroup")).toBe(true)
    expect(value("len($answer) > 1", {}, "  ")).toBe(true)
    expect(compiled("$answer").evaluate({}, momentOf({ body: "Pro", payload: "pro" }))).toBe("pro")
  })

  it("operators give the operand, as the guide says", () => {
    expect(value("name || 'amigo'", { name: "" })).toBe("amigo")
    expect(value("name && len(name)", { name: "Ana" })).toBe(3)
    expect(value("a == null", {})).toBe(true)
  })

  it("nothing converts by itself, nothing fails", () => {
    expect(value("a == 18", { a: "18" })).toBe(false)
    expect(value("a < 20", { a: "18" })).toBe(false)
    expect(value("20 > a", { a: null })).toBe(false)
    expect(value("a + b", { a: null, b: 1 })).toBe(null)
    expect(value("a - 1", { a: "2" })).toBe(null)
    expect(value("number(a) >= 18", { a: "١٨" })).toBe(true)
    expect(value("number('1.234')")).toBe(null)
    expect(value("a == b", { a: [1], b: [1] })).toBe(false)
    expect(value("a + b", { a: 1.7e308, b: 1.7e308 })).toBe(null)
  })

  it("functions", () => {
    expect(value("len('👍é')")).toBe(2)
    expect(value("len(a) + len(b) + len(c)", { a: [1, 2], b: { x: 1 }, c: 123 })).toBe(6)
    expect(value("lower('ÁB') + upper('ñ') + trim('  x ')")).toBe("ábÑx")
    expect(value("contains(a, 'b') && contains('abc', 'bc') && !contains('abc', '')", { a: ["a", "b"] })).toBe(true)
    expect(value("startsWith('hola', 'ho') && endsWith('hola', 'la') && !startsWith('a', null)")).toBe(true)
    expect(value("oneOf(plan, 'pro', 'max')", { plan: "max" })).toBe(true)
    expect(value("oneOf(plan, 'pro', 'max', other)", { plan: "x", other: "x" })).toBe(true)
    expect(value("oneOf(plan, 'a', 'b', 'c')", { plan: "c" })).toBe(true)
    expect(value("oneOf(plan, null, 1)", {})).toBe(true)
    expect(value("string(1.5) + string(a)", { a: [1, "x", null] })).toBe("1.51, x, ")
  })
})

it("DOC-06: what counts as empty never changes", () => {
  const table: ReadonlyArray<readonly [unknown, boolean]> = [
    [undefined, true],
    [null, true],
    ["", true],
    [" ", true],
    [0, false],
    [false, false],
    [[], true],
    [{}, false],
    ["0", false]
  ]
  for (const [x, empty] of table) {
    const state: Readonly<Record<string, unknown>> = x === undefined ? {} : { x: JSON.parse(JSON.stringify(x)) }
    expect([x, value("empty(x)", state)]).toEqual([x, empty])
  }
})

it("DOC-04: expressions read own properties only", () => {
  const state = { a: {}, list: [1], text: "abc" }
  for (const source of [
    "constructor",
    "a.constructor.name",
    "__proto__",
    "toString",
    "a.__proto__",
    "hasOwnProperty",
    "list.length",
    "list.map",
    "text.length",
    "$state['__proto__']",
    "$body.length",
    "$state['constructor']['prototype']"
  ]) {
    expect([source, value(source, state)]).toEqual([source, null])
  }
  expect(value("len(constructor)", state)).toBe(0)
  expect(value("inherited", Object.create({ inherited: 1 }))).toBe(null)
  expect(value("f", { f: () => 1 })).toBe(null)
  expect(value("__proto__.x", JSON.parse('{"__proto__":{"x":1}}'))).toBe(1)
})

describe("E5: problems are told with their place", () => {
  it.each([
    ["", "empty", 0],
    ["   ", "empty", 3],
    ["a b", "operator", 2],
    ["a = 1", '"="', 2],
    ["a === 1", '"==="', 2],
    ["a & b", '"&"', 2],
    ["'abc", "closed", 0],
    ["'\\x'", "escape", 1],
    ["(a", '")"', 2],
    ["len(a", '","', 5],
    ["len()", "takes 1 argument", 0],
    ["oneOf(a)", "takes 2 or more", 0],
    ["lenn(a)", 'no function "lenn"', 0],
    ["$boddy", "$boddy", 0],
    ["$answer", "$answer", 0],
    ["a < b < c", "chain", 6],
    ["a.", "name", 2],
    ["a[b]", "number", 2],
    ["1x", "number", 1],
    ["a @ b", '"@"', 2],
    ["a.b.👍", '"👍"', 4],
    ["$state", "key", 0]
  ])("%s", (source, problem, at) => {
    const error = failure(source)
    expect(error.problem).toContain(problem)
    expect(error.at).toBe(at)
  })

  it("suggests what may have been meant", () => {
    expect(failure("lenn(a)").suggestion).toBe("len")
    expect(failure("$boddy").suggestion).toBe("$body")
    expect(failure("startswith(a, 'x')").suggestion).toBe("startsWith")
    expect(failure("eval('1')").suggestion).toBe(undefined)
  })
})

describe("DOC-08: depth and length are bounded", () => {
  it.each([
    ["parentheses", `${"(".repeat(500)}1${")".repeat(500)}`.slice(0, 1000)],
    ["nots", `${"!".repeat(999)}a`],
    ["signs", `${"-".repeat(999)}a`],
    ["calls", `${"len(".repeat(100)}a${")".repeat(100)}`]
  ])("%s", (_, source) => {
    expect(failure(source).problem).toContain("nested deeper than 64")
  })
  it("at the bounds", () => {
    expect(value(`${"!".repeat(64)}a`, { a: 1 })).toBe(true)
    expect(failure(`${"!".repeat(65)}a`).at).toBe(64)
    expect(value(`${"(".repeat(64)}1${")".repeat(64)}`)).toBe(1)
    expect(failure(`${"(".repeat(65)}1${")".repeat(65)}`).at).toBe(64)
    expect(value(`a${" ".repeat(999)}`, { a: 1 })).toBe(1)
    expect(failure(`a${" ".repeat(1000)}`).problem).toContain("at most 1000")
    expect(value(`${"1+".repeat(499)}1`)).toBe(500)
  })
})

it("E5: agrees with a second interpreter on 20,000 expressions", () => {
  const wrong: Array<unknown> = []
  for (let seed = 1; seed <= 20_000; seed++) {
    const dice = new Dice(seed)
    const tree = someTree(dice, 4)
    const source = print(tree, dice)
    const world = someWorld(dice)
    if (source.length > 1000) continue
    const [ours, wanted] = [value(source, world), interpret(tree, world)]
    if (!Object.is(ours, wanted)) wrong.push({ seed, source, ours, wanted })
  }
  expect(wrong).toEqual([])
}, 60_000)

it("E5: 20,000 broken expressions compile or say where they are wrong", () => {
  const outside: Array<string> = []
  for (let seed = 1; seed <= 20_000; seed++) {
    const dice = new Dice(seed + 1_000_000)
    let source = print(someTree(dice, 3), dice)
    for (const _ of Array.from({ length: 1 + dice.below(3) })) {
      const at = dice.below(source.length + 1)
      const junk = dice.pick(["", "(", ")", "'", "&&", "@", ".", "[", "\\", "$", "=", "9", "é", "\ud83d", "\0"])
      source = source.slice(0, at) + junk + source.slice(at + dice.below(3))
    }
    const result = compileExpression(source)
    if (Result.isSuccess(result)) result.success.evaluate({}, momentOf({ body: "" }))
    else if (result.failure.at > source.length) outside.push(source)
  }
  expect(outside).toEqual([])
}, 60_000)

it("DOC-09: a text that is joined with itself over and over stays bounded, on a whole character", () => {
  let text: unknown = "x👍"
  for (let round = 0; round < 40; round++) text = value("text + text", { text })
  expect(String(text).length).toBeLessThanOrEqual(65_536)
  expect(String(text).isWellFormed()).toBe(true)
})
