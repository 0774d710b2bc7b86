/**
 * The order of a chat. A message that had its ticket before the next was delivered is taken up before it, on whichever
 * replicas they are; unless a fault cost its replica the place (R3), which is counted. Of one replica the order of
 * delivery holds whatever happens. And a conversation never goes back to a question before the one it has asked, but where a
 * failover lost its last checkpoints (R25), which is counted too.
 */
import type { Fault } from "../wire/Entry.ts"
import { hit, type Hit, touched } from "./Hits.ts"
import type { Letter, Said, Story } from "./Story.ts"

export interface Orders {
  readonly wrong: ReadonlyArray<Hit>
  readonly requeued: number
  readonly rolledBack: number
}

export const orders = (story: Story, faults: ReadonlyArray<Fault>): Orders => {
  const failovers = faults.filter(({ verb }) => verb === "failover")
  const wrong: Array<Hit> = []
  let rolledBack = 0
  let requeued = 0
  for (const [chat, all] of story.said) {
    for (const back of goneBack(chat, all)) {
      if (touched(failovers, Number.NaN, back.from, back.to)) rolledBack++
      else wrong.push(back)
    }
    const begun: Array<{ readonly letter: Letter; readonly said: Said }> = []
    for (const said of all) {
      const n = /^begin #(\d+)/u.exec(said.text)?.[1]
      const letter = n === undefined ? undefined : story.letters.get(Number(n))
      if (letter === undefined || begun.some((one) => one.letter === letter)) continue
      for (const later of begun.filter((one) => one.letter.n > letter.n)) {
        const verdict = overtaken(letter, later.letter, said, later.said, faults)
        if (verdict === "requeued") requeued++
        if (verdict === "wrong") {
          wrong.push(hit(`${later.letter.n} was taken up before ${letter.n}`, chat, letter.at, said.at))
        }
      }
      begun.push({ letter, said })
    }
  }
  return { wrong, requeued, rolledBack }
}

const overtaken = (
  first: Letter,
  second: Letter,
  said: Said,
  before: Said,
  faults: ReadonlyArray<Fault>
): "wrong" | "requeued" | "free" => {
  const [mine, other] = [first.deliveries, second.deliveries]
  const [one, two] = [mine[0], other[0]]
  if (one === undefined || two === undefined) return "free"
  const sameReplica = mine.length === 1 && other.length === 1 && one.pid === two.pid
  if (sameReplica) return one.at < two.at ? "wrong" : "free"
  const { ticket } = first
  if (ticket === undefined || ticket.at > two.at) return "free"
  return touched(faults, ticket.pid, ticket.at, Math.max(said.at, before.at)) ? "requeued" : "wrong"
}

const place = (text: string): { readonly run: string; readonly step: number } | undefined => {
  const [, word, run] = /^(?:no )?(Q\d|done) run=(\d+)/u.exec(text) ?? []
  return word === undefined || run === undefined ? undefined : { run, step: word === "done" ? 9 : Number(word[1]) }
}

const goneBack = (chat: string, all: ReadonlyArray<Said>): ReadonlyArray<Hit> => {
  const steps = new Map<string, Said & { readonly step: number }>()
  return all.flatMap((said) => {
    const now = place(said.text)
    if (now === undefined) return []
    const before = steps.get(now.run)
    if (before === undefined || before.step <= now.step) {
      steps.set(now.run, { ...said, step: now.step })
      return []
    }
    return [hit(`"${said.text}" was said after "${before.text}"`, chat, before.at, said.at)]
  })
}
