import { assertLinear } from "../linear.ts"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { isSameText, normalise } from "../../src/handlers/Normalise.ts"

const Corpus = Schema.fromJsonString(
  Schema.Struct({
    cases: Schema.Array(
      Schema.Struct({
        id: Schema.String,
        cat: Schema.String,
        a: Schema.String,
        b: Schema.String,
        equal: Schema.NullOr(Schema.Boolean),
        why: Schema.String
      })
    )
  })
)
const { cases } = Schema.decodeUnknownSync(Corpus)(
  readFileSync(new URL("../fixtures/text-normalisation.json", import.meta.url), "utf8")
)

describe("text normalisation corpus", () => {
  it.each(cases)("$id $cat: $why", ({ a, b, equal }) => {
    if (equal === null) assert.isTrue(normalise(a) === "" || normalise(b) === "")
    else assert.strictEqual(normalise(a) === normalise(b), equal)
    assert.strictEqual(isSameText(a, b), equal === true)
  })
})

describe("normal form", () => {
  it.each([
    ["  Hóla \n", "hola"],
    ["¡Buenos   DÍAS!", "¡buenos dias!"],
    ["İSTANBUL", "istanbul"],
    ["Ünïcödé ﬁn", "unicode fin"],
    ["С НОВЫМ ГОДОМ, Ёжик", "с новым годом, ежик"],
    ["ΑΣ ΑΣΑ ας", "ασ ασα ασ"],
    ["«Hola» “hola” ‘hola’", `"hola" "hola" 'hola'`],
    ["d´accord dʼaccord", "d'accord d'accord"],
    ["5−3 5–3 5—3 5‐3", "5-3 5-3 5-3 5-3"],
    ["e\u0301\u200b\u0301t\ufe0fe", "ete"],
    ["🏴󠁧󠁢󠁥󠁮󠁧󠁿 sí", "🏴󠁧󠁢󠁥󠁮󠁧󠁿 si"],
    ["hola\u{e0061}", "hola"],
    ["a\u0085b\u00a0c\u2003d", "a b c d"],
    ["ＨＯＬＡ　１", "hola 1"]
  ])("%j becomes %j", (text, form) => assert.strictEqual(normalise(text), form))

  it.each([
    ["и", "й", "the breve makes another letter"],
    ["у", "ў", "the breve makes another letter"],
    ["і", "ї", "the points make another letter"],
    ["и\u0306", "и\u0301", "decomposed breve against an accent"],
    ["🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "tags are what tells two flags apart"],
    ["か", "が", "voiced kana"],
    ["=", "≠", "an overlay on a symbol is no accent"],
    ["ø", "o", "no decomposition"]
  ])("%s is not %s: %s", (one, other) => assert.isFalse(isSameText(one, other)))

  it.each([
    ["й", "и\u0306"],
    ["й", "и\u0301\u0306"],
    ["ї", "і\u0308"],
    ["أ", "ا"],
    ["ǘ", "u"],
    ["ᾄ", "α"],
    ["ẛ̣", "s"]
  ])("%s is the same as %s", (one, other) => assert.isTrue(isSameText(one, other)))

  it("an empty normal form never equals anything, not even itself", () => {
    for (const empty of ["", " ", "\u200b", "\ufeff\u00ad", "\ufe0f", "\n\t"]) {
      assert.strictEqual(normalise(empty), "")
      assert.isFalse(isSameText(empty, empty))
    }
  })

  it('CONV-13: "atencion" and "ATENCIÓN " are the option Atención; "holanda" and "hola amigo" are not the trigger hola', () => {
    assert.isTrue(isSameText("Atención", "atencion"))
    assert.isTrue(isSameText("Atención", "ATENCIÓN "))
    assert.isFalse(isSameText("hola", "holanda"))
    assert.isFalse(isSameText("hola", "hola amigo"))
  })
})

// Characters that meet every rule: accents in three scripts, marks of others, invisible, quotes, white space, surrogates.
const Alphabet = Schema.Literals([
  "a",
  "A",
  "é",
  "ñ",
  "İ",
  "ß",
  "i",
  "ı",
  "σ",
  "ς",
  "Σ",
  "ά",
  "и",
  "й",
  "і",
  "ї",
  "Ё",
  "ش",
  "ש",
  "क",
  "한",
  "ᄒ",
  "ᅡ",
  "ᆫ",
  "か",
  "ガ",
  "ｶ",
  "ﾞ",
  "\u0301",
  "\u0306",
  "\u0308",
  "\u0307",
  "\u0316",
  "\u0345",
  "\u0338",
  "\u0483",
  "\u0489",
  "\u05b8",
  "\u064b",
  "\u0654",
  "\u093c",
  "\u0958",
  "\u3099",
  "\u20e3",
  "\u034f",
  "\u0344",
  "\u200b",
  "\u200d",
  "\u00ad",
  "\ufe0f",
  "\u{e0100}",
  "\u{e0067}",
  "\u{e007f}",
  "🏴",
  "👋",
  "👩",
  "❤",
  "1",
  "²",
  "①",
  "½",
  "…",
  "¨",
  "´",
  " ",
  "\t",
  "\n",
  "\u00a0",
  "\u2028",
  "\u3000",
  "\u0000",
  "\u007f",
  "'",
  "’",
  "“",
  "«",
  "–",
  "-",
  "\ud83d",
  "\udc4b",
  "\udb40",
  "ﬁ",
  "ﷺ",
  "℀",
  "≠",
  "𝒳",
  "\u{1d15e}"
])
const Mixed = Schema.Array(Alphabet)

// Every character but the unassigned, the private and the two long rows of ideographs and Hangul, which never change.
const everyCharacter = function* (): Generator<string> {
  for (let code = 0; code <= 0x10ffff; code++) {
    const char = String.fromCodePoint(code)
    const dull =
      (code > 0x4e00 && code < 0x9fff) || (code > 0xac00 && code < 0xd7a3) || (code > 0x20000 && code < 0x2f800)
    if (!dull && !/[\p{Cn}\p{Co}]/u.test(char)) yield char
  }
}

describe("properties of normalisation", () => {
  it.prop("idempotent for every string: of a mixed alphabet", [Mixed], ([parts]) => {
    const once = normalise(parts.join(""))
    return normalise(once) === once
  })

  it.prop("idempotent for every string: of any characters", [Schema.String], ([text]) => {
    const once = normalise(text)
    return normalise(once) === once
  })

  it("idempotent for every character there is, alone and between a letter and a mark", () => {
    for (const char of everyCharacter()) {
      for (const text of [char, `a${char}\u0301`, `и${char}\u0306`]) {
        const once = normalise(text)
        if (normalise(once) !== once) assert.fail(JSON.stringify(text))
      }
    }
  })

  // A Hangul syllable takes the whole text to the general rule, so this compares it with the fast ones.
  it.prop("the fast paths say what the general rule says", [Mixed], ([parts]) => {
    const text = `x${parts.join("")}x`
    return normalise(`${text}한`) === `${normalise(text)}한`
  })

  it("the fast paths say what the general rule says of every character", () => {
    for (const char of everyCharacter()) {
      for (const text of [`x${char}x`, `è${char}\u0301x`]) {
        if (normalise(`${text}한`) !== `${normalise(text)}한`) assert.fail(JSON.stringify(text))
      }
    }
  })

  it.prop("the same form for composed and decomposed text", [Mixed], ([parts]) => {
    const text = parts.join("").replaceAll("´", "").replaceAll("\u034f", "")
    return normalise(text.normalize("NFD")) === normalise(text.normalize("NFC"))
  })

  it.prop("no white space at the ends or twice, no capital that has a small letter", [Mixed], ([parts]) => {
    const form = normalise(parts.join(""))
    return !/^\s|\s$|\s\s/u.test(form) && form === form.toLowerCase().replaceAll("ς", "σ")
  })

  it.each([
    "\u0130",
    "\u0301",
    "e\u0301",
    "é",
    "\u0301\u0316",
    "😀",
    "が",
    "\ud83d",
    "\u200b",
    " ",
    "\u00a8",
    "한",
    "🏴",
    "\u{e0061}",
    "и\u0306",
    "ﷺ"
  ])("linear time: %j", (unit) => {
    assertLinear((size) => void normalise(unit.repeat(size)), 32_000)
  })

  it.each(["tr_TR.UTF-8", "lt_LT.UTF-8", "C"])("independent of process locale: %s", (locale) => {
    const program = `
      import { normalise } from ${JSON.stringify(new URL("../../src/model/Normalise.ts", import.meta.url).href)}
      process.stdout.write(JSON.stringify(["ISTANBUL", "İI", "ıi", "Ì", "J\\u0307", "ΑΣ"].map(normalise)))`
    const printed = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
      env: { ...process.env, LANG: locale, LC_ALL: locale, LANGUAGE: locale },
      encoding: "utf8"
    })
    assert.deepStrictEqual(JSON.parse(printed), ["istanbul", "ii", "ıi", "i", "j", "ασ"])
  })
})
