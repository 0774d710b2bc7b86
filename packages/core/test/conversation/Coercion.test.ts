import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { readBoolean, readDate, readDecimal, readNumber } from "../../src/conversation/Coercion.ts"

describe("numbers", () => {
  it.each([
    ["31", "31"],
    [" 31 ", "31"],
    ["٣١", "31"],
    ["３１", "31"],
    ["3️⃣1️⃣", "31"],
    ["🔟", "10"],
    ["3,5", "3.5"],
    ["3.5", "3.5"],
    ["٣٫٥", "3.5"],
    ["-3,5", "-3.5"],
    ["−3", "-3"],
    ["+3", "3"],
    [",5", "0.5"],
    ["007", "7"],
    ["0,125", "0.125"],
    ["0.125", "0.125"],
    ["12,34", "12.34"],
    ["1234,567", "1234.567"],
    ["1.234,5", "1234.5"],
    ["1,234.5", "1234.5"],
    ["1.234.567", "1234567"],
    ["1,234,567.25", "1234567.25"],
    ["1 234", "1234"],
    ["1\u202f234,5", "1234.5"],
    ["1'234", "1234"],
    ["1’234.5", "1234.5"],
    ["١٬٢٣٤٫٥", "1234.5"]
  ])("%j is %s", (text, decimal) => assert.strictEqual(readDecimal(text), decimal))

  it.each([
    "1.234",
    "1,234",
    "-1.234",
    "999.999",
    "",
    " ",
    "-",
    "+",
    ".",
    ",",
    "3.",
    "3,",
    "1..2",
    "1,,2",
    "1.23.4",
    "1,23,456",
    "12.34,5.6",
    "0.123.456",
    "1 23",
    "12 3456",
    "1.234 567",
    "1e3",
    "0x10",
    "Infinity",
    "NaN",
    "½",
    "1/2",
    "31 años",
    "31€",
    "€31",
    "50%",
    "treinta",
    "3-4",
    "--3",
    "3 4",
    "1.234,567.8",
    "1'234'56",
    "9".repeat(100)
  ])("refuses %j", (text) => assert.isUndefined(readDecimal(text)))

  it("refuses what JavaScript cannot hold exactly, and gives no negative zero", () => {
    assert.strictEqual(readNumber("9007199254740991"), 9_007_199_254_740_991)
    assert.isUndefined(readNumber("9007199254740993"))
    assert.isTrue(Object.is(readNumber("-0"), 0))
    assert.strictEqual(readNumber("3,5"), 3.5)
  })

  const Whole = Schema.Int.check(Schema.isBetween({ minimum: -9_007_199_254_740_991, maximum: 9_007_199_254_740_991 }))
  it.prop("every whole number reads back, in ASCII and Arabic digits", [Whole], ([n]) => {
    const arabic = String(n).replace(/[0-9]/g, (digit) => String.fromCodePoint(0x660 + Number(digit)))
    return readNumber(String(n)) === n && readNumber(arabic) === n
  })

  it.prop(
    "grouped as Spanish and English write it, a number is itself or refused, never another",
    [
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 99_999_999 })),
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 99 }))
    ],
    ([whole, cents]) => {
      const groups = String(whole).replace(/\B(?=(\d{3})+$)/g, "_")
      const value = Number(`${whole}.${String(cents).padStart(2, "0")}`)
      return [
        [".", ","],
        [",", "."]
      ].every(([group = "", point = ""]) => {
        const text = groups.replaceAll("_", group)
        const read = readNumber(text)
        return (
          readNumber(`${text}${point}${String(cents).padStart(2, "0")}`) === value &&
          (read === undefined || read === whole)
        )
      })
    }
  )

  it.prop("never throws", [Schema.String], ([text]) => {
    const value = readNumber(text)
    return value === undefined || Number.isFinite(value)
  })
})

describe("yes and no", () => {
  const words = { yes: (form: string) => form === "si", no: (form: string) => form === "no" }
  it.each([
    ["Sí", true],
    [" SI ", true],
    ["no", false],
    ["1", true],
    ["٠", false],
    ["0️⃣", false],
    ["sí claro", undefined],
    ["2", undefined],
    ["", undefined]
  ])("%j is %s", (text, value) => assert.strictEqual(readBoolean(text, words), value))
})

describe("dates", () => {
  const iso = (text: string) => {
    const at = readDate(text)
    return at === undefined ? undefined : new Date(at).toISOString()
  }
  it.each([
    ["2026-12-31", "2026-12-31T00:00:00.000Z"],
    ["2026/1/5", "2026-01-05T00:00:00.000Z"],
    ["31/12/2026", "2026-12-31T00:00:00.000Z"],
    ["5-1-2026", "2026-01-05T00:00:00.000Z"],
    ["٣١/١٢/٢٠٢٦", "2026-12-31T00:00:00.000Z"],
    ["29.02.2028", "2028-02-29T00:00:00.000Z"],
    ["01/02/2026", "2026-02-01T00:00:00.000Z"],
    ["31/12/2026 10:30", "2026-12-31T10:30:00.000Z"],
    ["2026-12-31T10:30", "2026-12-31T10:30:00.000Z"],
    ["2026-12-31T10:30:15.25Z", "2026-12-31T10:30:15.250Z"],
    ["2026-12-31T00:30:00+01:00", "2026-12-30T23:30:00.000Z"],
    ["2026-12-31 10:30 -0330", "2026-12-31T14:00:00.000Z"]
  ])("%j is %s", (text, at) => assert.strictEqual(iso(text), at))

  it.each([
    "31/02/2026",
    "29/02/2026",
    "29/02/2100",
    "12/31/2026",
    "2026-13-01",
    "2026-00-10",
    "0/1/2026",
    "32/1/2026",
    "31/12/26",
    "31/12-2026",
    "31/12",
    "2026",
    "20261231",
    "hoy",
    "mañana",
    "31 de diciembre de 2026",
    "2026-12-31T24:00",
    "2026-12-31T10:60",
    "2026-12-31T10:00+15:00",
    "2026-12-31T10",
    "",
    "0000-01-01",
    "2026-12-31x"
  ])("refuses %j", (text) => assert.isUndefined(readDate(text)))

  const Millis = Schema.Int.check(Schema.isBetween({ minimum: Date.UTC(1000, 0, 1), maximum: Date.UTC(9999, 11, 31) }))
  it.prop("what toISOString prints reads back", [Millis], ([at]) => readDate(new Date(at).toISOString()) === at)
})
