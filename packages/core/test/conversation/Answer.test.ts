import { assert, describe, it } from "@effect/vitest"
import { BigDecimal, DateTime, Effect, Result, Schema, SchemaGetter, SchemaIssue } from "effect"
import { decodeAnswer, decodeAnswerEffect } from "../../src/conversation/Answer.ts"
import { describeAnswerIssue } from "../../src/conversation/AnswerIssue.ts"
import { makeCatalogue } from "../../src/i18n/Catalogue.ts"

const catalogue = makeCatalogue()
const REFUSED = Symbol("refused")

const read = <A>(schema: Schema.Decoder<A> | undefined, text: string): A | string | typeof REFUSED =>
  Result.getOrElse(decodeAnswer(schema, text), () => REFUSED)

const told = <A>(schema: Schema.Decoder<A>, text: string, lang = "es"): string =>
  Result.match(decodeAnswer(schema, text), {
    onSuccess: (value) => `read as ${String(value)}`,
    onFailure: (issue) => describeAnswerIssue(issue, catalogue, lang)
  })

describe("text", () => {
  it("comes as sent, trimmed, with and without a schema", () => {
    assert.strictEqual(read(undefined, "  Ana María \n"), "Ana María")
    assert.strictEqual(read(Schema.String, "  Ana María \n"), "Ana María")
    assert.strictEqual(read(Schema.String, "31"), "31")
    assert.strictEqual(read(Schema.NonEmptyString, "  "), REFUSED)
    assert.strictEqual(read(Schema.String.check(Schema.isPattern(/^[^@ ]+@[^@ ]+$/u)), " ana@x.es "), "ana@x.es")
  })

  it.prop(
    "any text passes unchanged but for the ends",
    [Schema.String],
    ([text]) => read(Schema.String, text) === text.trim()
  )
})

describe("numbers", () => {
  const Age = Schema.Int.check(Schema.isBetween({ minimum: 18, maximum: 99 }))

  it('CONV-01: of "x", "200", "33" only the last is an age, and the other two are told why', () => {
    assert.deepStrictEqual(
      ["x", "200", "33", "٣٣", "3️⃣3️⃣"].map((text) => read(Age, text)),
      [REFUSED, REFUSED, 33, 33, 33]
    )
    assert.strictEqual(told(Age, "x"), "Escribe un número con cifras y sin separador de miles, por favor.")
    assert.strictEqual(told(Age, "200"), "Tiene que estar entre 18 y 99.")
    assert.strictEqual(told(Age, "200", "en"), "It must be between 18 and 99.")
    assert.strictEqual(told(Age, "33,5", "pt"), "Escreva um número inteiro, por favor.")
  })

  it("are read whatever the encoded side is", () => {
    for (const schema of [Schema.Number, Schema.Finite, Schema.NumberFromString, Schema.FiniteFromString]) {
      assert.strictEqual(read(schema, "3,5"), 3.5)
      for (const text of ["tres", "1.234", "Infinity", "NaN", "", "0x10"])
        assert.strictEqual(read(schema, text), REFUSED, text)
    }
    assert.strictEqual(read(Schema.BigInt, "9007199254740993"), 9_007_199_254_740_993n)
    assert.strictEqual(read(Schema.BigIntFromString, "٧"), 7n)
    assert.strictEqual(read(Schema.BigInt, "7,5"), REFUSED)
    assert.isTrue(
      BigDecimal.equals(
        Result.getOrThrow(decodeAnswer(Schema.BigDecimal, "1.234,50")),
        BigDecimal.fromStringUnsafe("1234.5")
      )
    )
  })

  it("keep brands and checks on the decoded side", () => {
    const Seats = Schema.FiniteFromString.check(Schema.isGreaterThanOrEqualTo(2)).pipe(Schema.brand("Seats"))
    assert.strictEqual<unknown>(read(Seats, "4"), 4)
    assert.strictEqual(told(Seats, "1"), "Tiene que ser al menos 2.")
    assert.strictEqual(told(Schema.Int.check(Schema.isLessThanOrEqualTo(5)), "6"), "Tiene que ser como máximo 5.")
  })
})

