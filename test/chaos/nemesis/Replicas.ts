/** Faults of the replicas. */
import { Effect } from "effect"
import { monotonic } from "../wire/Wire.ts"
import { anyOf, type Verb } from "./World.ts"

/** ms in which a replica is to be up; a machine that does much else may be slow. */
const boot = 30_000
/** ms in which an orderly stop is to end: its own grace is 10 s. */
const stopping = 20_000

/** kill -9; the next life starts at once. */
export const kill: Verb = Effect.fnUntraced(function* ({ fleet, random, record }) {
  yield* fleet.until(2, boot)
  const member = anyOf(fleet.up(), random)
  if (member === undefined) return
  const from = monotonic()
  yield* fleet.kill(member)
  record({ verb: "kill", pid: member.pid, from, to: monotonic() })
  fleet.start(member.name)
})

/** SIGSTOP for half a lease to five: it wakes with its turns lost, or just not. */
export const freeze: Verb = Effect.fnUntraced(function* ({ fleet, lease, random, record }) {
  yield* fleet.until(2, boot)
  const member = anyOf(fleet.up(), random)
  if (member === undefined) return
  const from = monotonic()
  member.child.kill("SIGSTOP")
  yield* Effect.ensuring(
    Effect.sleep(lease * (0.5 + 4.5 * random())),
    Effect.sync(() => member.child.kill("SIGCONT"))
  )
  record({ verb: "freeze", pid: member.pid, from, to: monotonic() })
})

/** An orderly stop, and the next life: one step of a rolling restart. */
export const stop: Verb = Effect.fnUntraced(function* ({ fleet, random, record }) {
  const all = fleet.all().length
  yield* fleet.until(all, boot)
  const member = anyOf(fleet.up(), random)
  if (member === undefined) return
  const from = monotonic()
  yield* fleet.stop(member, stopping)
  record({ verb: "stop", pid: member.pid, from, to: monotonic() })
  fleet.start(member.name)
  yield* fleet.until(all, boot)
})
