/**
 * Two processes contend for one key and hold it 5 ms each: from the release in one to the grant in the other, in round trips
 * of the same machine at the same time.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { Redis } from "ioredis"
import { longLease, open, pause, quantile, say } from "./Contender.ts"
import { startServer } from "./Server.ts"

interface Span {
  /** ms of the machine's monotonic clock, which processes share. */
  readonly from: number
  readonly to: number
}
const now = (): number => Number(process.hrtime.bigint()) / 1e6

const contend = async (file: string, port: number): Promise<void> => {
  const { hold } = await open(file, { port, callers: 2, lease: longLease })
  const spans: Array<Span> = []
  process.send?.("up")
  await once(process, "message")
  const end = now() + 4_000
  while (now() < end) {
    await hold("same", async () => {
      const from = now()
      await pause(5)
      spans.push({ from, to: now() })
    })
  }
  process.send?.(spans)
}

/** One EVALSHA and its answer, ms: after a pause, as the turns come. */
const roundTrip = async (port: number): Promise<number> => {
  const client = new Redis(port, "127.0.0.1")
  const sha = String(await client.script("LOAD", "return 1"))
  const times: Array<number> = []
  for (let nth = 0; nth < 400; nth++) {
    await pause(5)
    const from = now()
    await client.evalsha(sha, 1, "key", "a")
    times.push(now() - from)
  }
  client.disconnect()
  return quantile(times, 0.5)
}

const compare = async (file: string): Promise<void> => {
  const server = await startServer()
  const round = await roundTrip(server.port)
  const script = fileURLToPath(import.meta.url)
  const both = [0, 1].map(() => fork(script, [file, String(server.port)]))
  await Promise.all(both.map((child) => once(child, "message")))
  const told = Promise.all(both.map((child) => once(child, "message")))
  for (const child of both) child.send("go")
  const all = (await told).flatMap(([spans], whose) => spans.map((span: Span) => ({ ...span, whose })))
  all.sort((a, b) => a.from - b.from)
  const passed = all.flatMap((span, nth) => {
    const before = all[nth - 1]
    return before === undefined || before.whose === span.whose ? [] : [span.from - before.to]
  })
  for (const child of both) child.kill()
  const p50 = quantile(passed, 0.5)
  say({
    value: p50 / round,
    p50,
    p99: quantile(passed, 0.99),
    roundTrip: round,
    handovers: passed.length,
    overlaps: passed.filter((time) => time < 0).length
  })
  await server.stop()
  process.exit(0)
}

const [file = "", port] = process.argv.slice(2)
await (port === undefined ? compare(file) : contend(file, Number(port)))
