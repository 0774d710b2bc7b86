import { assertLinear } from "../linear.ts"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Result, Schema } from "effect"
import { TestClock } from "effect/testing"
import {
  ConfigValidationError,
  type DurationBounds,
  DurationText,
  formatDuration,
  parseDuration,
  parseDurationUnsafe,
  readDuration
} from "../../src/model/Duration.ts"

const Case = Schema.Struct({
  id: Schema.String,
  cat: Schema.String,
  input: Schema.optionalKey(Schema.Unknown),
  inputRepeat: Schema.optionalKey(
    Schema.Struct({ text: Schema.String, times: Schema.Int, suffix: Schema.optionalKey(Schema.String) })
  ),
  jsExpression: Schema.optionalKey(Schema.String),
  ms: Schema.Union([Schema.Number, Schema.Literal("invalid")]),
  why: Schema.String,
  option: Schema.optionalKey(Schema.String)
})
const Corpus = Schema.fromJsonString(Schema.Struct({ cases: Schema.Array(Case) }))
const { cases } = Schema.decodeUnknownSync(Corpus)(
  readFileSync(new URL("../fixtures/durations.json", import.meta.url), "utf8")
)

// Values that JSON cannot hold, under the expression the corpus names them by.
const expressions: { readonly [expression: string]: unknown } = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
  "-0.0001": -0.0001,
  true: true,
  "[]": [],
  "new Date(0)": new Date(0),
  "5n": 5n,
  'new String("5s")': Object("5s")
}

const bounds: { readonly [option: string]: DurationBounds } = {
  "flow.timeout": { zero: "refuse", max: "7d" },
  "steps[].delay.duration": { max: "5m" },
  "coordination.lease": { zero: "refuse" },
  "durability.poll": { zero: "refuse" }
}

const inputOf = (it: typeof Case.Type): unknown => {
  if (it.inputRepeat !== undefined)
    return it.inputRepeat.text.repeat(it.inputRepeat.times) + (it.inputRepeat.suffix ?? "")
  if (it.jsExpression === undefined) return it.input
  assert.isTrue(Object.hasOwn(expressions, it.jsExpression), `unknown expression ${it.jsExpression}`)
  return expressions[it.jsExpression]
}

const millis = (input: unknown, limits?: DurationBounds): number | "invalid" =>
  Result.match(parseDuration(input, "x", limits), { onSuccess: Duration.toMillis, onFailure: () => "invalid" as const })

const wholeMs = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3_153_600_000_000 }))

describe("duration corpus", () => {
  it.each(cases)("$id $why ($cat)", (entry) => {
    const limits = entry.option === undefined ? undefined : bounds[entry.option]
    if (entry.option !== undefined) assert.isDefined(limits, `no bounds for ${entry.option}`)
    assert.strictEqual(millis(inputOf(entry), limits), entry.ms)
    const field = entry.option ?? "x"
    const result = parseDuration(inputOf(entry), field, limits)
    if (Result.isFailure(result)) {
      assert.strictEqual(result.failure.field, field)
      assert.match(
        result.failure.message,
        /^Invalid config\..*: expected a duration \('500ms', '30s', '10m', '1h'\) or milliseconds.*, got /
      )
    }
  })
})

