/** Flow documents by chance: valid ones, and ones with something changed in them. */
import type { Dice } from "./Dice.ts"
import { print, someTree } from "./Expressions.ts"

type Json = unknown
type Fields = Record<string, Json>

const keys = ["name", "age", "list", "deep", "blank", "plan", "a.b", "user-name", "2fa"]
const words = ["Hola", "¿Tu nombre?", "👍", "x", "مرحبا", "a b c", "{ }", "ñandú"]
const flows = ["child", "other"]

const text = (dice: Dice): string =>
  [
    dice.pick(words),
    ...dice.many(2, () => (dice.once(2) ? `{{ ${dice.pick([...keys, "$body", "deep.a[0].b"])} }}` : dice.pick(words)))
  ].join(" ")

const expression = (dice: Dice): string => {
  const source = print(someTree(dice, 2), dice)
  return source.length > 1000 ? "true" : source
}
const maybe = (dice: Dice, fields: Fields): Fields => (dice.once(2) ? fields : {})
const timeout = (dice: Dice): Json => dice.pick(["30s", "5m", "1h", 1000, "1.5h", "7d"])
const tries = (dice: Dice): Fields =>
  dice.pick<Fields>([{}, { retries: dice.below(21) }, { maxAttempts: 1 + dice.below(21) }])

const question = (dice: Dice): Fields => ({
  text: text(dice),
  stateKey: dice.pick(keys),
  ...maybe(dice, { answer: dice.pick(["text", "number", "integer", "boolean", "date"]) }),
  ...maybe(dice, { validate: { expr: expression(dice), ...maybe(dice, { message: text(dice) }) } }),
  ...tries(dice)
})

const options = (dice: Dice, level: number): ReadonlyArray<Fields> =>
  Array.from({ length: 1 + dice.below(5) }, (_, index) => ({
    key: `k${index}`,
    label: `${dice.pick(words)} ${index}`,
    ...(level > 1 && dice.once(3) ? { steps: steps(dice, level - 1) } : {})
  }))

const expressions = (dice: Dice): Fields => Object.fromEntries(dice.many(3, () => [dice.pick(keys), expression(dice)]))

const basics: ReadonlyArray<(dice: Dice, level: number) => Fields> = [
  (dice) => ({ kind: "say", text: text(dice) }),
  (dice) => ({ kind: "ask", ...question(dice), ...maybe(dice, { timeout: timeout(dice) }) }),
  (dice, level) => ({
    kind: "choose",
    text: text(dice),
    options: options(dice, level),
    ...maybe(dice, { stateKey: dice.pick(keys) }),
    ...maybe(dice, { timeout: timeout(dice) }),
    ...tries(dice)
  }),
  (dice) => ({ kind: "delay", duration: dice.pick(["1s", "5m", 10]) }),
  (dice) => ({ kind: "goto", target: dice.pick(flows), ...maybe(dice, { inputs: expressions(dice) }) }),
  (dice) => ({ kind: "end", ...maybe(dice, { text: text(dice) }) })
]
const others: ReadonlyArray<(dice: Dice, level: number) => Fields> = [
  (dice) => ({
    kind: "media",
    type: "image",
    url: `https://cdn.example.com/{{ ${dice.pick(keys)} }}.jpg`,
    ...maybe(dice, { caption: text(dice) })
  }),
  (dice) => ({
    kind: "form",
    fields: Array.from({ length: 1 + dice.below(3) }, (_, index) => ({
      ...question(dice),
      stateKey: `f${index}`,
      ...maybe(dice, { label: `${dice.pick(words)} ${index}` })
    })),
    ...maybe(dice, { summary: text(dice) }),
    ...maybe(dice, { labels: { confirm: "Sí" } })
  }),
  (dice) => ({
    kind: "subflow",
    flow: "child",
    ...maybe(dice, { inputs: expressions(dice) }),
    ...maybe(dice, { outputs: { name: "code" } })
  }),
  (dice, level) => ({
    kind: "http",
    method: dice.pick(["GET", "POST", "PUT", "PATCH", "DELETE"]),
    url: `https://api.example.com/{{ ${dice.pick(keys)} }}`,
    stateKey: dice.pick(keys),
    ...maybe(dice, { headers: { "X-Key": { secret: "pay" } } }),
    ...maybe(dice, { body: expressions(dice), retries: dice.below(6), timeout: "30s", maxBytes: 100 }),
    ...maybe(dice, { result: "data.items[0].status" }),
    ...(level > 1 && dice.once(2) ? { else: steps(dice, level - 1) } : {})
  }),
  (dice) => ({
    kind: "handoff",
    ...maybe(dice, { to: "ventas" }),
    ...maybe(dice, { message: text(dice), allowReturn: dice.once(2) })
  }),
  (dice, level) => ({
    kind: "ai",
    model: "small",
    prompt: text(dice),
    stateKey: dice.pick(keys),
    ...maybe(dice, {
      output: { mood: { oneOf: ["a", "b"] }, n: "integer" },
      tools: ["t"],
      maxRounds: 2,
      timeout: "1m"
    }),
    ...(level > 1 && dice.once(2) ? { else: steps(dice, level - 1) } : {})
  })
]

