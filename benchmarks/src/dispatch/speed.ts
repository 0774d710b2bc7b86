/** One process, one engine, one scenario: how many messages a second. Prints one `@@` line for the parent. */
import { type Setup, type Scenario, words } from "./Engine.ts"

const [file = "", scenario = "", triggers = "1", variant = "", chatCount = "10000", budget = "1500"] =
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

/** Messages to all chats in turn, `window` at a time, for so many ms; returns how many. */
const flood = async (ms: number): Promise<number> => {
  const from = performance.now()
  let count = 0
  while (performance.now() - from < ms) {
    const batch: Array<Promise<unknown>> = []
    for (let n = 0; n < window; n++) {
      batch.push(engine.send(sent % chats, text()))
      sent++
    }
    await Promise.all(batch)
    count += window
  }
  return count
}
/** The whole conversation with every chat, `window` chats at a time. */
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

const rounds = scenario === "conversation" ? { warm: 2, measured: 2 } : { warm: 1, measured: 1 }
const round = scenario === "conversation" ? talk : () => flood(Number(budget))
for (let n = 0; n < rounds.warm; n++) await (scenario === "conversation" ? talk() : flood(Number(budget) / 2))
replies = 0
const cpu = process.cpuUsage()
const from = performance.now()
let count = 0
for (let n = 0; n < rounds.measured; n++) count += await round()
const ms = performance.now() - from
const { system, user } = process.cpuUsage(cpu)
if (replies !== count) throw new Error(`${file} ${scenario}: ${replies} replies to ${count} messages`)
process.stdout.write(
  `@@${JSON.stringify({ value: (count / (user + system)) * 1e6, wall: (count / ms) * 1000, messages: count })}\n`
)
process.exit(0)
