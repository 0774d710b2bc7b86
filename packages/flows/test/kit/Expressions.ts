/**
 * Expressions by chance, and a second interpreter for them, written from the rules of the guide and sharing nothing with
 * the one that is shipped: it knows no source text, no lexer and no closures.
 */
import type { Dice } from "./Dice.ts"

export type Tree =
  | { readonly is: "value"; readonly value: string | number | boolean | null }
  | { readonly is: "path"; readonly names: ReadonlyArray<string> }
  | { readonly is: "not" | "minus"; readonly of: Tree }
  | { readonly is: "two"; readonly mark: string; readonly a: Tree; readonly b: Tree }
  | { readonly is: "call"; readonly name: string; readonly args: ReadonlyArray<Tree> }

export type World = Readonly<Record<string, unknown>>

const marks = ["||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-"]
const names = ["name", "age", "list", "deep", "blank", "zero", "no", "gone", "constructor", "toString", "__proto__"]
const texts = ["", " ", "Ana", "ana", "año", "18", "3,5", 'a"b\\c', "👍", "pro"]
const arity: Readonly<Record<string, number>> = {
  len: 1,
  lower: 1,
  upper: 1,
  trim: 1,
  number: 1,
  string: 1,
  empty: 1,
  contains: 2,
  startsWith: 2,
  endsWith: 2
}

export const someWorld = (dice: Dice): World => ({
  name: dice.pick(["Ana", "", "  Eva ", "18", "3,5", "👍👍", "pro"]),
  age: dice.pick([0, 18, -1, 2.5, 1e15]),
  list: dice.pick([[], ["pro", "max"], [1, [2], { a: 1 }, null], ["pro"]]),
  deep: { a: { b: dice.pick([1, "x", null]) }, "0": "cero" },
  blank: null,
  zero: 0,
  no: dice.pick([true, false])
})

export const someTree = (dice: Dice, depth: number): Tree => {
  const kind = depth <= 0 ? dice.below(2) : dice.below(8)
  switch (kind) {
    case 0:
      return { is: "value", value: dice.pick([null, true, false, 0, 1, 18, 2.5, ...texts]) }
    case 1:
      return { is: "path", names: [dice.pick(names), ...dice.many(2, () => dice.pick(["a", "b", "0", "1", "length"]))] }
    case 2:
      return { is: dice.once(2) ? "not" : "minus", of: someTree(dice, depth - 1) }
    case 3:
      return someCall(dice, depth)
    default:
      return { is: "two", mark: dice.pick(marks), a: someTree(dice, depth - 1), b: someTree(dice, depth - 1) }
  }
}
const someCall = (dice: Dice, depth: number): Tree => {
  if (dice.once(5)) {
    const args = [
      someTree(dice, depth - 1),
      someTree(dice, depth - 1),
      ...dice.many(2, () => someTree(dice, depth - 1))
    ]
    return { is: "call", name: "oneOf", args }
  }
  const name = dice.pick(Object.keys(arity))
  return { is: "call", name, args: Array.from({ length: arity[name]! }, () => someTree(dice, depth - 1)) }
}

