/** What kind of value an expression gives, as far as it is known, and comparisons that can never be met. */
import { type FlowIssue, type Place, warningAt } from "../document/Issue.ts"
import type { AnswerType } from "../document/Steps.ts"
import { nearest } from "../expr/ExpressionError.ts"
import { functions, type Kind } from "../expr/Functions.ts"
import type { Expr } from "../expr/Parser.ts"
import type { Path } from "../expr/Path.ts"

export interface Type {
  readonly kind: Kind
  /** The only texts it can be: the keys of a menu. */
  readonly texts?: ReadonlyArray<string>
}
export const anything: Type = { kind: "any" }

export const typeOfAnswer = (answer: AnswerType | undefined): Type => {
  switch (answer) {
    case "number":
    case "integer":
      return { kind: "number" }
    case "boolean":
      return { kind: "boolean" }
    default:
      return { kind: "text" }
  }
}

/** A value that may be one or the other. */
export const either = (one: Type, other: Type): Type => {
  if (one.kind !== other.kind) return anything
  if (one.texts === undefined || other.texts === undefined) return { kind: one.kind }
  return { kind: one.kind, texts: [...new Set([...one.texts, ...other.texts])] }
}

/** What is known of the paths at some place. */
export type TypeOf = (path: Path) => Type

const typeOf = (expr: Expr, known: TypeOf): Type => {
  switch (expr._tag) {
    case "literal":
      switch (typeof expr.value) {
        case "string":
          return { kind: "text", texts: [expr.value] }
        case "number":
          return { kind: "number" }
        case "boolean":
          return { kind: "boolean" }
        default:
          return anything
      }
    case "path":
      return known(expr.path)
    case "unary":
      return expr.operator === "!" ? { kind: "boolean" } : { kind: "number" }
    case "call":
      return { kind: functions.get(expr.name)?.gives ?? "any" }
    case "binary":
      return binaryType(expr, known)
  }
}
const binaryType = (expr: Extract<Expr, { readonly _tag: "binary" }>, known: TypeOf): Type => {
  switch (expr.operator) {
    case "||":
    case "&&": {
      const [left, right] = [typeOf(expr.left, known), typeOf(expr.right, known)]
      return left.kind === right.kind ? { kind: left.kind } : anything
    }
    case "-":
      return { kind: "number" }
    case "+": {
      const kinds = [typeOf(expr.left, known).kind, typeOf(expr.right, known).kind]
      if (kinds.includes("text")) return { kind: "text" }
      return kinds.every((kind) => kind === "number") ? { kind: "number" } : anything
    }
    default:
      return { kind: "boolean" }
  }
}

const nameOf = (expr: Expr): string | undefined => (expr._tag === "path" ? expr.path.segments.join(".") : undefined)

/** A text compared with a number: what would make it one. */
const numeric = (expr: Expr): string | undefined => {
  const name = nameOf(expr)
  return name === undefined || name === "" ? undefined : `number(${name})`
}

const mismatch = (expr: Extract<Expr, { readonly _tag: "binary" }>, left: Type, right: Type, place: Place) => {
  if (left.kind === "any" || right.kind === "any") return []
  const isOrder = expr.operator !== "==" && expr.operator !== "!="
  const wrong = left.kind !== right.kind || (isOrder && left.kind === "boolean")
  if (!wrong) return []
  const never = expr.operator === "!=" ? "always" : "never"
  const suggestion =
    left.kind === "text" && right.kind === "number"
      ? numeric(expr.left)
      : left.kind === "number" && right.kind === "text"
        ? numeric(expr.right)
        : undefined
  return [
    warningAt(
      place,
      `"${expr.operator}" is ${never} true here: it compares a ${left.kind} with a ${right.kind}`,
      suggestion
    )
  ]
}

const impossible = (one: Type, other: Type, place: Place): ReadonlyArray<FlowIssue> => {
  const [text] = other.texts ?? []
  if (one.texts === undefined || other.texts?.length !== 1 || text === undefined || one.texts.includes(text)) return []
  return [
    warningAt(place, `"${text}" is none of the values it can have: ${one.texts.join(", ")}`, nearest(text, one.texts))
  ]
}

/** Comparisons of an expression that cannot be met. Pure. */
export const typeIssues = (expr: Expr, known: TypeOf, place: Place): ReadonlyArray<FlowIssue> => {
  switch (expr._tag) {
    case "literal":
    case "path":
      return []
    case "unary":
      return typeIssues(expr.of, known, place)
    case "call": {
      const [first, ...others] = expr.args
      const own =
        expr.name === "oneOf" && first !== undefined
          ? others.flatMap((other) => impossible(typeOf(first, known), typeOf(other, known), place))
          : []
      return [...own, ...expr.args.flatMap((arg) => typeIssues(arg, known, place))]
    }
    case "binary": {
      const inner = [...typeIssues(expr.left, known, place), ...typeIssues(expr.right, known, place)]
      if (!["==", "!=", "<", "<=", ">", ">="].includes(expr.operator)) return inner
      const [left, right] = [typeOf(expr.left, known), typeOf(expr.right, known)]
      const isEquality = expr.operator === "==" || expr.operator === "!="
      return [
        ...mismatch(expr, left, right, place),
        ...(isEquality ? [...impossible(left, right, place), ...impossible(right, left, place)] : []),
        ...inner
      ]
    }
  }
}
