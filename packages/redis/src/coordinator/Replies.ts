/** Reads what the scripts answer. An answer of another shape is a bug of ours or a stranger's script: it dies. */
import type { AskResult, EnqueueResult, HoldRow, TicketRow, WakeRow } from "@botmesh/core/spi"

/** Words of a place may hold no space. */
export const word = (text: string): string => encodeURIComponent(text)
/** Where a ticket stands, as the scripts write it. */
export const placeOf = (row: TicketRow & { readonly incarnation: string }): string =>
  `${word(row.epoch)} ${word(row.ticket)} ${word(row.incarnation)}`
const plain = (text: string): string => decodeURIComponent(text)

const list = (reply: unknown): ReadonlyArray<unknown> => {
  if (!Array.isArray(reply)) throw new Error(`a script answered ${JSON.stringify(reply)}`)
  return reply
}

const granted = (row: ReadonlyArray<unknown>) => ({
  _tag: "granted" as const,
  fence: Number(row[1]),
  previousHolder: plain(String(row[2]))
})

export const enqueueResult = (reply: unknown): EnqueueResult => {
  const row = list(reply)
  if (row[0] === "granted") return granted(row)
  if (row[0] === "queued") return { _tag: "queued" }
  return row[0] === "duplicate" ? { _tag: "duplicate" } : { _tag: "dead" }
}

/** A fence, or nothing. */
export const fenceOrNone = (reply: unknown): number | undefined => (reply === null ? undefined : Number(reply))

export const incarnations = (reply: unknown): ReadonlyArray<string> => list(reply).map((name) => plain(String(name)))

export const askResults = (reply: unknown): ReadonlyArray<AskResult> =>
  list(reply).map((answer) => {
    const row = list(answer)
    if (row[0] === "granted") return granted(row)
    return row[0] === "queued" ? { _tag: "queued", fence: Number(row[1]) } : { _tag: "gone" }
  })

export const holdRows = (reply: unknown): ReadonlyArray<HoldRow> | undefined => {
  if (reply === null) return undefined
  const words = list(reply)
  const rows: Array<HoldRow> = []
  for (let at = 0; at < words.length; at += 3)
    rows.push({ key: String(words[at]), ticket: plain(String(words[at + 1])), fence: Number(words[at + 2]) })
  return rows
}

const wakeForm = /^(\S+) (\S+) \S+ (\d+) (\S*) (.*)$/su

/** "epoch ticket incarnation fence previous key"; undefined when it is none of ours. */
export const wakeRow = (message: string): WakeRow | undefined => {
  const match = wakeForm.exec(message)
  if (match === null) return undefined
  const [, epoch = "", ticket = "", fence = "", previous = "", key = ""] = match
  return { key, epoch: plain(epoch), ticket: plain(ticket), fence: Number(fence), previousHolder: plain(previous) }
}
