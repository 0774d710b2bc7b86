/**
 * A million conversations, started through the bot, dormant in a SQLite file: the heap of the whole process, in bytes.
 * One of them is then answered, to see that it goes on. Needs `--expose-gc`.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setup } from "./Botmesh.ts"

const [chatCount = "1000000"] = process.argv.slice(2)
const chats = Number(chatCount)
const window = 256
const collect = globalThis.gc
if (collect === undefined) throw new Error("run with --expose-gc")

const folder = mkdtempSync(join(tmpdir(), "botmesh-bench-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
process.env["BENCH_FILE"] = join(folder, "million.db")

let replies = 0
const engine = await setup({ scenario: "conversation", triggers: 1, variant: "flow-dormant-sqlite" }, () => {
  replies++
})
const from = performance.now()
let most = 0
for (let chat = 0; chat < chats; chat += window) {
  const batch: Array<Promise<unknown>> = []
  for (let one = chat; one < Math.min(chats, chat + window); one++) batch.push(engine.send(one, "start"))
  await Promise.all(batch)
  most = Math.max(most, process.memoryUsage().heapUsed)
}
const seconds = (performance.now() - from) / 1000
await engine.rest?.()
for (let n = 0; n < 5; n++) {
  await new Promise((resolve) => setTimeout(resolve, 60))
  collect()
}
const { external, heapUsed, rss } = process.memoryUsage()
if (replies !== chats) throw new Error(`${replies} questions asked to ${chats} chats`)
await engine.send(Math.floor(chats / 2), "Ana")
if (replies !== chats + 1) throw new Error("a dormant conversation did not go on")
process.stdout.write(
  `@@${JSON.stringify({ value: heapUsed + external, rss, most, perSecond: chats / seconds, seconds })}\n`
)
process.exit(0)
