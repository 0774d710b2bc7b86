/** Cuts an expression into tokens, one pass over its characters: linear time, no regular expressions. */
import { ExpressionError } from "./ExpressionError.ts"

export type TokenKind = "number" | "text" | "name" | "mark" | "end"

const isDigit = (code: number): boolean => code >= 48 && code <= 57
/** Letters of ASCII, `_` and `$`: what a name starts with. */
const startsName = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code === 36
const continuesName = (code: number): boolean => startsName(code) || isDigit(code)
const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13) || code === 0xa0

const escapes: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["\\", "\\"],
  ['"', '"'],
  ["'", "'"],
  ["/", "/"]
])

/** The marks of two characters; all others are of one. */
const pairs: ReadonlyMap<number, string> = new Map([
  [61, "=="],
  [33, "!="],
  [60, "<="],
  [62, ">="],
  [38, "&&"],
  [124, "||"]
])
const singles: ReadonlyMap<number, string> = new Map([..."!<>+-(),[]."].map((mark) => [mark.charCodeAt(0), mark]))

export class Lexer {
  readonly source: string
  kind: TokenKind = "end"
  /** The mark, the name, or the text of a literal. */
  text = ""
  number = 0
  /** Where the token starts. */
  start = 0
  private at = 0

  constructor(source: string) {
    this.source = source
    this.next()
  }

  fail(problem: string, at = this.start, suggestion?: string): never {
    throw new ExpressionError(suggestion === undefined ? { problem, at } : { problem, at, suggestion })
  }

  next(): void {
    const { source } = this
    let code = source.charCodeAt(this.at)
    while (isSpace(code)) code = source.charCodeAt(++this.at)
    this.start = this.at
    if (this.at >= source.length) {
      this.kind = "end"
      this.text = ""
    } else if (startsName(code)) this.name()
    else if (isDigit(code)) this.numeral()
    else if (code === 34 || code === 39) this.quoted(code)
    else this.mark(code)
  }

  private name(): void {
    const { source } = this
    let at = this.at + 1
    while (continuesName(source.charCodeAt(at))) at++
    this.kind = "name"
    this.text = source.slice(this.at, at)
    this.at = at
  }

  private numeral(): void {
    const { source } = this
    let at = this.at + 1
    while (isDigit(source.charCodeAt(at))) at++
    if (source.charCodeAt(at) === 46 && isDigit(source.charCodeAt(at + 1))) {
      at++
      while (isDigit(source.charCodeAt(at))) at++
    }
    if (startsName(source.charCodeAt(at))) this.fail("a number runs into a name", at)
    this.kind = "number"
    this.text = source.slice(this.at, at)
    this.number = Number(this.text)
    if (!Number.isFinite(this.number)) this.fail("the number is too large")
    this.at = at
  }

  private quoted(quote: number): void {
    const { source } = this
    let text = ""
    let from = this.at + 1
    for (let at = from; at < source.length; at++) {
      const code = source.charCodeAt(at)
      if (code === quote) {
        this.kind = "text"
        this.text = text + source.slice(from, at)
        this.at = at + 1
        return
      }
      if (code !== 92) continue
      text += source.slice(from, at)
      const [escaped, length] = this.escape(at + 1)
      text += escaped
      at += length
      from = at + 1
    }
    this.fail(`the text is not closed: ${String.fromCharCode(quote)} is missing`)
  }

  /** What stands behind a backslash, and how many characters it takes. */
  private escape(at: number): readonly [string, number] {
    const char = this.source[at] ?? ""
    const plain = escapes.get(char)
    if (plain !== undefined) return [plain, 1]
    const hex = char === "u" ? this.source.slice(at + 1, at + 5) : ""
    let code = hex.length === 4 ? 0 : -1
    for (let i = 0; i < hex.length && code >= 0; i++) {
      const digit = "0123456789abcdef".indexOf(hex.charAt(i).toLowerCase())
      code = digit < 0 ? -1 : code * 16 + digit
    }
    if (code < 0) this.fail("an unknown escape: \\n \\t \\r \\\\ \\\" \\' \\/ and \\u0000 are known", at - 1)
    return [String.fromCharCode(code), 5]
  }

  private mark(code: number): void {
    const pair = pairs.get(code)
    const next = this.source.charCodeAt(this.at + 1)
    const isPair = pair !== undefined && next === pair.charCodeAt(1)
    const mark = isPair ? pair : singles.get(code)
    if (mark === undefined) {
      if (pair !== undefined) this.fail(`"${pair[0]}" is no operator`, this.start, pair)
      this.fail(`"${String.fromCodePoint(this.source.codePointAt(this.at) ?? 0)}" means nothing here`)
    }
    this.kind = "mark"
    this.text = mark
    this.at += mark.length
    if (mark === "==" && this.source.charCodeAt(this.at) === 61) this.fail('"===" is no operator', this.start, "==")
    if (mark === "!=" && this.source.charCodeAt(this.at) === 61) this.fail('"!==" is no operator', this.start, "!=")
  }
}