describe("yes and no", () => {
  it.each(["sí", "Si", "yes", "Y", "sim", "true", "1", "١", "1️⃣"])("%j is yes", (text) => {
    assert.strictEqual(read(Schema.Boolean, text), true)
    assert.strictEqual(read(Schema.BooleanFromBit, text), true)
  })

  it.each(["no", "No ", "não", "NAO", "false", "0"])("%j is no", (text) => {
    assert.strictEqual(read(Schema.Boolean, text), false)
    assert.strictEqual(read(Schema.BooleanFromBit, text), false)
  })

  it("anything else is asked for in the person's language", () => {
    assert.strictEqual(told(Schema.Boolean, "quizás"), "Responde sí o no, por favor.")
    assert.strictEqual(told(Schema.Boolean, "no sé", "pt"), "Responda sim ou não, por favor.")
  })

  it("a catalogue adds words, and its own language goes first", () => {
    const own = makeCatalogue({ languages: { pl: { core: { words: { yes: "tak, no", no: "nie" } } } } })
    const inPolish = (text: string) => decodeAnswer(Schema.Boolean, text, { catalogue: own, lang: "pl" })
    assert.deepStrictEqual(
      ["tak", "no", "nie", "yes"].map((text) => Result.getOrNull(inPolish(text))),
      [true, true, false, true]
    )
  })
})

describe("dates", () => {
  it("are read into each kind of date", () => {
    const at = Date.UTC(2026, 11, 31)
    for (const schema of [Schema.Date, Schema.DateFromString, Schema.DateFromMillis]) {
      assert.deepStrictEqual(read(schema, "31/12/2026"), new Date(at))
    }
    for (const schema of [
      Schema.DateTimeUtc,
      Schema.DateTimeUtcFromString,
      Schema.DateTimeUtcFromDate,
      Schema.DateTimeUtcFromMillis
    ]) {
      assert.strictEqual(DateTime.toEpochMillis(Result.getOrThrow(decodeAnswer(schema, "31/12/2026"))), at)
    }
    assert.strictEqual(DateTime.toEpochMillis(Result.getOrThrow(decodeAnswer(Schema.DateTimeZoned, "2026-12-31"))), at)
    assert.strictEqual(
      DateTime.toEpochMillis(Result.getOrThrow(decodeAnswer(Schema.DateTimeZonedFromString, "2026-12-31"))),
      at
    )
    assert.strictEqual(told(Schema.Date, "12/31/2026"), "Escribe una fecha como 31/12/2026, por favor.")
  })
})

describe("closed sets", () => {
  const Plan = Schema.Literals(["Atención", "Ventas"])

  it("literals and enums are matched in normal form and told when missed", () => {
    assert.strictEqual(read(Plan, "ATENCION "), "Atención")
    assert.strictEqual(told(Plan, "otra"), "Elige una de estas opciones, por favor: Atención, Ventas")
    assert.strictEqual(read(Schema.Literals([1, 2, 3]), "٢"), 2)
    assert.strictEqual(read(Schema.Literals([1, 2, 3]), "4"), REFUSED)
    const Size = Schema.Enum({ Small: "s", Large: 9 })
    assert.deepStrictEqual(
      ["SMALL", "S", "large", "9", "x"].map((text) => read(Size, text)),
      ["s", "s", 9, 9, REFUSED]
    )
  })

  it("unions try their members in order", () => {
    assert.strictEqual(read(Schema.Union([Schema.Int, Schema.String]), "31"), 31)
    assert.strictEqual(read(Schema.Union([Schema.Int, Schema.String]), "3x"), "3x")
    assert.strictEqual(read(Schema.Union([Schema.String, Schema.Int]), "31"), "31")
    assert.strictEqual(read(Schema.NullOr(Schema.Int), "31"), 31)
    assert.strictEqual(read(Schema.NullOr(Schema.Int), "null"), REFUSED)
    assert.strictEqual(read(Schema.Union([Schema.Literal("todos"), Schema.Int]), "TODOS"), "todos")
    assert.strictEqual(read(Schema.Union([Schema.Literal("todos"), Schema.Int]), "7"), 7)
    assert.strictEqual(
      read(
        Schema.suspend(() => Schema.Int),
        "7"
      ),
      7
    )
  })
})