describe("grammar", () => {
  it.each([
    ["1.5h", 5_400_000],
    ["1h 30m", 5_400_000],
    ["1 hour 30 minutes", 5_400_000],
    ["1hour30minutes", 5_400_000],
    ["30m1h", 5_400_000],
    ["1w2d3h4m5s6ms", 788_645_006],
    ["2 HRS", 7_200_000],
    ["2 Weeks", 1_209_600_000],
    ["500 millis", 500],
    ["30s\n", 30_000],
    ["\t30\ts\r\n", 30_000],
    ["5\u00a0minutes", 300_000],
    ["1.1s", 1_100],
    ["4.35s", 4_350],
    ["0.001s", 1],
    ["0.0000001ms", 1],
    ["0.5ms 0.5ms", 1],
    ["0.5ms0.6ms", 2],
    ["0.000s", 0],
    ["36500d", 3_153_600_000_000],
    ["00000000000000000000000000001s", 1_000]
  ])("%j is %d ms", (text, ms) => assert.strictEqual(millis(text), ms))

  it.each([
    "5",
    " ",
    "\n",
    "5 S",
    "5MS",
    "1H",
    "1D",
    "1W",
    "+5s",
    "−5s",
    "--5s",
    "1e3ms",
    "1E3 ms",
    "P1D",
    "1mo",
    "1 month",
    "2 months",
    "1 year",
    "1yr",
    "1.s",
    ".5s",
    "1,5s",
    "1_000ms",
    "1h30",
    "30 1s",
    "1h,30m",
    "1h and 30m",
    "5s;",
    "٥s",
    "५s",
    "5ｓ",
    "5 minut\u0131",
    "1 wee\u212a",
    "5 \u017fec",
    "5 minu tes",
    "36500d1ms",
    "36501d",
    "5215w",
    "1\u200bs",
    "infinity",
    "null",
    "constructor",
    "hasOwnProperty",
    "0b1s",
    "½h",
    "5 ns",
    "5 µs",
    "a few seconds"
  ])("refuses %j", (text) => assert.strictEqual(millis(text), "invalid"))

  it("takes numbers as milliseconds, fractions rounded up, nothing negative", () => {
    assert.deepStrictEqual(
      [1.2, 0.0001, -0, 3_153_600_000_000, 3_153_600_000_000.5, -1, Number.POSITIVE_INFINITY].map((n) => millis(n)),
      [2, 1, 0, 3_153_600_000_000, "invalid", "invalid", "invalid"]
    )
    assert.isTrue(Object.is(millis(-0), 0), "no negative zero")
  })

  it("takes an Effect Duration, finite and not negative", () => {
    assert.deepStrictEqual(
      [Duration.seconds(5), Duration.nanos(1n), Duration.infinity, Duration.millis(-1), Duration.days(36_501)].map(
        (d) => millis(d)
      ),
      [5_000, 1, "invalid", "invalid", "invalid"]
    )
  })

  it("coerces no array, object, boxed value or function", () => {
    const inputs = [
      ["5s"],
      { valueOf: () => 5 },
      { toString: () => "5s" },
      { seconds: 5 },
      Object(5),
      () => 5,
      Symbol("5s"),
      null,
      undefined
    ]
    for (const input of inputs) assert.strictEqual(millis(input), "invalid")
  })
})

describe("ConfigValidationError", () => {
  const failure = (input: unknown, field: string, limits?: DurationBounds) =>
    Result.getOrThrow(Result.flip(parseDuration(input, field, limits)))

  it("has the documented message, B11", () => {
    const error = failure("soon", "durability.poll")
    assert.strictEqual(
      error.message,
      `Invalid config.durability.poll: expected a duration ('500ms', '30s', '10m', '1h') or milliseconds, got string ("soon")`
    )
    assert.strictEqual(error.field, "durability.poll")
    assert.strictEqual(error._tag, "ConfigValidationError")
    assert.instanceOf(error, Error)
  })

  it("names the bound that was broken, and only that", () => {
    const limits: DurationBounds = { zero: "refuse", max: "7d" }
    assert.include(failure("0s", "flow.timeout", limits).message, 'or milliseconds, above zero, got string ("0s")')
    assert.include(failure("8d", "flow.timeout", limits).message, 'or milliseconds, at most 1w, got string ("8d")')
    assert.include(failure("soon", "flow.timeout", limits).message, 'or milliseconds, got string ("soon")')
  })

  it("shows what it got in short form, whatever it was", () => {
    const shown = (input: unknown) => failure(input, "x").message.split(", got ")[1]
    assert.deepStrictEqual([null, undefined, true, Number.NaN, 5n, [], {}, () => 1, Symbol("s")].map(shown), [
      "null",
      "undefined",
      "boolean (true)",
      "number (NaN)",
      "bigint",
      "array",
      "object",
      "function",
      "symbol"
    ])
    assert.isBelow(failure("9".repeat(100_000), "x").message.length, 250)
  })

  it("throws the same from parseDurationUnsafe", () => {
    assert.throws(() => parseDurationUnsafe("soon", "lease"), ConfigValidationError, "Invalid config.lease:")
    assert.strictEqual(Duration.toMillis(parseDurationUnsafe("2m", "lease")), 120_000)
  })

  it("throws a RangeError on a bound that is no duration", () => {
    assert.throws(() => readDuration("1s", { max: "soon" }), RangeError)
  })
})

