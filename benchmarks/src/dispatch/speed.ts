/** One process, one engine, one scenario: how many messages a second. Prints one `@@` line for the parent. */
import { type Setup, type Scenario, words } from "./Engine.ts"

const [file = "", scenario = "", triggers = "1", variant = "", chatCount = "10000", budget = "2000"] =
  process.argv.slice(2)
const chats = Number(chatCount)
const window = 64

const isScenario = (name: string): name is Scenario => ["trivial", "triggers", "conversation"].includes(name)
if (!isScenario(scenario)) throw new Error(`unknown scenario "${scenario}"`)
const { setup }: { readonly setup: Setup } = await import(new URL(file, import.meta.url).href)

let replies = 0
const engine = await setup({ scenario, triggers: Number(triggers), variant }, () => {
  replies++
})
const hits = words(Number(triggers))
let sent = 0
const text = (): string => (scenario === "trivial" ? "hola" : (hits[(sent * 37) % hits.length] ?? ""))

/** ms of CPU time of this process: a busy machine stretches the clock, not this. */
const spent = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

/** A few messages to each of the next chats in turn, `window` at a time; returns how many. */
const flood = async (): Promise<number> => {
  for (let batches = 0; batches < 16; batches++) {
    const batch: Array<Promise<unknown>> = []
    for (let n = 0; n < window; n++) {
      batch.push(engine.send(sent % chats, text()))
      sent++
    }
    await Promise.all(batch)
  }
  return 16 * window
}
/** The whole conversation with every chat, `window` chats at a time; returns how many messages. */
const talk = async (): Promise<number> => {
  let count = 0
  for (const said of ["start", "Ana", "30"]) {
    for (let chat = 0; chat < chats; chat += window) {
      const batch: Array<Promise<unknown>> = []
      for (let one = chat; one < Math.min(chats, chat + window); one++) batch.push(engine.send(one, said))
      await Promise.all(batch)
      count += batch.length
    }
  }
  return count
}

const round = scenario === "conversation" ? talk : flood
/** Whole rounds for so many ms of CPU time; returns messages and ms. */
const run = async (ms: number): Promise<readonly [number, number]> => {
  const from = spent()
  let count = 0
  while (spent() - from < ms) count += await round()
  return [count, spent() - from]
}

// The compiler takes its time, the more the larger an engine is: what is measured is a process that has been running.
await run(Number(budget) * 1.5)
replies = 0
const began = performance.now()
const [count, ms] = await run(Number(budget))
if (replies !== count) throw new Error(`${file} ${scenario}: ${replies} replies to ${count} messages`)
const value = (count / ms) * 1000
const wall = (count / (performance.now() - began)) * 1000
process.stdout.write(`@@${JSON.stringify({ value, wall, messages: count })}\n`)
process.exit(0)
