import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { fillTemplate, isWord, makeCatalogue, translate } from "../../src/i18n/Catalogue.ts"
import { coreKeys } from "../../src/i18n/CoreTexts.ts"
import { english } from "../../src/i18n/English.ts"
import { portuguese } from "../../src/i18n/Portuguese.ts"
import { spanish } from "../../src/i18n/Spanish.ts"

const places = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "").sort()

describe("built-in texts", () => {
  it.each([
    ["es", spanish],
    ["en", english],
    ["pt", portuguese]
  ] as const)("%s has every key, none more, none empty", (_, texts) => {
    assert.deepStrictEqual(Object.keys(texts).sort(), [...coreKeys].sort())
    assert.isTrue(Object.values(texts).every((text) => text.trim() === text && text !== ""))
  })

  it.each(coreKeys)("%s has the same places in every language", (key) => {
    assert.deepStrictEqual(places(spanish[key]), places(english[key]))
    assert.deepStrictEqual(places(portuguese[key]), places(english[key]))
  })

  it.each([
    ["es", "cancelar", "Atrás", "SI"],
    ["en", "Cancel", "back", "yes"],
    ["pt", "cancelar", "voltar", "sim"]
  ])("%s knows its words for cancel, back and yes", (lang, cancel, back, yes) => {
    const catalogue = makeCatalogue()
    assert.isTrue(isWord(catalogue, lang, "core.words.cancel", cancel))
    assert.isTrue(isWord(catalogue, lang, "core.words.back", ` ${back} `))
    assert.isTrue(isWord(catalogue, lang, "core.words.yes", yes))
    assert.isFalse(isWord(catalogue, lang, "core.words.cancel", `${cancel} todo`))
    assert.isFalse(isWord(catalogue, lang, "core.words.cancel", ""))
  })

  it("no word means both of a pair", () => {
    const catalogue = makeCatalogue()
    for (const lang of ["es", "en", "pt"]) {
      for (const [one, other] of [
        ["core.words.yes", "core.words.no"],
        ["core.words.cancel", "core.words.back"]
      ] as const) {
        const others = catalogue.words(lang, other)
        assert.isFalse([...catalogue.words(lang, one)].some((word) => others.has(word)))
        assert.isAbove(catalogue.words(lang, one).size, 0)
      }
    }
  })
})

describe("translate", () => {
  const catalogue = makeCatalogue({
    defaultLang: "pt",
    languages: {
      es: { shop: { hello: "Hola, {name}", only: "solo es" }, "shop.flat": "plano" },
      "es-CO": { shop: { hello: "Quiubo, {name}" } },
      pt: { shop: { hello: "Oi, {name}", count: ({ n }) => (n === 1 ? "um item" : `${n} itens`) } }
    }
  })

  it.each([
    ["es-CO", "Quiubo, Ana"],
    ["es_co", "Quiubo, Ana"],
    ["ES-co-x-private", "Quiubo, Ana"],
    ["es-419", "Hola, Ana"],
    ["es", "Hola, Ana"],
    ["fr", "Oi, Ana"],
    ["", "Oi, Ana"],
    [undefined, "Oi, Ana"],
    ["__proto__", "Oi, Ana"],
    [`es${"-x".repeat(1_000_000)}`, "Hola, Ana"]
  ])("language %j", (lang, text) => assert.strictEqual(translate(catalogue, lang, "shop.hello", { name: "Ana" }), text))

  it("goes key by key through the chain, and says an unknown key itself", () => {
    assert.strictEqual(translate(catalogue, "es-CO", "shop.only"), "solo es")
    assert.strictEqual(translate(catalogue, "es-CO", "shop.flat"), "plano")
    assert.strictEqual(translate(catalogue, "es-CO", "core.cancelled"), spanish["core.cancelled"])
    assert.strictEqual(translate(catalogue, "es-CO", "shop.count", { n: 1 }), "um item")
    assert.strictEqual(translate(catalogue, "es-CO", "shop.count", { n: 3 }), "3 itens")
    assert.strictEqual(translate(catalogue, "es", "shop.nothing"), "shop.nothing")
    assert.strictEqual(translate(catalogue, "es", "constructor"), "constructor")
    assert.strictEqual(translate(catalogue, "es", "__proto__"), "__proto__")
  })

  it("ends at English for a default language that lacks a built-in text", () => {
    const french = makeCatalogue({ defaultLang: "fr", languages: { fr: { hello: "Bonjour" } } })
    assert.strictEqual(translate(french, "fr", "core.cancelled"), english["core.cancelled"])
    assert.strictEqual(translate(french, undefined, "hello"), "Bonjour")
  })

  it("lets a bot reword a built-in text and its words, later ones winning", () => {
    const own = makeCatalogue({
      languages: [
        { es: { core: { cancelled: "Anulado", words: { cancel: "anular" } }, a: "uno", b: "uno" } },
        { es: { "core.cancelled": "Listo, anulado", b: "dos" } }
      ]
    })
    assert.strictEqual(translate(own, "es", "core.cancelled"), "Listo, anulado")
    assert.strictEqual(translate(own, "es", "core.back"), spanish["core.back"])
    assert.deepStrictEqual([translate(own, "es", "a"), translate(own, "es", "b")], ["uno", "dos"])
    assert.isTrue(isWord(own, "es", "core.words.cancel", "ANULAR"))
    assert.isFalse(isWord(own, "es", "core.words.cancel", "cancelar"))
    assert.strictEqual(translate(makeCatalogue(), "es", "core.cancelled"), "Cancelado.")
  })

  it("refuses endless nesting", () => {
    interface Loop {
      [key: string]: Loop
    }
    const loop: Loop = {}
    loop["again"] = loop
    assert.throws(() => makeCatalogue({ languages: { es: loop } }), RangeError)
  })
})

describe("fillTemplate", () => {
  it("fills own parameters once and leaves the rest as written", () => {
    assert.strictEqual(fillTemplate("{a} {b} {a} {toString}", { a: "{b}", b: 2 }), "{b} 2 {b} {toString}")
    assert.strictEqual(fillTemplate("{} { a } {a", { a: 1 }), "{} { a } {a")
    assert.strictEqual(fillTemplate("{ok}", { ok: false }), "false")
    assert.strictEqual(fillTemplate("{x}", { x: "$& $1" }), "$& $1")
  })

  it("is bounded", () => {
    const filled = fillTemplate("{x}".repeat(10_000), { x: "y".repeat(100_000) })
    assert.isBelow(filled.length, 900_000)
  })

  it.prop(
    "a template without places comes back as it is",
    [Schema.String, Schema.String],
    ([template, value]) => /\{[^{}]+\}/u.test(template) || fillTemplate(template, { name: value }) === template
  )

  it.prop(
    "what is filled in is never read again",
    [Schema.String.check(Schema.isMaxLength(4_096))],
    ([value]) => fillTemplate("<{name}>", { name: value, other: "X" }) === `<${value}>`
  )
})
