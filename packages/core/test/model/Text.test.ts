import { assertLinear } from "../linear.ts"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { cutText, splitText, type TextUnit, textLength } from "../../src/model/Text.ts"

const units: ReadonlyArray<TextUnit> = ["utf16", "codepoints", "bytes"]
const astronaut = "👩‍🚀"

describe("TG-09", () => {
  it("TG-09: 4,095 × a + 🎩 + 500 × b: no part cuts the pair, each is at most 4,096 units, joined they are the text", () => {
    const text = `${"a".repeat(4095)}🎩${"b".repeat(500)}`
    const parts = splitText(text, 4096, "utf16")
    assert.deepStrictEqual(
      parts.map((part) => part.length),
      [4095, 502]
    )
    assert.isTrue(parts.every((part) => part.isWellFormed()))
    assert.strictEqual(parts.join(""), text)
  })

  it("TG-09: 3,000 astronauts are split between astronauts", () => {
    const text = astronaut.repeat(3000)
    const parts = splitText(text, 4096, "utf16")
    assert.deepStrictEqual(
      parts.map((part) => part.length),
      [4095, 4095, 4095, 2715]
    )
    assert.isTrue(parts.every((part) => part.replaceAll(astronaut, "") === ""))
    assert.strictEqual(parts.join(""), text)
  })

  it.each([0, -1, Number.NaN, 0.5, 10.5, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    "TG-09: a limit of %d throws at once",
    (limit) => {
      for (const unit of units) {
        assert.throws(() => splitText("hola", limit, unit), RangeError)
        assert.throws(() => splitText("", limit, unit), RangeError)
        assert.throws(() => cutText("hola", limit, unit), RangeError)
      }
    }
  )
})

describe("splitText", () => {
  const parts = (text: string, limit: number, unit: TextUnit = "utf16") => splitText(text, limit, unit)

  it("leaves a text that fits alone", () => {
    assert.deepStrictEqual(parts("hola", 4), ["hola"])
    assert.deepStrictEqual(parts("", 4), [""])
  })

  it("prefers a paragraph, then a line, then a space, then a character", () => {
    assert.deepStrictEqual(parts("uno\n\ndos\ntres x cuatro", 15), ["uno\n\n", "dos\n", "tres x cuatro"])
    assert.deepStrictEqual(parts("uno\r\n\r\ndos\r\ntres", 12), ["uno\r\n\r\n", "dos\r\ntres"])
    assert.deepStrictEqual(parts("uno dos tres", 8), ["uno dos ", "tres"])
    assert.deepStrictEqual(parts("abcdefgh", 3), ["abc", "def", "gh"])
  })

  it("never breaks between \\r and \\n, nor between a space and the mark that stands on it", () => {
    assert.deepStrictEqual(parts("abc\r\ndef", 4), ["abc", "\r\nde", "f"])
    assert.deepStrictEqual(parts("ab \u0301cd", 4), ["ab \u0301", "cd"])
    assert.deepStrictEqual(parts("a b \u0301cde", 4), ["a ", "b \u0301c", "de"])
  })

  it("makes no part of white space while there is another way", () => {
    assert.deepStrictEqual(parts("\n\nabcdef", 4), ["\n\nab", "cdef"])
    assert.deepStrictEqual(parts("     ", 2), ["  ", "  ", " "])
  })

  it("splits a character that alone is over the limit between code points", () => {
    assert.deepStrictEqual(parts(astronaut, 4), ["👩‍", "🚀"])
    assert.deepStrictEqual(parts(`e${"\u0301".repeat(5)}`, 3), ["e\u0301\u0301", "\u0301\u0301\u0301"])
  })

  it("counts in the unit of the transport", () => {
    assert.deepStrictEqual(parts("🎩🎩🎩", 2, "utf16"), ["🎩", "🎩", "🎩"])
    assert.deepStrictEqual(parts("🎩🎩🎩", 2, "codepoints"), ["🎩🎩", "🎩"])
    assert.deepStrictEqual(parts("ñññ", 4, "bytes"), ["ññ", "ñ"])
    assert.deepStrictEqual(parts("€€", 3, "bytes"), ["€", "€"])
  })

  it("throws when a single code point exceeds the limit, rather than break the promise or loop", () => {
    assert.throws(() => parts("🎩", 1), RangeError)
    assert.throws(() => parts("aé", 1, "bytes"), RangeError)
    assert.deepStrictEqual(parts("ab", 1, "bytes"), ["a", "b"])
  })

  const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" })
  const Piece = Schema.Literals([
    "a",
    "bc",
    "ñ",
    "e\u0301",
    "€",
    "🎩",
    astronaut,
    "🇪🇸",
    "🇺",
    "👋🏽",
    "한",
    "ᄒ",
    "क्षि",
    " ",
    "\n",
    "\r\n",
    "\n\n",
    " \u0301",
    "\t",
    "\ud83d",
    "\u200d"
  ])
  const Limit = Schema.Int.check(Schema.isBetween({ minimum: 4, maximum: 40 }))

  it.prop(
    "joined parts equal the text, each fits and none is empty or cuts a pair",
    [Schema.Array(Piece), Limit, Schema.Literals(units)],
    ([pieces, limit, unit]) => {
      const text = pieces.join("")
      const result = splitText(text, limit, unit)
      const cutsPair = (part: string, next: string | undefined) =>
        next !== undefined && /[\ud800-\udbff]$/.test(part) && /^[\udc00-\udfff]/.test(next)
      return (
        result.join("") === text &&
        result.every(
          (part, at) =>
            textLength(part, unit) <= limit && (part !== "" || text === "") && !cutsPair(part, result[at + 1])
        )
      )
    }
  )

  it.prop(
    "a grapheme is cut only when it alone exceeds the limit",
    [Schema.Array(Piece), Limit, Schema.Literals(units)],
    ([pieces, limit, unit]) => {
      const text = pieces.join("")
      const segments = graphemes.segment(text)
      let at = 0
      return splitText(text, limit, unit).every((part) => {
        at += part.length
        const segment = segments.containing(at)
        return segment === undefined || segment.index === at || textLength(segment.segment, unit) > limit
      })
    }
  )

  it.prop("any string and any limit that holds a code point", [Schema.String, Limit], ([text, limit]) =>
    units.every((unit) => splitText(text, limit, unit).join("") === text)
  )

  it.each(["a", "a ", "a\n\n", "\n", " ", astronaut, "🇪🇸", "\u0301", " \u0301", "e\u0301", "a\n\nb c "])(
    "is linear: %j",
    (unit) => {
      for (const limit of [4096, 40]) {
        assertLinear((size) => void splitText(unit.repeat(size / unit.length), limit, "utf16"), 30_000)
      }
    }
  )
})

describe("cutText", () => {
  it("leaves a text that fits and marks one that does not", () => {
    assert.strictEqual(cutText("Plan anual", 10, "utf16"), "Plan anual")
    assert.strictEqual(cutText("Plan anual", 9, "utf16"), "Plan anu…")
    assert.strictEqual(cutText("Plan anual", 6, "utf16"), "Plan…")
    assert.strictEqual(cutText("Plan anual", 6, "utf16", ""), "Plan a")
  })

  it("cuts on a whole character, in the unit of the transport", () => {
    assert.strictEqual(cutText(`ab${astronaut}cd`, 6, "utf16"), "ab…")
    assert.strictEqual(cutText(astronaut.repeat(2), 4, "codepoints"), `${astronaut}…`)
    assert.strictEqual(cutText("ñandú", 7, "bytes"), "ñandú")
    assert.strictEqual(cutText("ñandú", 6, "bytes"), "ña…")
    assert.strictEqual(cutText(astronaut, 3, "utf16"), "…")
  })

  it("drops the mark where not even it fits", () => {
    assert.strictEqual(cutText("abc", 2, "bytes"), "ab")
    assert.strictEqual(cutText("ñandú", 1, "bytes"), "")
  })

  it.prop(
    "fits, and is the start of the text but for the mark",
    [Schema.String, Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 12 }))],
    ([text, limit]) =>
      units.every((unit) => {
        const cut = cutText(text, limit, unit)
        return textLength(cut, unit) <= limit && (cut === text || text.startsWith(cut.replace(/…$/u, "")))
      })
  )
})

describe("textLength", () => {
  it("counts units, code points and bytes", () => {
    assert.deepStrictEqual(
      units.map((unit) => textLength("a🎩ñ€", unit)),
      [5, 4, 10]
    )
    assert.strictEqual(textLength("\ud83d", "bytes"), 3)
  })

  it.prop(
    "bytes are those of UTF-8",
    [Schema.String],
    ([text]) => textLength(text, "bytes") === new TextEncoder().encode(text).length
  )
  it.prop(
    "code points are those of the iterator",
    [Schema.String],
    ([text]) => textLength(text, "codepoints") === [...text].length
  )
})
