/** What a run comes to: figures, and what is not as it has to be. */
import type { Findings } from "./judge/Judge.ts"
import type { Writes } from "./judge/Writes.ts"
import type { PlanName } from "./nemesis/Plan.ts"
import type { Fault } from "./wire/Entry.ts"

export interface Verdict {
  readonly chaos: PlanName
  readonly ok: boolean
  readonly violations: ReadonlyArray<string>
  readonly seed: number
  readonly replicas: number
  readonly chats: number
  /** Messages a second that customers wrote. */
  readonly rate: number
  readonly faults: Readonly<Record<string, number>>
  readonly findings: Omit<Findings, "evidence">
  readonly writes: Omit<Writes, "evidence">
  /** For a reader; not part of the line. */
  readonly evidence: ReadonlyArray<string>
}

interface Asked {
  readonly plan: PlanName
  readonly seed: number
  readonly replicas: number
  readonly chats: number
  readonly rate: number
}

/** Of what was sent, less what may be lost, so much is to be answered. */
const share = 0.999

export const verdictOf = (
  asked: Asked,
  findings: Findings,
  writes: Writes,
  faults: ReadonlyArray<Fault>,
  crashes: ReadonlyArray<string>,
  wroteFor: number
): Verdict => {
  const violations: Array<string> = []
  const zero = (what: string, count: number): void => {
    if (count > 0) violations.push(`${what}: ${count}`)
  }
  const { evidence, ...rest } = findings
  const { evidence: written, ...counted } = writes
  const due =
    findings.sent -
    [findings.lost.killed, ...Object.values(findings.lost.told)].reduce((sum, all) => sum + all.length, 0)
  if (findings.answered < share * due) violations.push(`answered ${findings.answered} of ${due}`)
  zero("overlaps", findings.overlaps)
  zero("out of order", findings.outOfOrder)
  zero("stale sends outside a freeze that began in them", findings.staleSends.other)
  zero("stale timers", findings.staleTimers)
  zero("stale checkpoints accepted", writes.stale)
  zero("revisions that do not follow", writes.broken)
  zero("messages taken up twice", findings.doubled)
  zero("replicas that ended by themselves", crashes.length)
  const killed = faults.some(({ verb }) => verb === "kill")
  if (!killed) zero("lost to a kill, and none was killed", findings.lost.killed.length)
  // A world where nothing happens proves nothing.
  const rate = (findings.sent / wroteFor) * 1000
  if (rate < 0.9 * asked.rate) violations.push(`wrote ${Math.round(rate)} messages/s, asked for ${asked.rate}`)
  if (faults.length === 0 && asked.plan !== "none") violations.push("no fault was made")
  if (writes.checkpoints === 0) violations.push("no checkpoint was written")
  const counts: Record<string, number> = {}
  for (const { verb } of faults) counts[verb] = (counts[verb] ?? 0) + 1
  return {
    chaos: asked.plan,
    ok: violations.length === 0,
    violations,
    seed: asked.seed,
    replicas: asked.replicas,
    chats: asked.chats,
    rate: Math.round(rate),
    faults: counts,
    findings: rest,
    writes: counted,
    evidence: [...evidence, ...written, ...crashes.slice(0, 5)]
  }
}
