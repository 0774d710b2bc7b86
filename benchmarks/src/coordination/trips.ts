/** Commands that clients sent for an uncontended turn, as the server saw them; `scripts` are those of INFO commandstats. */
import { Redis } from "ioredis"
import { open, pause, say } from "./Contender.ts"
import { startServer } from "./Server.ts"

const [file = ""] = process.argv.slice(2)
const turns = 500
const server = await startServer()
// No renewal comes in between: they are counted by a case of their own.
const contender = await open(file, { port: server.port, callers: 1, lease: 300_000 })
const take = async (count: number): Promise<void> => {
  let left = count
  await contender.caller(
    (nth) => `key${nth % 16}`,
    () => left-- > 0,
    () => {}
  )
}
await take(64)
await pause(200)

let commands = 0
const watcher = new Redis(server.port, "127.0.0.1")
const monitor = await watcher.monitor()
monitor.on("monitor", (_time: string, [name = ""]: ReadonlyArray<string>, source: string) => {
  if (source !== "lua" && !/^(?:info|config|client|ping|hello)$/iu.test(name)) commands++
})
await pause(200)
commands = 0
const before = await server.scripts()
await take(turns)
const scripts = (await server.scripts()) - before
// What the server has told by now is read.
await pause(300)
say({ value: commands / turns, scripts: scripts / turns })
await server.stop()
process.exit(0)