const quote = (text: string): string => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`

/** Written with all its parentheses, and blanks by chance. */
export const print = (tree: Tree, dice: Dice): string => {
  const gap = (): string => (dice.once(3) ? " " : "")
  switch (tree.is) {
    case "value":
      return typeof tree.value === "string" ? quote(tree.value) : String(tree.value)
    case "path":
      return tree.names
        .map((name, at) =>
          at === 0 ? name : /^\d/.test(name) ? `[${name}]` : dice.once(4) ? `["${name}"]` : `.${name}`
        )
        .join("")
    case "not":
      return `!${print(group(tree.of), dice)}`
    case "minus":
      return `-${print(group(tree.of), dice)}`
    case "two":
      return `(${print(tree.a, dice)}${gap()}${tree.mark}${gap()}${print(tree.b, dice)})`
    case "call":
      return `${tree.name}(${tree.args.map((arg) => print(arg, dice)).join(`,${gap()}`)})`
  }
}
const group = (tree: Tree): Tree => tree

const text = (value: unknown): string => {
  if (typeof value === "string") return value
  if (typeof value === "boolean") return String(value)
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value).toString() : String(value)
  if (Array.isArray(value)) return value.map((item) => (typeof item === "object" ? "" : text(item))).join(", ")
  return ""
}
const holds = (value: unknown): boolean => ![false, null, 0, ""].includes(value as never)

const read = (world: World, path: ReadonlyArray<string>): unknown => {
  let value: unknown = world
  for (const name of path) {
    if (typeof value !== "object" || value === null) return null
    if (Array.isArray(value) && !/^\d+$/.test(name)) return null
    const own = Object.getOwnPropertyDescriptor(value, name)
    if (own === undefined) return null
    value = own.value
  }
  return value ?? null
}

const ordered = (a: unknown, b: unknown): boolean =>
  (typeof a === "number" || typeof a === "string") && typeof a === typeof b

const applyTwo = (mark: string, a: unknown, b: unknown): unknown => {
  switch (mark) {
    case "==":
      return a === b
    case "!=":
      return a !== b
    case "<":
      return ordered(a, b) && (a as number) < (b as number)
    case "<=":
      return ordered(a, b) && (a as number) <= (b as number)
    case ">":
      return ordered(a, b) && (a as number) > (b as number)
    case ">=":
      return ordered(a, b) && (a as number) >= (b as number)
    case "+":
      if (typeof a === "number" && typeof b === "number") return a + b
      return typeof a === "string" || typeof b === "string" ? `${text(a)}${text(b)}` : null
    default:
      return typeof a === "number" && typeof b === "number" ? a - b : null
  }
}

/** Only the spellings that occur in `texts` and worlds; anything longer is no number here. */
const numberOf = (value: unknown): unknown => {
  if (typeof value === "number") return value
  if (typeof value !== "string") return null
  const plain = value.trim()
  if (/^[+-]?\d+$/.test(plain) && !Number.isSafeInteger(Number(plain))) return null
  return /^[+-]?\d+$/.test(plain)
    ? Number(plain)
    : /^[+-]?\d+[.,]\d{1,2}$/.test(plain)
      ? Number(plain.replace(",", "."))
      : null
}

const call = (name: string, args: ReadonlyArray<unknown>): unknown => {
  const [a, b] = args
  switch (name) {
    case "len":
      if (typeof a === "object" && a !== null) return Array.isArray(a) ? a.length : Object.keys(a).length
      return [...text(a)].length
    case "lower":
      return text(a).toLowerCase()
    case "upper":
      return text(a).toUpperCase()
    case "trim":
      return text(a).trim()
    case "string":
      return text(a)
    case "number":
      return numberOf(a)
    case "empty":
      return a === null || (typeof a === "string" && a.trim() === "") || (Array.isArray(a) && a.length === 0)
    case "contains":
      return Array.isArray(a) ? a.some((item) => (item ?? null) === b) : text(b) !== "" && text(a).includes(text(b))
    case "startsWith":
      return text(b) !== "" && text(a).startsWith(text(b))
    case "endsWith":
      return text(b) !== "" && text(a).endsWith(text(b))
    default:
      return args.slice(1).includes(a)
  }
}

const positive = (value: unknown): unknown => (value === 0 ? 0 : value)

export const interpret = (tree: Tree, world: World): unknown => {
  switch (tree.is) {
    case "value":
      return tree.value
    case "path":
      return read(world, tree.names)
    case "not":
      return !holds(interpret(tree.of, world))
    case "minus": {
      const value = interpret(tree.of, world)
      return typeof value === "number" ? positive(-value) : null
    }
    case "two": {
      const a = interpret(tree.a, world)
      if (tree.mark === "||") return holds(a) ? a : interpret(tree.b, world)
      if (tree.mark === "&&") return holds(a) ? interpret(tree.b, world) : a
      return positive(applyTwo(tree.mark, a, interpret(tree.b, world)))
    }
    case "call":
      return call(
        tree.name,
        tree.args.map((arg) => interpret(arg, world))
      )
  }
}
