/** A process that holds 200 turns is killed (kill -9) while another waits for them: ms until those are granted, at p99. */
import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { open, quantile, say } from "./Contender.ts"
import { startServer } from "./Server.ts"

const ours = "./Botmesh.ts"
const lease = 1_000
const turns = 200
const kills = 3
const keys = Array.from({ length: turns }, (_, nth) => `key${nth}`)

const holdForEver = async (port: number): Promise<void> => {
  const { hold } = await open(ours, { port, callers: turns, lease })
  let held = 0
  for (const key of keys) {
    void hold(key, () => {
      if (++held === turns) process.send?.("held")
      return new Promise(() => {})
    })
  }
  await once(process, "disconnect")
}

const watch = async (): Promise<void> => {
  const server = await startServer()
  const { hold } = await open(ours, { port: server.port, callers: turns, lease })
  const times: Array<number> = []
  for (let nth = 0; nth < kills; nth++) {
    const holder = fork(fileURLToPath(import.meta.url), [String(server.port)])
    await once(holder, "message")
    let killedAt = Number.POSITIVE_INFINITY
    const granted = keys.map((key) => hold(key, async () => void times.push(performance.now() - killedAt)))
    // All of them wait by then: a turn that nobody holds is granted in a fraction of it.
    await new Promise((resolve) => setTimeout(resolve, 500))
    killedAt = performance.now()
    holder.kill("SIGKILL")
    await Promise.all(granted)
  }
  const early = times.filter((time) => time < 0).length
  if (early > 0) throw new Error(`${early} turns were granted while they were held`)
  say({ value: quantile(times, 0.99), p50: quantile(times, 0.5), most: Math.max(...times), lease, turns: times.length })
  await server.stop()
  process.exit(0)
}

const [port] = process.argv.slice(2)
await (port === undefined ? watch() : holdForEver(Number(port)))
