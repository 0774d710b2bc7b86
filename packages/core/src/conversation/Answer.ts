/**
 * What an answer means to a schema. The type side of the schema says what is expected (a number, a yes or no, a date, one
 * of some literals), the person's text is read as that, and the schema decodes and checks the result.
 *
 * Source: B3, design 3 ("answers take any `Schema.Decoder`")
 */
import { BigDecimal, DateTime, Effect, Predicate, Result, Schema, SchemaAST } from "effect"
import { type Catalogue, makeCatalogue } from "../i18n/Catalogue.ts"
import type { CoreKey } from "../i18n/CoreTexts.ts"
import { isSameText } from "../model/Normalise.ts"
import { type AnswerIssue, detailOf, type Explanation, explain } from "./AnswerIssue.ts"
import { readBoolean, readDate, readDecimal, readNumber, type YesNo } from "./Coercion.ts"

export interface AnswerOptions {
  /** Where more words for yes and no are looked up; those of the built-in languages always count. */
  readonly catalogue?: Catalogue
  readonly lang?: string | undefined
}

/** One way to read a text. */
interface Reader {
  /** What the text may mean, best first: inputs for the schema. Empty when it means nothing here. */
  readonly read: (text: string, words: YesNo) => ReadonlyArray<unknown>
  /** What to ask for when it means nothing. */
  readonly wants: CoreKey
  /** What the person may write, where that is a closed set. */
  readonly choice?: string
}

const some = (value: unknown): ReadonlyArray<unknown> => (value === undefined ? [] : [value])

const textReader: Reader = { wants: "core.answer.text", read: (text) => [text.trim()] }
const numberReader: Reader = { wants: "core.answer.number", read: (text) => some(readNumber(text)) }
const booleanReader: Reader = { wants: "core.answer.yes-no", read: (text, words) => some(readBoolean(text, words)) }

const bigintReader: Reader = {
  wants: "core.answer.integer",
  read: (text) => {
    const decimal = readDecimal(text)
    return decimal === undefined || decimal.includes(".") ? [] : [BigInt(decimal)]
  }
}

const decimalReader: Reader = {
  wants: "core.answer.number",
  read: (text) => some(readDecimal(text)).map((decimal) => BigDecimal.fromStringUnsafe(String(decimal)))
}

const dateReader = (make: (at: DateTime.Utc) => unknown): Reader => ({
  wants: "core.answer.date",
  read: (text) => {
    const at = readDate(text)
    return at === undefined ? [] : [make(DateTime.makeUnsafe(at))]
  }
})

const declared: ReadonlyMap<unknown, Reader> = new Map([
  ["effect/schema/Date", dateReader(DateTime.toDateUtc)],
  ["effect/schema/DateTimeUtc", dateReader((at) => at)],
  ["effect/schema/DateTimeZoned", dateReader((at) => DateTime.makeZonedUnsafe(at, { timeZone: "UTC" }))],
  ["effect/schema/BigDecimal", decimalReader]
])

const declaredReader = (ast: SchemaAST.Declaration): Reader => {
  const representation = ast.annotations?.["representation"]
  return (Predicate.hasProperty(representation, "id") ? declared.get(representation.id) : undefined) ?? textReader
}

const literalReader = (literal: SchemaAST.LiteralValue, name = String(literal)): Reader => {
  const means = (text: string, words: YesNo): boolean => {
    switch (typeof literal) {
      case "number":
        return readNumber(text) === literal
      case "boolean":
        return readBoolean(text, words) === literal
      case "bigint":
        return readDecimal(text) === String(literal)
      default:
        return isSameText(text, literal)
    }
  }
  return {
    wants: "core.answer.choose-among",
    choice: name,
    read: (text, words) => (means(text, words) || isSameText(text, name) ? [literal] : [])
  }
}

/** The same value as the encoded side of a transformation may want it: text, number, Date. */
const otherForms = (value: unknown): ReadonlyArray<unknown> => {
  if (typeof value === "boolean") return [value ? 1 : 0, String(value)]
  if (typeof value === "bigint") return [String(value), Number(value)]
  if (typeof value === "number") return [String(value)]
  if (value instanceof Date) return [value.toISOString(), value.getTime()]
  if (BigDecimal.isBigDecimal(value)) return [BigDecimal.format(value)]
  if (!DateTime.isDateTime(value)) return []
  if (DateTime.isZoned(value)) return [DateTime.formatIsoZoned(value)]
  return [DateTime.formatIso(value), DateTime.toDateUtc(value), DateTime.toEpochMillis(value)]
}

const MAX_DEPTH = 8

const isText = (reader: Reader): boolean => reader === textReader

const readersOf = (ast: SchemaAST.AST, depth = 0): ReadonlyArray<Reader> => {
  const readers = depth > MAX_DEPTH ? [textReader] : typeReadersOf(ast, depth)
  if (ast.encoding === undefined) return readers
  // A type that is no kind of its own (a class, a text made of a number) is read by what it is decoded from.
  if (readers.every(isText)) return readersOf(SchemaAST.toEncoded(ast), depth + 1)
  return readers.map((reader) => ({
    ...reader,
    read: (text, words) => reader.read(text, words).flatMap((value) => [value, ...otherForms(value)])
  }))
}

