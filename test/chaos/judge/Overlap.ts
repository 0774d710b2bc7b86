/** Two turns of a chat at once: between a turn's two words another's was said. */
import type { Fault } from "../wire/Entry.ts"
import { hit, type Hit } from "./Hits.ts"
import { lastNumber, type Said, type Story } from "./Story.ts"

/** ms that a turn may run on after Redis lost its grant: until the next renewal (R25), a third of the lease, and some. */
const longestAtFailover = 1_000

export interface Overlaps {
  readonly overlaps: ReadonlyArray<Hit>
  readonly atFailover: number
  readonly stale: ReadonlyArray<Hit>
  readonly inFreeze: number
}

const turnOf = ({ pid, text }: Said): string => `${pid}/${lastNumber(text)}`

export const overlaps = (story: Story, faults: ReadonlyArray<Fault>): Overlaps => {
  const freezes = faults.filter(({ verb }) => verb === "freeze" || verb === "stall")
  const failovers = faults.filter(({ verb }) => verb === "failover")
  const found: Array<Hit> = []
  const stale: Array<Hit> = []
  let atFailover = 0
  let inFreeze = 0
  for (const [chat, all] of story.said) {
    all.forEach((end, at) => {
      if (!end.text.startsWith("end")) return
      const turn = turnOf(end)
      const from = all.findLastIndex((one, place) => place < at && one.text.startsWith("begin") && turnOf(one) === turn)
      const begin = all[from]
      if (begin === undefined || at - from === 1) return
      const between = all.slice(from + 1, at).filter((one) => turnOf(one) !== turn)
      if (between.length === 0) return
      const froze = freezes.find((fault) => fault.pid === end.pid && fault.to >= begin.at && fault.from <= end.at)
      if (froze !== undefined) {
        if (end.sent <= froze.from) inFreeze++
        else stale.push(hit(`"${end.text}" was said after the turn was another's`, chat, begin.at, end.at))
        return
      }
      const moved = failovers.some((fault) => fault.from <= end.at && fault.to + longestAtFailover >= begin.at)
      if (moved && end.at - (between[0]?.at ?? 0) <= longestAtFailover) atFailover++
      else found.push(hit(`"${between[0]?.text}" was said inside the turn of "${end.text}"`, chat, begin.at, end.at))
    })
  }
  return { overlaps: found, atFailover, stale, inFreeze }
}
