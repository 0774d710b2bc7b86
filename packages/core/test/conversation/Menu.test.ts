import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { describeMenuIssue, makeMenu, menuIssues, renderMenu, shownLabels } from "../../src/conversation/Menu.ts"
import { asciiDigits, wholeNumeral } from "../../src/model/Numerals.ts"

const options = (...labels: ReadonlyArray<string>) => labels.map((label, at) => ({ key: `k${at + 1}`, label }))
const cabins = makeMenu(options("Cabina 1", "Cabina 3", "Cabina 4", "Cabina 2"))
const chosen = (menu: ReturnType<typeof makeMenu>, text: string, payload?: string) =>
  menu.find({ text, payload })?.label

describe("CONV-11", () => {
  it('CONV-11: "cabina 4" selects the label Cabina 4, in third place', () => {
    assert.strictEqual(cabins.find({ text: "cabina 4" })?.key, "k3")
  })

  it.each([
    "nada el 01.02",
    "4.",
    "#4",
    "la 4",
    "4 4",
    "cabina",
    "cabina 5",
    "0",
    "5",
    "-1",
    "+1",
    "1.0",
    "4️⃣!",
    "½",
    "",
    " ",
    "\u200b"
  ])("CONV-11: %j matches nothing", (text) => assert.isUndefined(chosen(cabins, text)))

  it.each(["4", " 4 ", "٤", "۴", "४", "４", "4️⃣", "4⃣", "④", "04"])("CONV-11: %j alone is the fourth option", (text) =>
    assert.strictEqual(chosen(cabins, text), "Cabina 2")
  )

  it("CONV-11: tens as digits, as two keycaps and as the keycap of ten", () => {
    const menu = makeMenu(options(...Array.from({ length: 12 }, (_, at) => `Opción ${"abcdefghijkl"[at]}`)))
    for (const ten of ["10", "1️⃣0️⃣", "🔟", "１０", "١٠", "⑩"]) assert.strictEqual(chosen(menu, ten), "Opción j")
    assert.strictEqual(chosen(menu, "1️⃣2️⃣"), "Opción l")
    assert.isUndefined(chosen(menu, "13"))
    assert.isUndefined(chosen(menu, "9".repeat(1_000)))
  })
})

describe("CONV-13", () => {
  it.each(["atencion", "ATENCIÓN ", "Atencio\u0301n", "\u2066atención\u2069"])(
    "CONV-13: %j is the option Atención",
    (text) => assert.strictEqual(chosen(makeMenu(options("Ventas", "Atención")), text), "Atención")
  )

  it.each(["atencion al cliente", "aten", "desatencion"])("CONV-13: %j is not", (text) =>
    assert.isUndefined(chosen(makeMenu(options("Ventas", "Atención")), text))
  )
})

describe("order of the match", () => {
  const tangled = makeMenu([
    { key: "a", label: "B" },
    { key: "b", label: "A" },
    { key: "pro", label: "Plan profesional" }
  ])

  it("the pressed button goes before any text", () => {
    assert.strictEqual(chosen(tangled, "A", "a"), "B")
    assert.strictEqual(chosen(tangled, "1", "pro"), "Plan profesional")
  })

  it("a payload that is no key leaves the text to decide, and keys of buttons are compared exactly", () => {
    assert.strictEqual(chosen(tangled, "A", "other"), "A")
    assert.isUndefined(chosen(tangled, "", "PRO"))
  })

  it("what a person sees goes before another option's key", () => {
    assert.strictEqual(chosen(tangled, "a"), "A")
    assert.strictEqual(chosen(tangled, "PRO"), "Plan profesional")
  })

  it("a label that is a number wins over positions, in any digits, and positions then count no more", () => {
    const stars = makeMenu(options("5", "3", "1"))
    assert.deepStrictEqual(
      ["1", "3", "5", "٥", "2"].map((text) => chosen(stars, text)),
      ["1", "3", "5", "5", undefined]
    )
  })

  it("a position goes before a key that is a number, which counts where there is no such position", () => {
    const menu = makeMenu([
      { key: "2", label: "Dos días" },
      { key: "1", label: "Un día" },
      { key: "30", label: "Un mes" }
    ])
    assert.deepStrictEqual(
      ["1", "2", "30"].map((text) => chosen(menu, text)),
      ["Dos días", "Un día", "Un mes"]
    )
    assert.strictEqual(chosen(menu, "x", "1"), "Un día")
  })

  it("the label as the transport cut it is known, and the full one still", () => {
    const long = options("Plan anual con todo incluido", "Plan anual con nada")
    const menu = makeMenu(long, shownLabels(long, 12, "utf16"))
    assert.strictEqual(chosen(menu, "Plan anual…"), long[0]?.label)
    assert.strictEqual(chosen(menu, "plan anua... 2"), long[1]?.label)
    assert.strictEqual(chosen(menu, "plan anual con nada"), long[1]?.label)
  })
})

