/** Messages that were never answered, and whether they may be (turns.md R23: no durability, so a killed replica takes its own along). */
import type { Fault } from "../wire/Entry.ts"
import { hit, type Hits } from "./Hits.ts"
import type { Letter, Story } from "./Story.ts"

export interface Lost {
  /** Queued or running on a replica when it was killed. */
  readonly killed: ReadonlyArray<number>
  /** Its turn was lost in mid-run or never came, and the bot said so. */
  readonly told: ReadonlyArray<number>
  /** Still waiting for its turn when its replica was stopped in order: released, for a transport that delivers again (A4). */
  readonly stopped: ReadonlyArray<number>
}

/** What the bot may give up without durability. */
const allowed = new Set(["turn-lost", "turn-timeout"])

export const losses = (
  story: Story,
  faults: ReadonlyArray<Fault>
): { lost: Lost; unanswered: Array<number>; hits: Hits } => {
  const deaths = new Map(
    faults.flatMap(({ from, pid, verb }) => (verb === "kill" && pid !== undefined ? [[pid, from]] : []))
  )
  const wasKilled = (letter: Letter): boolean =>
    letter.deliveries.some(({ at, pid }) => (deaths.get(pid) ?? Number.NEGATIVE_INFINITY) >= at)
  const killed: Array<number> = []
  const told: Array<number> = []
  const stopped: Array<number> = []
  const stops = new Set(faults.flatMap(({ pid, verb }) => (verb === "stop" ? [pid] : [])))
  const wasStopped = ({ dropped }: Letter): boolean => dropped?.reason === "not-running" && stops.has(dropped.pid)
  const unanswered: Array<number> = []
  const hits = []
  for (const letter of story.letters.values()) {
    if (letter.answeredAt !== undefined) continue
    if (wasKilled(letter)) killed.push(letter.n)
    else if (letter.dropped !== undefined && allowed.has(letter.dropped.reason)) told.push(letter.n)
    else if (wasStopped(letter)) stopped.push(letter.n)
    else {
      unanswered.push(letter.n)
      const why = letter.dropped === undefined ? "nothing tells why" : `dropped as ${letter.dropped.reason}`
      hits.push(hit(`message ${letter.n} was not answered: ${why}`, letter.chat, letter.at, letter.at + 3_000))
    }
  }
  return { lost: { killed, told, stopped }, unanswered, hits }
}
