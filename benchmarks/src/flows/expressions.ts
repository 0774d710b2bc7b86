/**
 * One process, one engine: how often a second `len(answer) > 1 && oneOf(plan, "pro", "max")` is evaluated, or compiled and
 * run once. Prints one `@@` line.
 */
import { compileExpression } from "@botmesh/flows"
import { Result } from "effect"

type State = Readonly<Record<string, string>>
type Run = (state: State) => unknown
type Compile = () => Run

const [engine = "", mode = "", budget = "1500"] = process.argv.slice(2)
const source = 'len(answer) > 1 && oneOf(plan, "pro", "max")'
const states: ReadonlyArray<State> = [
  { answer: "Ana", plan: "pro" },
  { answer: "Luis", plan: "free" },
  { answer: "A", plan: "max" },
  { answer: "Sofía", plan: "max" }
]
const wanted = [true, false, false, true]
const len = (text: string): number => text.length
const oneOf = (value: unknown, ...others: ReadonlyArray<unknown>): boolean => others.includes(value)

/** Any JavaScript there is for it: peers of which some have no types. */
const peer = async (name: string): Promise<Readonly<Record<string, never>>> => import(name)

/** Closures as one would write them by hand for just this grammar: the floor, with a parser of its own to compile. */
const closures: Compile = () => {
  const tokens = source.match(/"[^"]*"|\d+|[A-Za-z]+|&&|[>(),]/gu) ?? []
  let at = 0
  const value = (): ((state: State) => unknown) => {
    const token = tokens[at++] ?? ""
    if (token.startsWith('"')) {
      const text: unknown = JSON.parse(token)
      return () => text
    }
    if (/^\d/u.test(token)) {
      const number = Number(token)
      return () => number
    }
    if (tokens[at] !== "(") return (state) => state[token]
    at++
    const args: Array<(state: State) => unknown> = []
    while (tokens[at] !== ")") {
      args.push(value())
      if (tokens[at] === ",") at++
    }
    at++
    const [a, b, c] = args
    if (token === "len" && a !== undefined) return (state) => String(a(state)).length
    return a === undefined || b === undefined || c === undefined
      ? () => false
      : (state) => oneOf(a(state), b(state), c(state))
  }
  const left = value()
  at++
  const right = value()
  at++
  const chosen = value()
  return (state) => Number(left(state)) > Number(right(state)) && chosen(state)
}

const at = { chat: undefined as never }
const engines: Readonly<Record<string, () => Promise<Compile>>> = {
  botmesh: async () => () => {
    const { test } = Result.getOrThrow(compileExpression(source))
    return (state) => test(state, at)
  },
  closure: async () => closures,
  filtrex: async () => {
    const compile: (text: string, options: object) => Run = (await peer("filtrex"))["compileExpression"] as never
    return () => compile('len(answer) > 1 and oneOf(plan, "pro", "max")', { extraFunctions: { len, oneOf } })
  },
  jexl: async () => {
    const Jexl: new () => {
      readonly addFunction: (name: string, f: unknown) => void
      readonly compile: (text: string) => { readonly evalSync: Run }
    } = ((await peer("jexl"))["default"] as never)["Jexl"]
    const jexl = new Jexl()
    jexl.addFunction("len", len)
    jexl.addFunction("oneOf", oneOf)
    return () => {
      const expression = jexl.compile(source)
      return (state) => expression.evalSync(state)
    }
  },
  cel: async () => {
    interface Environment {
      readonly registerVariable: (name: string, type: string) => Environment
      readonly parse: (text: string) => Run
    }
    const Make: new () => Environment = (await peer("@marcbachmann/cel-js"))["Environment"] as never
    const environment = new Make().registerVariable("answer", "string").registerVariable("plan", "string")
    return () => environment.parse('size(answer) > 1 && plan in ["pro", "max"]')
  }
}

const make = engines[engine]
if (make === undefined) throw new Error(`unknown engine "${engine}"`)
const compile = await make()
const compiled = compile()
states.forEach((state, index) => {
  if (Boolean(compiled(state)) !== wanted[index]) throw new Error(`${engine} answers state ${index} wrongly`)
})

let held = 0
const spent = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}
const evaluate = (): number => {
  for (let n = 0; n < 20_000; n++) if (compiled(states[n & 3] ?? {})) held++
  return 20_000
}
const compileOnce = (): number => {
  for (let n = 0; n < 200; n++) if (compile()(states[n & 3] ?? {})) held++
  return 200
}
const round = mode === "compile" ? compileOnce : evaluate
const run = (ms: number): readonly [number, number] => {
  const from = spent()
  let count = 0
  while (spent() - from < ms) count += round()
  return [count, spent() - from]
}
run(Number(budget))
const [count, ms] = run(Number(budget))
if (held === 0) throw new Error("nothing was true")
process.stdout.write(`@@${JSON.stringify({ value: (count / ms) * 1000 })}\n`)
