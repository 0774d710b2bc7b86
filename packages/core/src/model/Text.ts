/**
 * Lengths and cuts of text in the unit a transport counts in, never through a character as people see it.
 *
 * Source: TG-09 of the scenarios, "split long text" of the transports' limits.
 */

/** How a transport counts: UTF-16 units (Telegram), code points (WhatsApp) or bytes of UTF-8 (button data). */
export type TextUnit = "utf16" | "codepoints" | "bytes"

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" })

const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff
const isLow = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff

/** UTF-16 units of the code point that starts at `at`: 2 for a surrogate pair. */
const width = (text: string, at: number): 1 | 2 =>
  isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1)) ? 2 : 1

const cost = (text: string, at: number, unit: TextUnit): number => {
  switch (unit) {
    case "utf16":
      return width(text, at)
    case "codepoints":
      return 1
    case "bytes": {
      const code = text.charCodeAt(at)
      return code < 0x80 ? 1 : code < 0x800 ? 2 : width(text, at) === 2 ? 4 : 3
    }
  }
}

/** The index after the last code point that still fits when counting from `from`. */
const reach = (text: string, from: number, limit: number, unit: TextUnit): number => {
  let at = from
  let left = limit
  while (at < text.length) {
    left -= cost(text, at, unit)
    if (left < 0) break
    at += width(text, at)
  }
  return at
}

const checkLimit = (limit: number): void => {
  if (!Number.isSafeInteger(limit) || limit < 1) {
    throw new RangeError(`A text limit is a whole number from 1, got ${limit}`)
  }
}

/**
 * The length of a text as the transport counts it. A lone surrogate counts as the three bytes of its replacement.
 *
 * @param unit UTF-16 units, code points or bytes of UTF-8
 */
export const textLength = (text: string, unit: TextUnit): number => {
  if (unit === "utf16") return text.length
  let length = 0
  for (let at = 0; at < text.length; at += width(text, at)) length += cost(text, at, unit)
  return length
}

const plain = (code: number): boolean => code >= 0x20 && code < 0x7f

/** The last index up to `end` where no character is cut, counted from `from`; `from` itself if one fills it all. */
const boundary = (text: string, from: number, end: number): number => {
  if (end >= text.length) return text.length
  if (plain(text.charCodeAt(end - 1)) && plain(text.charCodeAt(end))) return end
  // Whether `end` cuts a character depends on the code point behind it and on no further one.
  const segment = graphemes.segment(text.slice(from, end + width(text, end))).containing(end - from)
  return segment === undefined ? end : from + segment.index
}

// What joins the character before it, be that a space: more than Unicode's own rule says, so never less.
const joins = /^[\p{Grapheme_Extend}\p{M}\p{Emoji_Modifier}\u200D\u0E33\u0EB3]/u

const isBreak = (text: string, at: number): boolean =>
  at >= text.length || (!joins.test(text.slice(at, at + 2)) && !(text[at] === "\n" && text[at - 1] === "\r"))

/** The index after the last place of `window` that `isPlace` accepts, looking from its end; 0 without one. */
const lastBreak = (window: string, whole: string, from: number, isPlace: (at: number) => boolean): number => {
  for (let at = window.length - 1; at >= 0; at--) {
    if (isPlace(at) && isBreak(whole, from + at + 1)) return at + 1
  }
  return 0
}

const space = /\s/u

/** Where the part that starts at `from` ends: after a paragraph, a line, a space, else after a whole character. */
const partEnd = (text: string, from: number, limit: number, unit: TextUnit): number => {
  const end = reach(text, from, limit, unit)
  if (end === text.length) return end
  if (end === from) throw new RangeError(`The limit of ${limit} ${unit} is less than one character of the text`)
  const window = text.slice(from, end)
  const firstSeen = window.search(/\S/u)
  if (firstSeen >= 0) {
    const isLine = (at: number) => window[at] === "\n"
    const isParagraph = (at: number) =>
      isLine(at) && (window[at - 1] === "\n" || (window[at - 1] === "\r" && window[at - 2] === "\n"))
    for (const isPlace of [isParagraph, isLine, (at: number) => space.test(window[at] ?? "")]) {
      const at = lastBreak(window, text, from, isPlace)
      // A part of white space only is refused by transports as an empty message.
      if (at > firstSeen) return from + at
    }
  }
  const whole = boundary(text, from, end)
  return whole > from ? whole : end
}

/**
 * Splits a text into parts that fit: after the last paragraph that fits, else the last line, else the last space, else
 * the last whole character (grapheme cluster). A character that alone is over the limit is split between code points;
 * a surrogate pair never is. White space stays at the end of the part before it, so the parts joined are the text.
 *
 * @param text any text; an empty one gives one empty part
 * @param limit the most a part may measure, a whole number from 1
 * @param unit what the transport counts: UTF-16 units, code points or bytes of UTF-8
 * @throws RangeError at once for a limit of 0, below, NaN or a fraction, and for one that a single code point exceeds
 *
 * Linear in the text, whatever the limit. Pure. Source: TG-09
 */
export const splitText = (text: string, limit: number, unit: TextUnit): ReadonlyArray<string> => {
  checkLimit(limit)
  const parts: Array<string> = []
  let from = 0
  do {
    const end = partEnd(text, from, limit, unit)
    parts.push(text.slice(from, end))
    from = end
  } while (from < text.length)
  return parts
}

/**
 * Cuts a text to a limit on a whole character and marks the cut. A text that fits comes back as it is. Where not even
 * the mark fits, what fits of the text comes back without it.
 *
 * @param text any text
 * @param limit the most the result may measure, a whole number from 1
 * @param unit what the transport counts: UTF-16 units, code points or bytes of UTF-8
 * @param mark what stands for the rest, "…" by default
 * @throws RangeError for a limit of 0, below, NaN or a fraction
 *
 * Pure. Source: limits of the transports ("a label over the limit is cut on a grapheme boundary with an ellipsis")
 */
export const cutText = (text: string, limit: number, unit: TextUnit, mark = "…"): string => {
  checkLimit(limit)
  if (reach(text, 0, limit, unit) === text.length) return text
  const room = limit - textLength(mark, unit)
  const shown = room < 0 ? "" : mark
  const end = reach(text, 0, room < 0 ? limit : room, unit)
  return text.slice(0, end === 0 ? 0 : boundary(text, 0, end)).trimEnd() + shown
}
