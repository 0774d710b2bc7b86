/** Messages that were never answered, and whether they may be (turns.md R23: no durability, so a killed replica takes its own along). */
import type { Fault } from "../wire/Entry.ts"
import { hit, type Hits, touched } from "./Hits.ts"
import type { Letter, Story } from "./Story.ts"

export interface Lost {
  /** Queued or running on a replica when it was killed. */
  readonly killed: ReadonlyArray<number>
  /** Given up by the bot, which said so, while a fault was upon its replica or on Redis: by reason. */
  readonly told: Readonly<Record<string, ReadonlyArray<number>>>
}

/**
 * What the bot may give up without durability: a turn that was lost in mid-run or never came, a chat that could not be
 * read, what still waited for its turn at an orderly stop (released, for a transport that delivers again: A4).
 */
const reasons = new Map<string, ReadonlySet<Fault["verb"]> | undefined>([
  ["turn-lost", undefined],
  ["turn-timeout", undefined],
  ["store-failed", new Set(["cut", "restart", "failover", "freeze", "stall"])],
  ["not-running", new Set(["stop"])]
])
/** The error of a flow that was started by the message, whose turn was lost. */
const error = /^error in (?:trigger|flow) /u

const wasKilled = (letter: Letter, faults: ReadonlyArray<Fault>): boolean =>
  faults.some(
    ({ from, pid, verb }) =>
      verb === "kill" && letter.deliveries.some((delivery) => delivery.pid === pid && delivery.at <= from)
  )

/** The reason, where it is one and a fault explains it. */
const toldWhy = ({ deliveries, dropped }: Letter, faults: ReadonlyArray<Fault>): string | undefined => {
  if (dropped === undefined || !(reasons.has(dropped.reason) || error.test(dropped.reason))) return undefined
  const from = deliveries.find(({ pid }) => pid === dropped.pid)?.at ?? dropped.at
  return touched(faults, dropped.pid, from, dropped.at, reasons.get(dropped.reason)) ? dropped.reason : undefined
}

export const losses = (
  story: Story,
  faults: ReadonlyArray<Fault>
): { readonly lost: Lost; readonly unanswered: ReadonlyArray<number>; readonly hits: Hits } => {
  const kills = faults.filter(({ verb }) => verb === "kill")
  const killed: Array<number> = []
  const told: Record<string, Array<number>> = {}
  const unanswered: Array<number> = []
  const hits = []
  for (const letter of story.letters.values()) {
    if (letter.answeredAt !== undefined) continue
    const why = toldWhy(letter, faults)
    if (wasKilled(letter, kills)) killed.push(letter.n)
    else if (why !== undefined) (told[why] ??= []).push(letter.n)
    else {
      unanswered.push(letter.n)
      const known = letter.dropped === undefined ? "nothing tells why" : `dropped as ${letter.dropped.reason}`
      hits.push(hit(`message ${letter.n} was not answered: ${known}`, letter.chat, letter.at, letter.at + 3_000))
    }
  }
  return { lost: { killed, told }, unanswered, hits }
}
