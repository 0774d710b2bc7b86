/**
 * Reads an expression into a tree. The grammar, loosest first: `||`, `&&`, `== !=`, `< <= > >=`, `+ -`, `! -`, then
 * literals, paths, calls and parentheses. Comparisons do not chain.
 *
 * X1 nesting is bounded (DOC-08), so neither this parser nor what walks its trees can exhaust the stack.
 *
 * Source: E5
 */
import { ExpressionError, nearest } from "./ExpressionError.ts"
import { functions } from "./Functions.ts"
import { Lexer } from "./Lexer.ts"
import { type Path, roots } from "./Path.ts"

export type BinaryOperator = "||" | "&&" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "+" | "-"

export type Expr =
  | { readonly _tag: "literal"; readonly at: number; readonly value: string | number | boolean | null }
  | { readonly _tag: "path"; readonly at: number; readonly path: Path }
  | { readonly _tag: "unary"; readonly at: number; readonly operator: "!" | "-"; readonly of: Expr }
  | {
      readonly _tag: "binary"
      readonly at: number
      readonly operator: BinaryOperator
      readonly left: Expr
      readonly right: Expr
    }
  | { readonly _tag: "call"; readonly at: number; readonly name: string; readonly args: ReadonlyArray<Expr> }

/** Levels of parentheses, calls and signs. */
export const maxExpressionDepth = 64
export const maxExpressionLength = 1000

const levels: ReadonlyArray<ReadonlyArray<BinaryOperator>> = [
  ["||"],
  ["&&"],
  ["==", "!="],
  ["<", "<=", ">", ">="],
  ["+", "-"]
]
const chains: ReadonlySet<number> = new Set([0, 1, 4])
const constants: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null]
])

class Parser {
  private readonly lexer: Lexer
  private readonly names: ReadonlySet<string>
  private depth = 0

  constructor(source: string, names: ReadonlySet<string>) {
    this.lexer = new Lexer(source)
    this.names = names
  }

  whole(): Expr {
    if (this.isEnd()) this.lexer.fail("the expression is empty")
    const expr = this.binary(0)
    if (!this.isEnd()) this.lexer.fail(`expected an operator before ${this.found()}`)
    return expr
  }

  private isEnd(): boolean {
    return this.lexer.kind === "end"
  }
  private found(): string {
    return this.isEnd() ? "the end" : JSON.stringify(this.lexer.text)
  }
  private isMark(mark: string): boolean {
    return this.lexer.kind === "mark" && this.lexer.text === mark
  }
  private expect(mark: string, why: string): void {
    if (!this.isMark(mark)) this.lexer.fail(`expected "${mark}" ${why}, got ${this.found()}`)
    this.lexer.next()
  }
  private operator(level: number): BinaryOperator | undefined {
    if (this.lexer.kind !== "mark") return undefined
    const { text } = this.lexer
    return levels[level]?.find((operator) => operator === text)
  }

  private binary(level: number): Expr {
    if (level === levels.length) return this.unary()
    let left = this.binary(level + 1)
    for (let count = 1; ; count++) {
      const operator = this.operator(level)
      if (operator === undefined) return left
      const at = this.lexer.start
      if (count > 1 && !chains.has(level)) {
        this.lexer.fail("comparisons do not chain: join two with &&, or set parentheses", at)
      }
      this.lexer.next()
      left = { _tag: "binary", at, operator, left, right: this.binary(level + 1) }
    }
  }

  private unary(): Expr {
    const { lexer } = this
    if (lexer.kind !== "mark" || (lexer.text !== "!" && lexer.text !== "-")) return this.primary()
    const at = lexer.start
    const operator = lexer.text
    lexer.next()
    return this.deeper(at, () => ({ _tag: "unary", at, operator, of: this.unary() }))
  }

  /** X1. */
  private deeper(at: number, read: () => Expr): Expr {
    if (++this.depth > maxExpressionDepth) this.lexer.fail(`nested deeper than ${maxExpressionDepth} levels`, at)
    const expr = read()
    this.depth--
    return expr
  }

  private primary(): Expr {
    const { lexer } = this
    const at = lexer.start
    if (lexer.kind === "number") {
      const value = lexer.number
      lexer.next()
      return { _tag: "literal", at, value }
    }
    if (lexer.kind === "text") {
      const value = lexer.text
      lexer.next()
      return { _tag: "literal", at, value }
    }
    if (lexer.kind === "name") return this.named(at)
    if (!this.isMark("(")) lexer.fail(`expected a value, got ${this.found()}`)
    lexer.next()
    return this.deeper(at, () => {
      const inner = this.binary(0)
      this.expect(")", "to close the parenthesis")
      return inner
    })
  }

  private named(at: number): Expr {
    const { lexer } = this
    const name = lexer.text
    lexer.next()
    if (this.isMark("(")) return this.call(name, at)
    const constant = constants.get(name)
    if (constant !== undefined) return { _tag: "literal", at, value: constant }
    return this.path(name, at)
  }

  private call(name: string, at: number): Expr {
    const known = functions.get(name)
    if (known === undefined) this.lexer.fail(`there is no function "${name}"`, at, nearest(name, functions.keys()))
    this.lexer.next()
    return this.deeper(at, () => {
      const args: Array<Expr> = []
      while (!this.isMark(")")) {
        if (args.length > 0) this.expect(",", `or ")" after an argument of ${name}`)
        args.push(this.binary(0))
      }
      this.lexer.next()
      const { least, most } = known
      if (args.length < least || args.length > most) {
        const want =
          least === most ? `${least}` : most === Number.POSITIVE_INFINITY ? `${least} or more` : `${least} to ${most}`
        this.lexer.fail(`${name} takes ${want} argument${want === "1" ? "" : "s"}, got ${args.length}`, at)
      }
      return { _tag: "call", at, name, args }
    })
  }

  private path(name: string, at: number): Expr {
    const { lexer, names } = this
    const isRoot = name.startsWith("$")
    if (isRoot && !names.has(name)) {
      lexer.fail(`there is no ${name} here; known are ${[...names].join(" ")}`, at, nearest(name, names))
    }
    const segments: Array<string> = isRoot ? [] : [name]
    while (this.isMark(".") || this.isMark("[")) segments.push(this.segment())
    if (name === "$state") {
      if (segments.length === 0) lexer.fail('$state needs a key: $state["…"]', at)
      return { _tag: "path", at, path: { root: "$state", segments } }
    }
    return { _tag: "path", at, path: { root: isRoot ? name : "$state", segments } }
  }

  private segment(): string {
    const { lexer } = this
    const isDot = lexer.text === "."
    lexer.next()
    const { kind, text } = lexer
    if (isDot) {
      if (kind !== "name" && !(kind === "number" && !text.includes("."))) {
        lexer.fail(`expected a name after ".", got ${this.found()}`)
      }
      lexer.next()
      return text
    }
    if (kind !== "text" && !(kind === "number" && !text.includes("."))) {
      lexer.fail(`expected a number or a text in "[…]", got ${this.found()}`)
    }
    lexer.next()
    this.expect("]", "after the index")
    return text
  }
}

/**
 * The tree of an expression.
 *
 * @param names the `$` names it may read besides `$state`
 * @throws ExpressionError with the place of the problem
 */
export const parse = (source: string, names: ReadonlySet<string> = roots): Expr => {
  if (source.length > maxExpressionLength) {
    throw new ExpressionError({
      problem: `an expression has at most ${maxExpressionLength} characters, got ${source.length}`,
      at: maxExpressionLength
    })
  }
  return new Parser(source, names).whole()
}
