/**
 * Turns the tree of an expression into closures: what it costs to run is a call an operator. Nothing is evaluated as code,
 * nothing can throw.
 *
 * Source: E5
 */
import { contains, endsWith, functions, len, lower, oneOf, startsWith, toNumber, trim, upper } from "./Functions.ts"
import type { BinaryOperator, Expr } from "./Parser.ts"
import { compilePath, type KeyOf, type Read } from "./Path.ts"
import { add, isEmpty, isEqual, isLess, isLessOrEqual, isTrue, negate, subtract, textOf, type Value } from "./Value.ts"

/** Calls of one argument without a list in between: most of what documents write. */
const ofOne: ReadonlyMap<string, (value: Value) => Value> = new Map<string, (value: Value) => Value>([
  ["len", len],
  ["lower", lower],
  ["upper", upper],
  ["trim", trim],
  ["number", toNumber],
  ["string", textOf],
  ["empty", isEmpty]
])
const ofTwo: ReadonlyMap<string, (one: Value, other: Value) => Value> = new Map([
  ["contains", contains],
  ["startsWith", startsWith],
  ["endsWith", endsWith]
])

const isConstant = (expr: Expr): expr is Extract<Expr, { readonly _tag: "literal" }> => expr._tag === "literal"

const compileCall = (expr: Extract<Expr, { readonly _tag: "call" }>, keyOf: KeyOf): Read => {
  const [first, second] = expr.args
  const unary = ofOne.get(expr.name)
  if (unary !== undefined && first !== undefined) {
    const read = compile(first, keyOf)
    return (state, at) => unary(read(state, at))
  }
  const binary = ofTwo.get(expr.name)
  if (binary !== undefined && first !== undefined && second !== undefined) {
    const left = compile(first, keyOf)
    const right = compile(second, keyOf)
    return (state, at) => binary(left(state, at), right(state, at))
  }
  if (expr.name === "oneOf" && first !== undefined) return compileOneOf(first, expr.args.slice(1), keyOf)
  const reads = expr.args.map((arg) => compile(arg, keyOf))
  const known = functions.get(expr.name)
  return known === undefined ? nothing : (state, at) => known.call(reads.map((read) => read(state, at)))
}
const nothing: Read = () => null

/** Among constants by comparing alone: no list is made. */
const compileOneOf = (first: Expr, others: ReadonlyArray<Expr>, keyOf: KeyOf): Read => {
  const read = compile(first, keyOf)
  if (!others.every(isConstant)) {
    const reads = others.map((other) => compile(other, keyOf))
    return (state, at) => oneOf([read(state, at), ...reads.map((other) => other(state, at))])
  }
  const constants: ReadonlyArray<Value> = others.map(({ value }) => value)
  if (constants.length === 2) {
    const [one, other] = constants
    return (state, at) => {
      const value = read(state, at) ?? null
      return value === one || value === other
    }
  }
  return (state, at) => constants.includes(read(state, at) ?? null)
}

const compileBinary = (operator: BinaryOperator, left: Read, right: Read): Read => {
  switch (operator) {
    case "||":
      return (state, at) => {
        const value = left(state, at)
        return isTrue(value) ? value : right(state, at)
      }
    case "&&":
      return (state, at) => {
        const value = left(state, at)
        return isTrue(value) ? right(state, at) : value
      }
    case "==":
      return (state, at) => isEqual(left(state, at), right(state, at))
    case "!=":
      return (state, at) => !isEqual(left(state, at), right(state, at))
    case "<":
      return (state, at) => isLess(left(state, at), right(state, at))
    case "<=":
      return (state, at) => isLessOrEqual(left(state, at), right(state, at))
    case ">":
      return (state, at) => isLess(right(state, at), left(state, at))
    case ">=":
      return (state, at) => isLessOrEqual(right(state, at), left(state, at))
    case "+":
      return (state, at) => add(left(state, at), right(state, at))
    case "-":
      return (state, at) => subtract(left(state, at), right(state, at))
  }
}

/** Against a constant number: one test of the type instead of two. */
const compileAgainst = (operator: BinaryOperator, left: Read, right: number): Read | undefined => {
  switch (operator) {
    case "<":
      return (state, at) => {
        const value = left(state, at)
        return typeof value === "number" && value < right
      }
    case "<=":
      return (state, at) => {
        const value = left(state, at)
        return typeof value === "number" && value <= right
      }
    case ">":
      return (state, at) => {
        const value = left(state, at)
        return typeof value === "number" && value > right
      }
    case ">=":
      return (state, at) => {
        const value = left(state, at)
        return typeof value === "number" && value >= right
      }
    default:
      return undefined
  }
}

export const compile = (expr: Expr, keyOf: KeyOf): Read => {
  switch (expr._tag) {
    case "literal": {
      const { value } = expr
      return () => value
    }
    case "path":
      return compilePath(expr.path, keyOf)
    case "unary": {
      const read = compile(expr.of, keyOf)
      return expr.operator === "!" ? (state, at) => !isTrue(read(state, at)) : (state, at) => negate(read(state, at))
    }
    case "binary": {
      const left = compile(expr.left, keyOf)
      const constant = isConstant(expr.right) ? expr.right.value : undefined
      const against = typeof constant === "number" ? compileAgainst(expr.operator, left, constant) : undefined
      return against ?? compileBinary(expr.operator, left, compile(expr.right, keyOf))
    }
    case "call":
      return compileCall(expr, keyOf)
  }
}