const typeReadersOf = (ast: SchemaAST.AST, depth: number): ReadonlyArray<Reader> => {
  switch (ast._tag) {
    case "Null":
    case "Undefined":
    case "Void":
    case "Never":
      return []
    case "Number":
      return [numberReader]
    case "Boolean":
      return [booleanReader]
    case "BigInt":
      return [bigintReader]
    case "Literal":
      return [literalReader(ast.literal)]
    case "Enum":
      return ast.enums.map(([name, value]) => literalReader(value, name))
    case "Union":
      return ast.types.flatMap((member) => readersOf(member, depth + 1))
    case "Suspend":
      return readersOf(ast.thunk(), depth + 1)
    case "Declaration":
      return [declaredReader(ast)]
    default:
      return [textReader]
  }
}

const builtIn = makeCatalogue()
const builtInWords = (key: CoreKey): ReadonlySet<string> =>
  new Set(builtIn.languages.flatMap((lang) => [...builtIn.words(lang, key)]))
const yes = builtInWords("core.words.yes")
const no = builtInWords("core.words.no")

// The person's own language goes first: a word may mean yes in one and no in another.
const wordsFor = ({ catalogue, lang }: AnswerOptions): YesNo => {
  if (catalogue === undefined) return { yes: (form) => yes.has(form), no: (form) => no.has(form) }
  const ownYes = catalogue.words(lang, "core.words.yes")
  const ownNo = catalogue.words(lang, "core.words.no")
  return {
    yes: (form) => ownYes.has(form) || (yes.has(form) && !ownNo.has(form)),
    no: (form) => ownNo.has(form) || (no.has(form) && !ownYes.has(form))
  }
}

const MAX_CHOICES = 20

/** The issue of a text that means nothing to any reader. */
const unreadable = (readers: ReadonlyArray<Reader>): AnswerIssue => {
  const choices = readers.flatMap(({ choice }) => choice ?? [])
  const key = readers[0]?.wants ?? "core.answer.invalid"
  const options = choices.slice(0, MAX_CHOICES).join(", ")
  return {
    _tag: "AnswerIssue",
    key,
    params: key === "core.answer.choose-among" ? { options } : {},
    message: undefined,
    detail: `expected ${key}`
  }
}

/** The issue of a text that was read and then refused by the schema: the first refusal that says something. */
const refused = (errors: ReadonlyArray<Schema.SchemaError>): AnswerIssue => {
  const explained = errors.map(({ issue }): readonly [Explanation | undefined, string] => [
    explain(issue),
    detailOf(issue)
  ])
  const [explanation, detail] = explained.find(([one]) => one !== undefined) ?? [undefined, explained[0]?.[1] ?? ""]
  return {
    _tag: "AnswerIssue",
    key: explanation?.key ?? "core.answer.invalid",
    params: explanation?.params ?? {},
    message: explanation?.message,
    detail
  }
}

const known = new WeakMap<SchemaAST.AST, ReadonlyArray<Reader>>()

const readersFor = (ast: SchemaAST.AST): ReadonlyArray<Reader> => {
  const readers = known.get(ast) ?? readersOf(ast)
  known.set(ast, readers)
  return readers
}

/**
 * Reads an answer by a schema.
 *
 * Without a schema the answer is the text as sent, trimmed; so it is for a schema of text. Numbers (`31`, `٣١`, `3,5`),
 * yes and no, and dates are read by the coercion of `Coercion.ts`; literals and enums are matched in normal form; a union
 * tries its members in order; `null` and `undefined` cannot be written. Anything else gets the trimmed text.
 *
 * @param schema what is expected; its transformations have to be synchronous, see `decodeAnswerEffect`
 * @param text what the person wrote
 * @param options where more words for yes and no are found
 * @returns the value, or why the answer was refused, with a text for the person (`describeAnswerIssue`)
 *
 * Pure as the schema is. Source: B3
 */
export function decodeAnswer(
  schema: undefined,
  text: string,
  options?: AnswerOptions
): Result.Result<string, AnswerIssue>
export function decodeAnswer<A>(
  schema: Schema.Decoder<A>,
  text: string,
  options?: AnswerOptions
): Result.Result<A, AnswerIssue>
export function decodeAnswer<A>(
  schema: Schema.Decoder<A> | undefined,
  text: string,
  options?: AnswerOptions
): Result.Result<A | string, AnswerIssue>
export function decodeAnswer<A>(
  schema: Schema.Decoder<A> | undefined,
  text: string,
  options: AnswerOptions = {}
): Result.Result<A | string, AnswerIssue> {
  if (schema === undefined) return Result.succeed(text.trim())
  const readers = readersFor(schema.ast)
  const decode = Schema.decodeUnknownResult(schema)
  const words = wordsFor(options)
  const errors: Array<Schema.SchemaError> = []
  for (const reader of readers) {
    for (const input of reader.read(text, words)) {
      const result = decode(input)
      if (Result.isSuccess(result)) return Result.succeed(result.success)
      errors.push(result.failure)
    }
  }
  return Result.fail(errors.length === 0 ? unreadable(readers) : refused(errors))
}

/**
 * `decodeAnswer` for schemas whose transformations need services or time.
 *
 * Safe to repeat as far as the schema is. Source: B3
 */
export const decodeAnswerEffect = Effect.fnUntraced(function* <A, R>(
  schema: Schema.Decoder<A, R>,
  text: string,
  options: AnswerOptions = {}
): Effect.fn.Return<A, AnswerIssue, R> {
  const readers = readersFor(schema.ast)
  const decode = Schema.decodeUnknownEffect(schema)
  const words = wordsFor(options)
  const errors: Array<Schema.SchemaError> = []
  for (const reader of readers) {
    for (const input of reader.read(text, words)) {
      const result = yield* Effect.result(decode(input))
      if (Result.isSuccess(result)) return result.success
      errors.push(result.failure)
    }
  }
  return yield* Effect.fail(errors.length === 0 ? unreadable(readers) : refused(errors))
})