describe("properties of durations", () => {
  it.prop(
    "print-parse: parse(format(n)) = n for every whole number of milliseconds up to 36,500 d",
    [wholeMs],
    ([ms]) => millis(formatDuration(ms)) === ms
  )

  it.prop(
    "a text, its number and its Duration mean the same",
    [wholeMs],
    ([ms]) => millis(ms) === ms && millis(Duration.millis(ms)) === ms && millis(`${ms}ms`) === ms
  )

  it.prop(
    "parts add up in any order",
    [Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999 })), wholeMs],
    ([days, ms]) => {
      const total = days * 86_400_000 + ms
      const expected = total <= 3_153_600_000_000 ? total : "invalid"
      return millis(`${days}d${ms}ms`) === expected && millis(`${ms} ms ${days} days`) === expected
    }
  )

  it.prop(
    "a decimal equals its exact value, rounded up",
    [
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9_999 })),
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 99_999 }))
    ],
    ([whole, fraction]) => {
      const exact = BigInt(whole) * 100_000n + BigInt(fraction) // in 10^-5 h, which is 36 ms
      return millis(`${whole}.${String(fraction).padStart(5, "0")}h`) === Number(exact * 36n)
    }
  )

  it.prop("never throws and refuses with the one form of message", [Schema.String], ([text]) =>
    Result.match(parseDuration(text, "x"), {
      onSuccess: (duration) => Duration.toMillis(duration) >= 0,
      onFailure: (error) => error.message.startsWith("Invalid config.x: expected a duration")
    })
  )

  it("linear time in input length", () => {
    const size = 1_000_000
    const texts: ReadonlyArray<(size: number) => string> = [
      (n) => " ".repeat(n),
      (n) => "9".repeat(n),
      (n) => `0.${"1".repeat(n)}s`,
      (n) => "1s ".repeat(n / 3),
      (n) => "m".repeat(n),
      (n) => "0".repeat(n)
    ]
    for (const text of texts) assertLinear((n) => void millis(`${text(n)}x`), 20_000)
    assert.strictEqual(millis(`${"0".repeat(size)}5s`), 5_000)
    assert.strictEqual(millis(`${" ".repeat(size)}5s`), 5_000)
  })

  it.effect("a valid duration over 2^31-1 ms never fires early", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Effect.sleep(parseDurationUnsafe("52w")), { startImmediately: true })
      yield* TestClock.adjust(31_449_600_000 - 1)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      yield* Fiber.join(fiber)
    })
  )
})

describe("DurationText", () => {
  it("reads text and milliseconds and writes text", () => {
    const decode = Schema.decodeUnknownSync(DurationText)
    assert.strictEqual(Duration.toMillis(decode("1h30m")), 5_400_000)
    assert.strictEqual(Duration.toMillis(decode(1_500)), 1_500)
    assert.strictEqual(Schema.encodeSync(DurationText)(Duration.minutes(90)), "1h30m")
  })

  it("fails with the words of the option's error", () => {
    assert.throws(() => Schema.decodeUnknownSync(DurationText)("soon"), /expected a duration .* got string \("soon"\)/)
    assert.throws(() => Schema.encodeSync(DurationText)(Duration.infinity), /finite duration/)
  })

  it.prop("what is written reads back the same", [wholeMs], ([ms]) => {
    const text = Schema.encodeSync(DurationText)(Duration.millis(ms))
    return Duration.toMillis(Schema.decodeUnknownSync(DurationText)(text)) === ms
  })
})
