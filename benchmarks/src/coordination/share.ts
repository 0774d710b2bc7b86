/** Ten callers on one key: what the one who came off worst got, of an even share. */
import { longLease, open, say } from "./Contender.ts"
import { startServer } from "./Server.ts"

const [file = ""] = process.argv.slice(2)
const callers = 10
const server = await startServer()
const contender = await open(file, { port: server.port, callers, lease: longLease })

/** ms by the clock: peers that wait for a poll spend no CPU time. */
const run = async (ms: number): Promise<ReadonlyArray<number>> => {
  const shares = new Array<number>(callers).fill(0)
  const end = performance.now() + ms
  await Promise.all(
    shares.map((_, nth) =>
      contender.caller(
        () => "same",
        () => performance.now() < end,
        () => void shares[nth]!++
      )
    )
  )
  return shares
}

await run(500)
const shares = await run(3_000)
const turns = shares.reduce((sum, share) => sum + share, 0)
say({ value: Math.min(...shares) / (turns / callers), turns })
await server.stop()
process.exit(0)
