/**
 * How many turns a second, by so many callers with sixteen keys each.
 *
 * Counted in CPU time, so that a busy machine stretches nothing: one caller waits for client and server in turn, so both
 * count; many keep both at work at once, so the one that has more to do counts. `wall` is by the clock.
 */
import { longLease, open, say } from "./Contender.ts"
import { startServer } from "./Server.ts"

const [file = "", count = "1"] = process.argv.slice(2)
const callers = Number(count)
/** ms of CPU time of this process, and of the clock at most. */
const budget = 1_500
const longest = 12_000

const server = await startServer()
const contender = await open(file, { port: server.port, callers, lease: longLease })

const spent = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

let turns = 0
const run = async (ms: number): Promise<void> => {
  const from = spent()
  const began = performance.now()
  let going = true
  let asked = 0
  const goes = (): boolean => {
    // To ask for the CPU time is a call of the system: not before every turn.
    if (++asked % 64 === 0) going &&= spent() - from < ms && performance.now() - began < longest
    return going
  }
  const caller = (nth: number) =>
    contender.caller(
      (turn) => `key${nth}-${turn % 16}`,
      goes,
      () => void turns++
    )
  await Promise.all(Array.from({ length: callers }, (_, nth) => caller(nth)))
}

// The compiler takes its time: what is measured is a process that has been running.
await run(budget * 1.5)
turns = 0
const [client, remote, clock] = [spent(), await server.spent(), performance.now()]
await run(budget)
const wall = (turns / (performance.now() - clock)) * 1000
const mine = spent() - client
const theirs = (await server.spent()) - remote
const value = (turns / (callers === 1 ? mine + theirs : Math.max(mine, theirs))) * 1000
say({ value, wall, clientMicros: (mine / turns) * 1000, serverMicros: (theirs / turns) * 1000, turns })
await server.stop()
process.exit(0)
