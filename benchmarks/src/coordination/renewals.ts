/** Commands of one round of renewals with 10,000 turns held, over those with 640. */
import { open, pause, say } from "./Contender.ts"
import { startServer } from "./Server.ts"

const lease = 6_000
const rounds = 3
/** ms without a command that end a round. */
const gap = 1_000

const server = await startServer()
const { hold } = await open("./Botmesh.ts", { port: server.port, callers: 1, lease })
let held = 0
const holdUpTo = async (count: number): Promise<void> => {
  for (let nth = held; nth < count; nth++) {
    void hold(`key${nth}`, () => {
      held++
      return new Promise(() => {})
    })
  }
  while (held < count) await pause(20)
}

/** Commands a round, over whole rounds. */
const renewals = async (): Promise<number> => {
  let last = await server.scripts()
  let changedAt = performance.now()
  const counts: Array<number> = []
  let count = 0
  while (counts.length <= rounds) {
    await pause(20)
    const now = await server.scripts()
    if (now !== last) {
      count += now - last
      last = now
      changedAt = performance.now()
    } else if (count > 0 && performance.now() - changedAt > gap) {
      counts.push(count)
      count = 0
    }
  }
  // The first may have begun before.
  const whole = counts.slice(1)
  return whole.reduce((sum, one) => sum + one, 0) / whole.length
}

await holdUpTo(640)
const few = await renewals()
await holdUpTo(10_000)
const many = await renewals()
say({ value: many / few, few, many })
await server.stop()
process.exit(0)
