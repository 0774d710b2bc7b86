/** I25: once the faults stop, all pending work is done in time: everybody gets what they wanted. */
import type { Checker } from "../History.ts"

export const i25: Checker = (history) =>
  history.flatMap((entry) =>
    entry._tag === "unfinished"
      ? [{ invariant: "I25", detail: `${entry.what} long after the faults stopped` }]
      : entry._tag === "end" && entry.ending !== "done"
        ? [{ invariant: "I25", detail: `the world is ${entry.ending} at ${entry.at}` }]
        : []
  )
