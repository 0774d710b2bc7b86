/** I5: turns go to the tickets in the order in which they were taken; those whose owner died or gave up do not count. */
import type { Checker } from "../History.ts"

export const i5: Checker = (history) =>
  history.flatMap((entry) =>
    entry._tag === "granted" && entry.ahead > 0
      ? [
          {
            invariant: "I5",
            detail: `ticket ${entry.ticket} of ${entry.key} passed ${entry.ahead} before it at ${entry.at}`
          }
        ]
      : []
  )
