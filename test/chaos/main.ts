/** `pnpm chaos`: real processes on a real Redis, broken on purpose under load; one line of JSON at the end. */
import { parseArgs } from "node:util"
import { runMain } from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import { isPlan, type PlanName, plans } from "./nemesis/Plan.ts"
import { run } from "./Run.ts"

const help = `usage: pnpm chaos [--fault NAME] [--seconds N] [--rate N] [--chats N] [--replicas N] [--seed N] [--again MS] [--log FILE]

Replicas of a bot on a private Redis, simulated customers who write, and faults. The log of the transport, a process of its
own, decides; the last line of the output is the verdict as JSON, and the exit code is 1 when something was not as promised.

  --fault     ${Object.entries(plans)
    .map(([name, { about }]) => `${name.padEnd(9)} ${about}`)
    .join("\n              ")}
              Default: mix.
  --seconds   how long faults are made, 30 by default
  --rate      messages a second, 200 by default
  --chats     500 by default
  --replicas  3 by default
  --seed      of the chance that picks faults and customers' moves
  --again     the transport delivers again, elsewhere, what was not admitted within so many ms
  --log       a file that keeps the transport's log
`

const whole = (name: string, given: string, least: number): number => {
  const value = Number(given)
  if (Number.isInteger(value) && value >= least) return value
  console.error(`--${name} must be a whole number from ${least} on, got ${given}`)
  process.exit(2)
}

const { values } = parseArgs({
  options: {
    fault: { type: "string", default: "mix" },
    seconds: { type: "string", default: "30" },
    rate: { type: "string", default: "200" },
    chats: { type: "string", default: "500" },
    replicas: { type: "string", default: "3" },
    seed: { type: "string", default: "1" },
    again: { type: "string" },
    log: { type: "string" },
    help: { type: "boolean", default: false }
  }
})
if (values.help) {
  console.log(help)
  process.exit(0)
}
const planOf = (name: string): PlanName => {
  if (isPlan(name)) return name
  console.error(`there is no fault "${name}", there are ${Object.keys(plans).join(", ")}`)
  process.exit(2)
}
const program = Effect.gen(function* () {
  const verdict = yield* run({
    plan: planOf(values.fault),
    seconds: whole("seconds", values.seconds, 1),
    rate: whole("rate", values.rate, 1),
    chats: whole("chats", values.chats, 1),
    replicas: whole("replicas", values.replicas, 2),
    seed: whole("seed", values.seed, 0),
    again: values.again === undefined ? undefined : whole("again", values.again, 1),
    lease: 1_000,
    log: values.log,
    tell: (line) => console.error(line)
  })
  const { evidence, ...line } = verdict
  for (const one of evidence) console.error(one)
  console.log(JSON.stringify(line))
  if (!verdict.ok) process.exitCode = 1
})
runMain(Effect.scoped(program))
