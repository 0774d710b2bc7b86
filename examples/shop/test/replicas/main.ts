/** `pnpm demo:replicas`: see Show.ts. */
import { parseArgs } from "node:util"
import { Cause, Effect, Exit } from "effect"
import type { Findings } from "../../../../test/chaos/judge/Judge.ts"
import { show } from "./Show.ts"

const help = `usage: pnpm demo:replicas [--replicas N] [--seconds N]

Three replicas of the shop on one Redis and a crowd of simulated customers. Every two seconds one replica is killed (kill -9)
and started again. At the end you read what became of every message. Starts a private Redis; with REDIS_URL set it uses that
one, under a prefix of its own. Ctrl-C ends it in order, with the verdict so far. Exit code 1: something was not as promised.

  --replicas  3 by default, at least 2
  --seconds   60 by default
`

const { values } = parseArgs({
  options: {
    replicas: { type: "string", default: "3" },
    seconds: { type: "string", default: "60" },
    help: { type: "boolean", default: false }
  }
})
if (values.help) {
  console.log(help)
  process.exit(0)
}
const whole = (name: string, given: string, least: number): number => {
  const value = Number(given)
  if (Number.isInteger(value) && value >= least) return value
  console.error(`--${name} must be a whole number from ${least} on, got ${given}`)
  process.exit(2)
}

/** The first Ctrl-C, whenever it comes; the second one ends at once. */
const interrupt = new Promise<void>((resolve) => {
  process.once("SIGINT", () => resolve())
})

const lines = (found: Findings): ReadonlyArray<readonly [string, number, string]> => [
  ["sent", found.sent, ""],
  ["answered", found.answered, ""],
  [
    "lost",
    found.sent - found.answered - found.unanswered.length,
    "were with a replica when it was killed: there is no durability here"
  ],
  ["unanswered", found.unanswered.length, "and nothing explains it"],
  ["doubled", found.doubled, ""],
  ["out of order", found.outOfOrder, ""],
  ["overlaps", found.overlaps + found.staleSends.other, ""]
]

const program = Effect.gen(function* () {
  const url = process.env["REDIS_URL"]
  const found = yield* show({
    replicas: whole("replicas", values.replicas, 2),
    seconds: whole("seconds", values.seconds, 1),
    url: url === "" ? undefined : url,
    ends: Effect.promise(() => interrupt)
  })
  for (const line of [...found.evidence, ...found.crashes]) console.error(line)
  console.log("")
  for (const [name, count, why] of lines(found)) {
    console.log(`  ${name.padEnd(13)}${String(count).padStart(6)}${count > 0 && why !== "" ? `   ${why}` : ""}`)
  }
  if (found.repeated > 0)
    console.log(`  ${found.repeated} last words of a killed turn were said again by whoever took over`)
  if (found.takeOver.count > 0)
    console.log(
      `  a chat whose replica was killed went on after ${found.takeOver.p50} ms (longest ${found.takeOver.most} ms)`
    )
  const wrong =
    found.unanswered.length +
    found.doubled +
    found.outOfOrder +
    found.overlaps +
    found.staleSends.other +
    found.staleTimers +
    found.wrong +
    found.crashes.length
  console.log(wrong === 0 ? "\nas promised" : `\nNOT as promised: ${wrong} violations`)
  if (wrong > 0) process.exitCode = 1
})
const ended = await Effect.runPromiseExit(Effect.scoped(program))
if (Exit.isFailure(ended)) {
  console.error(Cause.pretty(ended.cause))
  process.exitCode = 1
}