describe("the author's own schema", () => {
  it("own messages win over built-in texts", () => {
    const Age = Schema.Int.check(Schema.isBetween({ minimum: 18, maximum: 99 }, { message: "Solo adultos" }))
    assert.strictEqual(told(Age, "7"), "Solo adultos")
    const Code = Schema.String.check(Schema.makeFilter((code: string) => code.startsWith("A") || "Empieza por A"))
    assert.strictEqual(told(Code, "B1"), "Empieza por A")
    const Even = Schema.Int.check(Schema.makeFilter((n: number) => n % 2 === 0))
    assert.strictEqual(told(Even, "7"), "Esa respuesta no es válida. Inténtalo otra vez, por favor.")
    assert.strictEqual(
      told(Schema.String.check(Schema.isMinLength(3)), "ab"),
      "Es demasiado corto: hacen falta al menos 3 caracteres."
    )
    assert.strictEqual(
      told(Schema.String.check(Schema.isMaxLength(3)), "abcd"),
      "Es demasiado largo: caben como máximo 3 caracteres."
    )
  })

  it("a transformation from text gets the text, and its message is told", () => {
    const Upper = Schema.String.pipe(
      Schema.decodeTo(Schema.String, {
        decode: SchemaGetter.transformEffect((text) =>
          text === ""
            ? Effect.fail(new SchemaIssue.InvalidValue({ message: "Vacío" }))
            : Effect.succeed(text.toUpperCase())
        ),
        encode: SchemaGetter.passthrough()
      })
    )
    assert.strictEqual(read(Upper, " ana "), "ANA")
    assert.strictEqual(told(Upper, " "), "Vacío")
    assert.instanceOf(Result.getOrThrow(decodeAnswer(Schema.URLFromString, "https://example.com/x")), URL)
  })

  it("a class or a text made of a number is read as that number", () => {
    class Seats extends Schema.Class<Seats>("Seats")({ count: Schema.Int }) {}
    const FromInt = Schema.Int.pipe(
      Schema.decodeTo(Seats, {
        decode: SchemaGetter.transform((count) => ({ count })),
        encode: SchemaGetter.transform(({ count }) => count)
      })
    )
    assert.deepStrictEqual(read(FromInt, "٣"), new Seats({ count: 3 }))
    assert.strictEqual(told(FromInt, "tres"), "Escribe un número con cifras y sin separador de miles, por favor.")
  })

  it("what cannot be written is refused, not thrown", () => {
    for (const schema of [
      Schema.Struct({ a: Schema.Int }),
      Schema.Array(Schema.Int),
      Schema.Option(Schema.Int),
      Schema.Null,
      Schema.Never
    ]) {
      assert.strictEqual(read<unknown>(schema, "x"), REFUSED)
    }
  })

  it("the detail is for logs and does not repeat the answer", () => {
    const issue = Result.getOrThrow(Result.flip(decodeAnswer(Schema.Int, "4111111111111111,5")))
    assert.include(issue.detail, "integer")
    assert.notInclude(issue.detail, "4111111111111111")
  })

  it.effect("decodeAnswerEffect reads by schemas with services and effects, in the same words", () =>
    Effect.gen(function* () {
      const Known = Schema.Int.pipe(
        Schema.decodeTo(Schema.String, {
          decode: SchemaGetter.transformEffect((n) => Effect.as(Effect.yieldNow, `#${n}`)),
          encode: SchemaGetter.transform((text) => Number(text.slice(1)))
        })
      )
      assert.strictEqual(yield* decodeAnswerEffect(Schema.Int, "٣"), 3)
      assert.strictEqual((yield* Effect.flip(decodeAnswerEffect(Schema.Int, "x"))).key, "core.answer.number")
      assert.strictEqual((yield* Effect.flip(decodeAnswerEffect(Schema.Int, "3,5"))).key, "core.answer.integer")
      assert.strictEqual(yield* decodeAnswerEffect(Known, "٣١"), "#31")
    })
  )
})

describe("properties of answers", () => {
  const schemas: ReadonlyArray<Schema.Decoder<unknown>> = [
    Schema.String,
    Schema.Int,
    Schema.Boolean,
    Schema.Date,
    Schema.BigInt,
    Schema.BigDecimal,
    Schema.NumberFromString,
    Schema.Literals(["a", "b"]),
    Schema.NullOr(Schema.Union([Schema.Int, Schema.DateTimeUtc]))
  ]
  it.prop("no text throws, and a refusal always has words in every language", [Schema.String], ([text]) =>
    schemas.every((schema) =>
      Result.match(decodeAnswer(schema, text), {
        onSuccess: () => true,
        onFailure: (issue) =>
          ["es", "en", "pt"].every((lang) => !describeAnswerIssue(issue, catalogue, lang).includes("core."))
      })
    )
  )

  it.prop(
    "every whole number and its text are one answer",
    [Schema.Int],
    ([n]) => read(Schema.Int, String(n)) === n || !Number.isSafeInteger(n)
  )
})
