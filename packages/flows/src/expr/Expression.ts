/**
 * Expressions of flow documents, `len($answer) > 1 && oneOf(plan, "pro", "max")`: parsed once, run as closures.
 *
 * Source: E5
 */
import { Result } from "effect"
import { compile } from "./Compile.ts"
import { ExpressionError } from "./ExpressionError.ts"
import { type Expr, parse } from "./Parser.ts"
import { type KeyOf, ownKeys, type Path, type Read, roots } from "./Path.ts"
import { isTrue } from "./Value.ts"

export interface Expression {
  readonly source: string
  /** Its tree, for checks. */
  readonly expr: Expr
  /** Its value: text, number, boolean, null, or what the state holds. Never throws. */
  readonly evaluate: Read
  /** Whether its value counts as true. Never throws. */
  readonly test: (...args: Parameters<Read>) => boolean
}

export interface ExpressionOptions {
  /** The `$` names it may read; those of every expression when absent. */
  readonly names?: ReadonlySet<string>
  /** Where the keys it names stand in the state. */
  readonly keyOf?: KeyOf
}

/**
 * Compiles an expression, in time linear in its length.
 *
 * @param source at most 1000 characters
 * @returns the expression, or where and why it cannot be compiled
 *
 * Pure. Source: E5
 */
export const compileExpression = (
  source: string,
  options: ExpressionOptions = {}
): Result.Result<Expression, ExpressionError> =>
  Result.map(parseExpression(source, options.names), (expr) => expressionOf(source, expr, options.keyOf ?? ownKeys))

/** Pure. @param keyOf where the keys it names stand in the state */
export const expressionOf = (source: string, expr: Expr, keyOf: KeyOf): Expression => {
  const evaluate = compile(expr, keyOf)
  return { source, expr, evaluate, test: (state, at) => isTrue(evaluate(state, at)) }
}

/** The tree alone. Pure. */
export const parseExpression = (
  source: string,
  names: ReadonlySet<string> = roots
): Result.Result<Expr, ExpressionError> => {
  try {
    return Result.succeed(parse(source, names))
  } catch (error) {
    if (error instanceof ExpressionError) return Result.fail(error)
    throw error
  }
}

/** Every path an expression reads, in order. */
export const pathsOf = (expr: Expr): ReadonlyArray<Path> => {
  switch (expr._tag) {
    case "literal":
      return []
    case "path":
      return [expr.path]
    case "unary":
      return pathsOf(expr.of)
    case "binary":
      return [...pathsOf(expr.left), ...pathsOf(expr.right)]
    case "call":
      return expr.args.flatMap(pathsOf)
  }
}
