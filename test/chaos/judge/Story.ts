/** The log, put in order: what became of each message, and what was said in each chat. */
import type { Entry, Fault } from "../wire/Entry.ts"

export interface Said {
  readonly at: number
  readonly sent: number
  readonly pid: number
  readonly text: string
}
export interface Letter {
  readonly n: number
  readonly chat: string
  readonly body: string
  readonly at: number
  readonly deliveries: Array<{ readonly at: number; readonly pid: number }>
  ticket: { readonly at: number; readonly pid: number } | undefined
  dropped: { readonly at: number; readonly pid: number; readonly reason: string } | undefined
  answeredAt: number | undefined
}

export interface Story {
  readonly letters: ReadonlyMap<number, Letter>
  readonly said: ReadonlyMap<string, ReadonlyArray<Said>>
  readonly answered: number
  readonly refused: number
  /** Turns that the bot said it had to give up before their end, by chat. */
  readonly cut: ReadonlyMap<string, ReadonlyArray<{ readonly at: number; readonly pid: number }>>
  /** Where the machine itself froze a replica. */
  readonly stalls: ReadonlyArray<Fault>
  readonly deliveredAgain: number
  /** What happened in a chat between two moments, for a reader. */
  readonly linesOf: (chat: string, from: number, to: number) => ReadonlyArray<string>
}

export const lastNumber = (text: string): number | undefined => {
  const digits = [...text.matchAll(/[#=](\d+)/gu)].at(-1)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** Of a refusal ("no Q2 …") the log does not tell whose it is: it answers what the chat wrote last. */
const isRefusal = (text: string): boolean => text.startsWith("no ")

export const readStory = (entries: Iterable<Entry>): Story => {
  const letters = new Map<number, Letter>()
  const said = new Map<string, Array<Said>>()
  const latest = new Map<string, Letter>()
  const lines = new Map<string, Array<Entry>>()
  const stalls: Array<Fault> = []
  const cut = new Map<string, ReadonlyArray<{ readonly at: number; readonly pid: number }>>()
  let answered = 0
  let refused = 0
  let again = 0
  const answers = (letter: Letter | undefined, at: number): void => {
    if (letter === undefined || letter.answeredAt !== undefined) return
    letter.answeredAt = at
    answered++
  }
  const keep = (chat: string | undefined, entry: Entry): void => {
    if (chat === undefined) return
    const all = lines.get(chat)
    if (all === undefined) lines.set(chat, [entry])
    else all.push(entry)
  }
  for (const entry of entries) {
    switch (entry.e) {
      case "wrote": {
        const { at, body, chat, n } = entry
        const letter: Letter = { n, chat, body, at, deliveries: [], ...unknown }
        letters.set(n, letter)
        latest.set(chat, letter)
        keep(chat, entry)
        break
      }
      case "said": {
        const { at, chat, pid, sent, text } = entry
        const all = said.get(chat)
        if (all === undefined) said.set(chat, [{ at, pid, sent, text }])
        else all.push({ at, pid, sent, text })
        const n = lastNumber(text)
        if (isRefusal(text)) answers(latest.get(chat), at)
        else if (!text.startsWith("begin") && !text.startsWith("late")) answers(letters.get(n ?? -1), at)
        keep(chat, entry)
        break
      }
      case "delivered":
      case "admitted":
      case "refused":
      case "ticket":
      case "dropped": {
        const letter = letters.get(entry.n)
        keep(letter?.chat, entry)
        if (letter === undefined) break
        const { at, pid } = entry
        if (entry.e === "refused") refused++
        if (entry.e === "ticket") letter.ticket ??= { at, pid }
        if (entry.e === "dropped" && entry.reason !== "duplicate" && letter.answeredAt === undefined) {
          letter.dropped = { at, pid, reason: entry.reason }
        }
        if (entry.e === "delivered") {
          if (letter.deliveries.length > 0) again++
          letter.deliveries.push({ at, pid })
        }
        break
      }
      case "up":
      case "down":
        break
      case "told": {
        const chat = entry.what === "suspended" ? entry.detail.split(" ")[0] : undefined
        if (chat !== undefined) cut.set(chat, [...(cut.get(chat) ?? []), { at: entry.at, pid: entry.pid }])
        break
      }
      case "stalled":
        stalls.push({ verb: "stall", pid: entry.pid, from: entry.from, to: entry.to })
        break
    }
  }
  const linesOf = (chat: string, from: number, to: number) =>
    (lines.get(chat) ?? []).filter(({ at }) => at >= from && at <= to).map((entry) => JSON.stringify(entry))
  return { letters, said, answered, refused, stalls, cut, deliveredAgain: again, linesOf }
}

const unknown: Pick<Letter, "ticket" | "dropped" | "answeredAt"> = {
  ticket: undefined,
  dropped: undefined,
  answeredAt: undefined
}