describe("shownLabels", () => {
  it("cuts on a character, leaves short labels alone and tells equal cuts apart", () => {
    const shown = shownLabels(
      options("Pro", "Plan anual con todo", "Plan anual con nada", "Plan anual con poco"),
      12,
      "utf16"
    )
    assert.deepStrictEqual(shown, ["Pro", "Plan anual…", "Plan anua… 2", "Plan anua… 3"])
  })

  const Label = Schema.Literals([
    "Plan anual con todo",
    "Plan anual con nada",
    "Plan anual…",
    "👩‍🚀👩‍🚀👩‍🚀👩‍🚀",
    "ñandú ñandú ñandú",
    "Pro",
    "Máximo"
  ])
  it.prop(
    "every label shown fits, and selects its own option",
    [Schema.Array(Label), Schema.Literals([8, 12, 20])],
    ([labels, limit]) => {
      const all = options(...new Set(labels))
      const shown = shownLabels(all, limit, "utf16")
      const menu = makeMenu(all, shown)
      return shown.every((label, at) => label.length <= limit && menu.find({ text: label }) === all[at])
    }
  )
})

describe("menuIssues", () => {
  it("names what one answer would mean twice, and what none can mean", () => {
    const issues = menuIssues([
      { key: "a", label: "Año" },
      { key: "b", label: " ANO" },
      { key: "a", label: "Mes" },
      { key: "c", label: "\u200b" }
    ])
    assert.deepStrictEqual(issues, [
      { reason: "same-label", label: " ANO", other: "Año" },
      { reason: "same-key", key: "a" },
      { reason: "empty-label", key: "c" }
    ])
    assert.deepStrictEqual(menuIssues([]), [{ reason: "no-options" }])
    assert.deepStrictEqual(menuIssues(options("Sí", "No")), [])
    assert.include(describeMenuIssue({ reason: "same-label", label: " ANO", other: "Año" }), '"Año" and " ANO"')
  })

  const Labels = Schema.Array(Schema.String.check(Schema.isMaxLength(8)))
  it.prop(
    "without issues every label selects its option, as written, in capitals and by number",
    [Labels],
    ([labels]) => {
      const all = options(...labels)
      if (menuIssues(all).length > 0) return true
      const menu = makeMenu(all)
      return all.every(
        (option, at) =>
          menu.find({ text: option.label }) === option &&
          menu.find({ text: "", payload: option.key }) === option &&
          (!menu.numbered ||
            labels.some((label) => label.trim() === String(at + 1)) ||
            menu.find({ text: String(at + 1) }) === option)
      )
    }
  )
})

describe("renderMenu", () => {
  it("numbers the options, unless a label is a number", () => {
    assert.strictEqual(renderMenu("¿Plan?", makeMenu(options("Pro", "Max"))), "¿Plan?\n1. Pro\n2. Max")
    assert.strictEqual(renderMenu("¿Nota?", makeMenu(options("5", "1"))), "¿Nota?\n- 5\n- 1")
  })
})

describe("numerals", () => {
  it("reads digits of every script there is", () => {
    let seen = 0
    for (let code = 0; code <= 0x1ffff; code++) {
      const char = String.fromCodePoint(code)
      if (!/\p{Nd}/u.test(char)) continue
      assert.strictEqual(asciiDigits(char), String(seen++ % 10), `U+${code.toString(16)}`)
    }
    assert.isAbove(seen, 600)
  })

  it("a numeral is a whole number and nothing else", () => {
    assert.deepStrictEqual(["7", "007", "٧", "7️⃣"].map(wholeNumeral), [7, 7, 7, 7])
    for (const text of ["", "7a", "7 7", "7,0", "-7", "siete", "9".repeat(17), "7".repeat(100_000)])
      assert.isUndefined(wholeNumeral(text))
  })
})
