/**
 * One process, one engine: what a parked conversation weighs. Needs `--expose-gc`. Prints one `@@` line for the parent:
 * the heap a conversation takes in all, and for an engine that can throw its store's rows away, what it takes beside them.
 */
import type { Setup } from "./Engine.ts"

const [file = "", variant = "", chatCount = "100000"] = process.argv.slice(2)
const chats = Number(chatCount)
const warm = 1000
const window = 64
const { setup }: { readonly setup: Setup } = await import(new URL(file, import.meta.url).href)
const engine = await setup({ scenario: "conversation", triggers: 1, variant }, () => {})

const collect = globalThis.gc
if (collect === undefined) throw new Error("run with --expose-gc")
const heap = async (): Promise<number> => {
  for (let n = 0; n < 5; n++) {
    await new Promise((resolve) => setTimeout(resolve, 60))
    collect()
  }
  const { external, heapUsed } = process.memoryUsage()
  return heapUsed + external
}
const park = async (from: number, to: number): Promise<void> => {
  for (let chat = from; chat < to; chat += window) {
    const batch: Array<Promise<unknown>> = []
    for (let one = chat; one < Math.min(to, chat + window); one++) batch.push(engine.send(one, "start"))
    await Promise.all(batch)
  }
  await engine.rest?.()
}

await park(0, warm)
engine.forgetRows?.()
const empty = await heap()
await park(warm, warm + chats)
const full = await heap()
engine.forgetRows?.()
const bare = engine.forgetRows === undefined ? full : await heap()
process.stdout.write(`@@${JSON.stringify({ value: (bare - empty) / chats, all: (full - empty) / chats })}\n`)
// The engine is in use to the end: nothing of it may be collected before.
Object.assign(globalThis, { engine })
process.exit(0)
