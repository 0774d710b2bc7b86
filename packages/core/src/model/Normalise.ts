/**
 * The normal form by which texts of people and texts of authors are compared: triggers, commands, option labels, words.
 *
 * It lives in the model because conversations and handlers, which never import each other, must use the same one.
 */

// Invisible format characters and variation selectors. U+200D stays: it joins several emoji into one.
// The second alternative keeps the tag characters of a flag (England, Scotland): there they are what is seen.
const invisible = /[[[\p{Cf}&&\p{DI}]\p{VS}\u034F]--\u200D]|\u{1F3F4}[\u{E0020}-\u{E007E}]+\u{E007F}/gv
const isFlag = (match: string): boolean => match.length > 4

// The normaliser of ICU sorts a run of marks by insertion: alternating classes cost the square of the run.
// So a run is cut before, generously, and after, so that the result of a cut is not cut again.
const marksBefore = /\p{M}{32}/gu
const marksAfter = /\p{M}{16}/gu
const moreMarks = /\p{M}{0,512}/uy

/** Drops the marks that follow directly on a match of `full`, a global expression for as many marks as may stay. */
const cutMarks = (text: string, full: RegExp): string => {
  let out = ""
  let from = 0
  full.lastIndex = 0
  while (full.test(text)) {
    out += text.slice(from, full.lastIndex)
    from = moreMarks.lastIndex = full.lastIndex
    while (moreMarks.test(text) && moreMarks.lastIndex > from) from = moreMarks.lastIndex
    full.lastIndex = from
  }
  return out === "" ? text : out + text.slice(from)
}

// NFKC takes these apart: an acute that people type as an apostrophe becomes a space with a loose accent.
const acute = /\u00B4/gu
const doublePrime = /\u2033/gu
const singleQuotes = /[\u2018-\u201B\u2032\u2039\u203A\u02BB\u02BC\u05F3]/gu
const doubleQuotes = /[\u201C-\u201F\u00AB\u00BB\u05F4\u301D-\u301F]/gu
const dashes = /[\u2010-\u2015\u2212\u2E3A\u2E3B\u05BE]/gu

const accentedRun = /([[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Hebr}\p{sc=Arab}]&&\p{L}])(\p{M}+)/gv
const accents =
  /[\u0300-\u036F\u0483-\u0487\u1AB0-\u1ABD\u1ABF-\u1AEB\u1DC0-\u1DFF\u20D0-\u20DC\u20E1\u20E5-\u20F0\uFE20-\uFE2F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\uFB1E\u0610-\u061A\u064B-\u065F\u0670\u06D6-\u06DC\u06DF-\u06E4\u06E7\u06E8\u06EA-\u06ED\u0897-\u089F\u08CA-\u08E1\u08E3-\u08FF]/gu
const cyrillic = /\p{sc=Cyrl}/u

// The breve makes another letter of и and у (й, ў) and the points one of і (ї); those of ё are optional.
const lettersOwn = (base: string, mark: string): boolean =>
  (mark === "\u0306" && cyrillic.test(base)) || (mark === "\u0308" && base === "\u0456")

const stripAccents = (_: string, base: string, marks: string): string =>
  base + marks.replace(accents, (mark) => (lettersOwn(base, mark) ? mark : ""))

/** Everything but white space: compatibility forms, case, accents, invisible characters, quotes and dashes. */
const fold = (text: string): string => {
  const seen = cutMarks(
    text.replace(invisible, (match) => (isFlag(match) ? match : "")),
    marksBefore
  )
  const lower = seen.replace(acute, "'").replace(doublePrime, '"').normalize("NFKC").toLowerCase()
  const plain = lower.replace(singleQuotes, "'").replace(doubleQuotes, '"').replace(dashes, "-").replaceAll("ς", "σ")
  const bare = plain.normalize("NFD").replace(accentedRun, stripAccents).normalize("NFC")
  return cutMarks(bare, marksAfter)
}

const whiteSpace = /[\s\u0085]+/gu

const normaliseAny = (text: string): string => fold(text).replace(whiteSpace, " ").trim()

// One pass over the common characters: ASCII, Latin, Greek and Cyrillic letters, punctuation, symbols, emoji. What each
// becomes is asked of `fold` once, so that there is one set of rules; whatever needs its neighbours goes to `fold`.
const LETTERS_END = 0x0530
const SYMBOLS = 0x2000
const SYMBOLS_END = 0x27c0
const VARIATION_SELECTOR_16 = 0xfe0f
const DROPPED = 0
const NEEDS_CONTEXT = 1
const ACCENT = 2
const UNKNOWN = 3
const SPACE = 32

