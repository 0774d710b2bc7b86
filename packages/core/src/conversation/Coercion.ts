/**
 * The one coercion by which numbers, booleans and dates are read from what a person writes. It depends on no locale, and
 * where a text could mean two things it means none: asking again costs less than a wrong answer.
 *
 * Source: design 3 ("read text by one documented coercion"), B3
 */
import { normalise } from "../model/Normalise.ts"
import { asciiDigits, wholeNumeral } from "../model/Numerals.ts"

const MAX_LENGTH = 64

const plainForm = (text: string): string => (text.length > MAX_LENGTH ? "" : asciiDigits(normalise(text)))

const decimal = /^([+-]?)([0-9]*)(?:[.,\u066B]([0-9]+))?$/
const grouped = /^([+-]?)([1-9][0-9]{0,2}(?:([.,' \u066C])[0-9]{3})(?:\3[0-9]{3})*)(?:([.,\u066B])([0-9]+))?$/
const thousandOrDecimal = /^[+-]?[1-9][0-9]{0,2}[.,][0-9]{3}$/

/**
 * A number in plain decimal notation (`-1234.5`), or undefined.
 *
 * Digits of any script and keycaps; one decimal point or comma; a sign. Thousands may be grouped by points, commas,
 * blanks or apostrophes where only one reading is left: `1.234,5`, `1 234` and `1.234.567` are read, `1.234` and `1,234`
 * are refused. So are exponents, fractions, units and words.
 *
 * Pure. Source: B3
 */
export const readDecimal = (text: string): string | undefined => {
  const form = plainForm(text)
  if (form === "" || thousandOrDecimal.test(form)) return undefined
  const plain = decimal.exec(form)
  if (plain !== null) return canonical(plain[1], plain[2], plain[3])
  const parts = grouped.exec(form)
  if (parts === null || parts[3] === parts[4]) return undefined
  return canonical(parts[1], parts[2]?.replace(/[^0-9]/g, ""), parts[5])
}

const canonical = (sign = "", whole = "", fraction = ""): string | undefined => {
  if (whole === "" && fraction === "") return undefined
  const left = whole.replace(/^0+(?=[0-9])/, "")
  return `${sign === "-" ? "-" : ""}${left === "" ? "0" : left}${fraction === "" ? "" : `.${fraction}`}`
}

/**
 * A JavaScript number: as `readDecimal`, but a whole number that would lose digits (over 2^53) is refused.
 *
 * Pure. Source: B3
 */
export const readNumber = (text: string): number | undefined => {
  const value = Number(readDecimal(text) ?? Number.NaN)
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) return undefined
  return value === 0 ? 0 : value
}

/** Whether a normal form is a word for yes, or for no. */
export interface YesNo {
  readonly yes: (form: string) => boolean
  readonly no: (form: string) => boolean
}

/**
 * A yes or no: one of the words as the whole answer, or 1 or 0 in any digits.
 *
 * Pure. Source: B3
 */
export const readBoolean = (text: string, words: YesNo): boolean | undefined => {
  const form = normalise(text)
  if (words.yes(form)) return true
  if (words.no(form)) return false
  const numeral = wholeNumeral(text)
  return numeral === 1 ? true : numeral === 0 ? false : undefined
}

const time = "(?:[t ]([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?(?: ?(z|[+-][0-9]{2}:?[0-9]{2}))?)?"
const yearFirst = new RegExp(`^(?<y>[1-9][0-9]{3})([-/.])(?<m>[0-9]{1,2})\\2(?<d>[0-9]{1,2})${time}$`)
const dayFirst = new RegExp(`^(?<d>[0-9]{1,2})([-/.])(?<m>[0-9]{1,2})\\2(?<y>[1-9][0-9]{3})${time}$`)

const daysIn = (year: number, month: number): number =>
  month === 2
    ? year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
      ? 29
      : 28
    : [4, 6, 9, 11].includes(month)
      ? 30
      : 31

/** Minutes of `+02:00`, `-0330`, `z` or nothing; undefined over 14 hours. */
const offsetMinutes = (zone: string | undefined): number | undefined => {
  if (zone === undefined || zone === "z") return 0
  const digits = zone.replace(":", "")
  const [hours, minutes] = [Number(digits.slice(1, 3)), Number(digits.slice(3))]
  if (minutes > 59 || hours * 60 + minutes > 14 * 60) return undefined
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes)
}

/**
 * A date or time in milliseconds since the epoch, or undefined.
 *
 * ISO 8601 (`2026-12-31`, `2026-12-31T10:30`, `2026-12-31T10:30:00+01:00`) and day/month/year with `/`, `-` or `.`
 * (`31/12/2026`, `31.12.2026 10:30`), in digits of any script. Never month first; years have four digits; the day has to
 * exist. Without a zone the time is UTC, a date alone is its midnight in UTC.
 *
 * Pure: it knows neither the clock nor the zone of the process. Source: B3
 */
export const readDate = (text: string): number | undefined => {
  const form = plainForm(text)
  const match = yearFirst.exec(form) ?? dayFirst.exec(form)
  if (match === null) return undefined
  const { y, m, d } = match.groups ?? {}
  const [year, month, day] = [Number(y), Number(m), Number(d)]
  const [hour = 0, minute = 0, second = 0] = match.slice(5, 8).map((part: string | undefined) => Number(part ?? 0))
  const offset = offsetMinutes(match[9])
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 59 || offset === undefined) return undefined
  const millis = Number((match[8] ?? "0").padEnd(3, "0").slice(0, 3))
  return Date.UTC(year, month - 1, day, hour, minute, second, millis) - offset * 60_000
}
