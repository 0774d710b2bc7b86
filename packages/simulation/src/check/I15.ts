/** I15: one message answers at most one question; every line of the people is written once, so it is known by its words. */
import type { Checker, Violation } from "../History.ts"

export const i15: Checker = (history) => {
  const answers = new Map<string, string>()
  const found: Array<Violation> = []
  for (const entry of history) {
    if (entry._tag !== "answer") continue
    const before = answers.get(entry.value)
    if (before !== undefined && before !== entry.question)
      found.push({
        invariant: "I15",
        detail: `"${entry.value}" answered ${before}, then ${entry.question} on ${entry.machine} at ${entry.at}`
      })
    answers.set(entry.value, entry.question)
  }
  return found
}
