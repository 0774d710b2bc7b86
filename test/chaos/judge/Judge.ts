/**
 * Judges a run by the log of the transport and the list of faults, and by nothing the bot says of itself but what it gave
 * up (`dropped`). See bot.ts for the texts.
 */
import type { Entry, Fault } from "../wire/Entry.ts"
import { doubles } from "./Doubles.ts"
import { hit, type Hits } from "./Hits.ts"
import { type Lost, losses } from "./Losses.ts"
import { orders } from "./Order.ts"
import { overlaps } from "./Overlap.ts"
import { readStory, type Story } from "./Story.ts"
import { takeOvers } from "./TakeOver.ts"

export interface Findings {
  /** Messages that customers wrote. */
  readonly sent: number
  readonly answered: number
  /** Lost with a reason that is allowed, by number. */
  readonly lost: Lost
  /** Neither answered nor lost with a reason. */
  readonly unanswered: ReadonlyArray<number>
  readonly overlaps: number
  /** While Redis lost writes (R25). */
  readonly overlapsAtFailover: number
  readonly outOfOrder: number
  /** Overtaken because a fault cost its replica the place in the queue (R3). */
  readonly requeued: number
  /** Conversations that went back because a failover lost their last checkpoints (R25). */
  readonly rolledBack: number
  /** Said after the turn was another's: where a freeze began inside the send, and elsewhere. */
  readonly staleSends: { readonly inFreeze: number; readonly other: number }
  readonly staleTimers: number
  /** Said where nothing of the kind was due. */
  readonly wrong: number
  /** The same message taken up twice. */
  readonly doubled: number
  /** The last text of a turn that a fault cut, said again. */
  readonly repeated: number
  /** How often the machine froze a replica by itself, for longer than a sixth of the lease. */
  readonly stalls: number
  readonly refused: number
  readonly deliveredAgain: number
  /** ms from a kill to the first word of another replica in a chat that waited for it. */
  readonly takeOver: { readonly count: number; readonly p50: number; readonly p99: number; readonly most: number }
  /** What was found, with the lines of the log that show it; the first few of each kind. */
  readonly evidence: ReadonlyArray<string>
}

/** Of each kind so many are shown. */
const shown = 5

const quantile = (sorted: ReadonlyArray<number>, share: number): number =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)

const show = (story: Story, faults: ReadonlyArray<Fault>, hits: Hits): ReadonlyArray<string> =>
  hits.slice(0, shown).map(({ chat, from, said, to }) => {
    const near = faults.filter((fault) => fault.to >= from - 3_000 && fault.from <= to + 100)
    const lines = story.linesOf(chat, from - 200, to + 200)
    return [said, ...near.map((fault) => `  ${JSON.stringify(fault)}`), ...lines.map((line) => `  ${line}`)].join("\n")
  })

const wrongWords = (story: Story): Hits =>
  [...story.said].flatMap(([chat, all]) =>
    all.flatMap(({ at, text }) => (text.startsWith("wrong") ? [hit(`in ${chat} ${text}`, chat, at - 2_000, at)] : []))
  )

/** @param made by the nemesis */
export const judge = (entries: Iterable<Entry>, made: ReadonlyArray<Fault>): Findings => {
  const story = readStory(entries)
  const faults = [...made, ...story.stalls]
  const lost = losses(story, faults)
  const overlap = overlaps(story, faults)
  const order = orders(story, faults)
  const double = doubles(story, faults)
  const times = takeOvers(story, faults).toSorted((a, b) => a - b)
  const wrong = wrongWords(story)
  const all = [wrong, lost.hits, overlap.overlaps, overlap.stale, order.wrong, double.doubled, double.timers]
  return {
    sent: story.letters.size,
    answered: story.answered,
    lost: lost.lost,
    unanswered: lost.unanswered,
    overlaps: overlap.overlaps.length,
    overlapsAtFailover: overlap.atFailover,
    outOfOrder: order.wrong.length,
    requeued: order.requeued,
    rolledBack: order.rolledBack,
    staleSends: { inFreeze: overlap.inFreeze, other: overlap.stale.length },
    staleTimers: double.timers.length,
    wrong: wrong.length,
    doubled: double.doubled.length,
    repeated: double.repeated,
    stalls: story.stalls.length,
    refused: story.refused,
    deliveredAgain: story.deliveredAgain,
    takeOver: {
      count: times.length,
      p50: quantile(times, 0.5),
      p99: quantile(times, 0.99),
      most: Math.round(times.at(-1) ?? 0)
    },
    evidence: all.flatMap((hits) => show(story, faults, hits))
  }
}