const step = (dice: Dice, level: number): Fields => {
  if (level > 1 && dice.once(5)) {
    return dice.once(3)
      ? { kind: "guard", if: expression(dice), else: steps(dice, level - 1) }
      : {
          kind: "condition",
          if: expression(dice),
          then: steps(dice, level - 1),
          ...maybe(dice, { else: steps(dice, level - 1) })
        }
  }
  return dice.pick(dice.once(3) ? others : basics)(dice, level)
}
const steps = (dice: Dice, level: number): ReadonlyArray<Fields> =>
  Array.from({ length: 1 + dice.below(level > 2 ? 4 : 2) }, () => step(dice, level))

/** The documents that generated ones name. */
export const around: ReadonlyArray<Json> = [
  { version: 2, id: "child", inputs: ["name"], steps: [{ kind: "ask", text: "?", stateKey: "code" }] },
  { version: 2, id: "other", steps: [{ kind: "say", text: "x" }] }
]

/** A document that compiles. */
export const someDocument = (dice: Dice): Fields => {
  const made = steps(dice, dice.once(20) ? 6 : 1 + dice.below(3))
  let count = 0
  const named = (list: ReadonlyArray<Fields>): ReadonlyArray<Fields> =>
    list.map((one) => (dice.once(4) ? { id: `s${count++}`, ...one } : one))
  return {
    version: 2,
    id: dice.pick(["doc", "a.b:c-d_e", "X"]),
    ...maybe(dice, { name: "Nombre" }),
    ...maybe(dice, {
      trigger: dice.pick<Json>(["hola", ["a", "b"], { keywords: ["x", "y"], match: "contains", scope: "dm" }])
    }),
    ...maybe(dice, { timeout: timeout(dice) }),
    ...maybe(dice, { persistent: dice.once(2) }),
    ...maybe(dice, { inputs: ["source"] }),
    steps: named(made)
  }
}

const junk: ReadonlyArray<(dice: Dice) => Json> = [
  () => null,
  () => true,
  (dice) => dice.pick([0, -1, 1.5, 1e9, Number.NaN, Number.POSITIVE_INFINITY]),
  (dice) =>
    dice.pick([
      "",
      " ",
      "x".repeat(5000),
      "{{",
      "{{ a b }}",
      "((((",
      "a b",
      "__proto__",
      "constructor",
      "\ud800",
      "99999d"
    ]),
  () => [],
  () => ({}),
  () => undefined,
  () => [[[[[[[[]]]]]]]],
  () => ({ kind: "say" }),
  () => ({ kind: "condition", if: "true", then: [{ kind: "condition", if: "a", then: [] }] }),
  () => Object.create({ kind: "say", text: "x" }),
  () => () => 1
]
const keyNames = [
  "kind",
  "text",
  "id",
  "stateKey",
  "if",
  "then",
  "else",
  "steps",
  "options",
  "label",
  "key",
  "retries",
  "tigger",
  "__proto__",
  "constructor"
]

interface Slot {
  readonly holder: Fields | Array<Json>
  readonly key: string | number
}
const slotsOf = (value: Json): ReadonlyArray<Slot> => {
  if (Array.isArray(value))
    return value.flatMap((item, key): ReadonlyArray<Slot> => [{ holder: value, key }, ...slotsOf(item)])
  if (typeof value !== "object" || value === null) return []
  const holder = value as Fields
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...slotsOf(holder[key])])
}

const change = (dice: Dice, { holder, key }: Slot): void => {
  const fields = holder as Fields
  const old = fields[key]
  switch (dice.below(6)) {
    case 0:
      if (Array.isArray(holder)) holder.splice(Number(key), 1)
      else delete fields[key]
      return
    case 1:
      if (Array.isArray(holder)) holder.push(old)
      else fields[dice.pick(keyNames)] = old
      return
    case 2:
      if (typeof old === "string") {
        const at = dice.below(old.length + 1)
        fields[key] = old.slice(0, at) + dice.pick(["(", "{{", "}}", "'", ".", " ", "$", "é"]) + old.slice(at)
        return
      }
      if (Array.isArray(old)) {
        fields[key] = [...old, ...old]
        return
      }
      fields[key] = dice.pick(junk)(dice)
      return
    default:
      fields[key] = dice.pick(junk)(dice)
  }
}

/** A valid document with one to three changes, which may still be valid. */
export const someMutant = (dice: Dice): Json => {
  const document: Fields = JSON.parse(JSON.stringify(someDocument(dice)))
  if (dice.once(50)) return dice.pick(junk)(dice)
  for (let changes = 1 + dice.below(3); changes > 0; changes--) {
    const slots = slotsOf(document)
    if (slots.length > 0) change(dice, dice.pick(slots))
  }
  return document
}