const accentable = /[[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}]&&\p{L}]/v
const anyMark = /\p{M}/u
const isAccent = (char: string): boolean => anyMark.test(char) && char.replace(accents, "") === ""

const entry = (code: number): number => {
  const char = String.fromCharCode(code)
  if (code < 32 || code === 127) return char.replace(whiteSpace, "") === "" ? SPACE : NEEDS_CONTEXT
  if (char === "\u0306" || char === "\u0308") return NEEDS_CONTEXT
  const folded = fold(char)
  if (folded === "") return DROPPED
  if (anyMark.test(char)) return folded.length === 1 && isAccent(char) ? ACCENT : NEEDS_CONTEXT
  if (folded.replace(whiteSpace, "") === "") return SPACE
  return folded.length === 1 ? folded.charCodeAt(0) : NEEDS_CONTEXT
}

interface Table {
  /** What each character becomes, or one of the four classes above; filled on demand. */
  readonly become: Uint16Array
  /** 1 where an accent that follows this character goes. */
  readonly carries: Uint8Array
}

const makeTable = (): Table => ({
  become: new Uint16Array(LETTERS_END + SYMBOLS_END - SYMBOLS).fill(UNKNOWN),
  carries: Uint8Array.from({ length: LETTERS_END }, (_, code) => (accentable.test(String.fromCharCode(code)) ? 1 : 0))
})

let table: Table | undefined

const slotOf = (code: number): number =>
  code < LETTERS_END ? code : code >= SYMBOLS && code < SYMBOLS_END ? code - SYMBOLS + LETTERS_END : -1

// U+1F300 to U+1FBEF: pictures, which are their own normal form.
const isPicture = (high: number, low: number): boolean =>
  (high === 0xd83c && low >= 0xdf00 && low <= 0xdfff) ||
  (high === 0xd83d && low >= 0xdc00 && low <= 0xdfff) ||
  (high === 0xd83e && low >= 0xdc00 && low < 0xdff0)

const CHUNK = 4_096
const written = new Uint16Array(CHUNK)
const take = (count: number): string => Reflect.apply(String.fromCharCode, undefined, written.subarray(0, count))

/** The normal form by the table, or undefined when some character needs its neighbours to be judged. */
const normaliseCommon = (text: string): string | undefined => {
  table ??= makeTable()
  const { become, carries } = table
  let out = ""
  let count = 0
  let last = 0
  let pendingSpace = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const slot = slotOf(code)
    const picture = slot < 0 && isPicture(code, text.charCodeAt(at + 1))
    let to = slot >= 0 ? become[slot] : picture ? code : code === VARIATION_SELECTOR_16 ? DROPPED : NEEDS_CONTEXT
    if (to === UNKNOWN) to = become[slot] = entry(code)
    if (to === undefined || to === NEEDS_CONTEXT || (to === ACCENT && carries[last] !== 1)) return undefined
    if (to > SPACE) {
      if (count > CHUNK - 3) {
        out += take(count)
        count = 0
      }
      if (pendingSpace) written[count++] = SPACE
      pendingSpace = false
      written[count++] = last = to
      if (picture) written[count++] = text.charCodeAt(++at)
    } else if (to === SPACE) {
      pendingSpace = last !== 0
      last = pendingSpace ? SPACE : 0
    }
  }
  return out + take(count)
}

const alreadyNormal = /^[!-@[-~]+(?: [!-@[-~]+)*$/
const plainAscii = /^[!-~]+(?: [!-~]+)*$/

/**
 * The normal form of a text: compatibility forms folded (NFKC), lower case, accents and optional points dropped for
 * Latin, Greek, Cyrillic, Hebrew and Arabic (ñ = n, ё = е; й and ї stay letters of their own; ς = σ), invisible format
 * characters and variation selectors dropped (U+200D stays), typographic quotes, apostrophes and dashes folded to
 * `"`, `'` and `-`, white space collapsed to one blank and trimmed.
 *
 * It never depends on the locale, never throws, is idempotent and runs in linear time. A run of more than 16 marks on
 * one character is cut. An empty normal form matches nothing: see `isSameText`.
 *
 * Source: B1
 */
export const normalise = (text: string): string =>
  alreadyNormal.test(text)
    ? text
    : plainAscii.test(text)
      ? text.toLowerCase()
      : (normaliseCommon(text) ?? normaliseAny(text))

/**
 * Whether two texts have the same normal form. Texts whose normal form is empty are never the same as anything.
 *
 * Source: B1
 */
export const isSameText = (one: string, other: string): boolean => {
  const form = normalise(one)
  return form !== "" && form === normalise(other)
}
