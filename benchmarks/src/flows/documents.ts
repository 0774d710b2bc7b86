/** One process: how many steps of documents are compiled a second, of documents of one length. Prints one `@@` line. */
import { compile } from "@botmesh/flows"
import { Effect } from "effect"

const [length = "50", budget = "2000"] = process.argv.slice(2)
const steps = Number(length)

/** Of every kind a little, as documents have them. */
const step = (index: number): object => {
  const kinds: ReadonlyArray<object> = [
    { kind: "say", text: `Hola {{ name }}, paso ${index}` },
    {
      kind: "ask",
      text: `¿Qué pones en ${index}?`,
      stateKey: `key${index}`,
      timeout: "10m",
      validate: { expr: "len($answer) > 1", message: "Muy corto" }
    },
    {
      kind: "choose",
      text: "¿Plan?",
      stateKey: `plan${index}`,
      options: [
        { key: "pro", label: "Pro" },
        { key: "max", label: "Max" }
      ]
    },
    { kind: "condition", if: `oneOf(plan${index - 1}, "pro", "max") && key${index - 2} != "x"`, then: [], else: [] },
    { kind: "delay", duration: "2s" }
  ]
  return kinds[index % kinds.length] ?? {}
}
const document = { version: 2, id: "bench", steps: Array.from({ length: steps }, (_, index) => step(index)) }

const spent = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}
const run = (ms: number): readonly [number, number] => {
  const from = spent()
  let count = 0
  while (spent() - from < ms) {
    for (let compiled = 0; compiled < 500; compiled += steps) {
      Effect.runSync(compile(document))
      count += steps
    }
  }
  return [count, spent() - from]
}
run(Number(budget))
const [count, ms] = run(Number(budget))
process.stdout.write(`@@${JSON.stringify({ value: (count / ms) * 1000 })}\n`)
