/** Numbers as people type them on any keyboard: decimal digits of every script, and keycaps. */
import { normalise } from "./Normalise.ts"

const digit = /\p{Nd}/u
const digits = /\p{Nd}/gu
const keycap = /(\p{Nd})\uFE0F?\u20E3/gu

// Unicode keeps the ten digits of a script together and in order, so a digit is worth its distance from the first one.
const valueOf = (char: string): string => {
  const code = char.codePointAt(0) ?? 0
  let zero = code
  while (digit.test(String.fromCodePoint(zero - 1))) zero--
  return String((code - zero) % 10)
}

/**
 * Replaces every decimal digit, of whatever script, by its ASCII one, and keycaps by the digit on them.
 *
 * Pure and linear. Source: design 9 ("any digits, keycaps included")
 */
export const asciiDigits = (text: string): string =>
  text
    .replace(keycap, "$1")
    .replaceAll("🔟", "10")
    .replace(digits, (char) => (char < "\u0080" ? char : valueOf(char)))

const MAX_NUMERAL = 64

/**
 * The whole number that a whole text is: `"4"`, `"٤"`, `"４"`, `"4️⃣"`, `"🔟"`; undefined for anything else, so for
 * `"cabina 4"`, `"4."`, `"-4"` and numbers that JavaScript cannot hold exactly.
 *
 * Pure. Source: CONV-11
 */
export const wholeNumeral = (text: string): number | undefined => {
  if (text.length > MAX_NUMERAL) return undefined
  const ascii = asciiDigits(normalise(text))
  if (!/^[0-9]+$/.test(ascii)) return undefined
  const value = Number(ascii)
  return Number.isSafeInteger(value) ? value : undefined
}
