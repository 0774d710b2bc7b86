/** I23: every structure is bounded: the lists of a checkpoint, the queues, the timers and the conversations of a process. */
import type { Checker, Violation } from "../History.ts"

const longestList = 256

export const i23: Checker = (history) => {
  const keys = new Set<string>()
  const found: Array<Violation> = []
  for (const entry of history) {
    if (entry._tag === "wrote") keys.add(entry.chat)
    if (entry._tag === "write" && entry.size > longestList)
      found.push({
        invariant: "I23",
        detail: `the checkpoint of ${entry.key} has a list of ${entry.size} at ${entry.at}`
      })
    if (entry._tag === "account" && entry.conversations > keys.size + 1)
      found.push({
        invariant: "I23",
        detail: `${entry.machine} has ${entry.conversations} conversations for ${keys.size} chats`
      })
  }
  return found
}
