/** How long a chat stood still after its replica was killed. */
import type { Fault } from "../wire/Entry.ts"
import type { Letter, Story } from "./Story.ts"

/**
 * ms from each kill to the first word of a living replica, in each chat where a message waited on a living one behind a
 * message of the killed one.
 */
export const takeOvers = (story: Story, faults: ReadonlyArray<Fault>): ReadonlyArray<number> => {
  const byChat = new Map<string, Array<Letter>>()
  for (const letter of story.letters.values()) {
    const all = byChat.get(letter.chat)
    if (all === undefined) byChat.set(letter.chat, [letter])
    else all.push(letter)
  }
  const times: Array<number> = []
  for (const { from, pid, verb } of faults) {
    if (verb !== "kill") continue
    for (const [chat, letters] of byChat) {
      const open = letters.filter(
        ({ answeredAt, deliveries }) =>
          (deliveries[0]?.at ?? Number.POSITIVE_INFINITY) < from && !((answeredAt ?? Number.POSITIVE_INFINITY) < from)
      )
      const [dead] = open
      if (
        dead === undefined ||
        dead.deliveries.at(-1)?.pid !== pid ||
        dead.answeredAt !== undefined ||
        dead.ticket === undefined
      )
        continue
      const next = open.find((letter) => letter.n > dead.n && letter.deliveries.at(-1)?.pid !== pid)
      if (next === undefined) continue
      const words = (story.said.get(chat) ?? []).find((said) => said.at > from && said.pid !== pid)
      if (words !== undefined) times.push(words.at - from)
    }
  }
  return times
}
