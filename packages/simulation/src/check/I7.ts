/**
 * I7: at most one replica has the session of an exclusive transport and acts through it. A session that its owner could
 * not close, because it was frozen or dead, does not count; what it does with it does.
 */
import type { Checker, Violation } from "../History.ts"

/** ms a former leader may take to close its transport (R13). */
const closing = 5000

export const i7: Checker = (history, { lease }) => {
  const found: Array<Violation> = []
  const leads = new Map<string, string>()
  const open = new Map<string, number>()
  let leader: string | undefined
  let lost = new Map<string, number>()
  for (const entry of history) {
    if (entry._tag === "granted" && entry.key.startsWith("lead/")) {
      if (leader !== undefined && leader !== entry.machine) lost = new Map([...lost, [leader, entry.at]])
      leader = entry.machine
      leads.set(entry.key, entry.machine)
      lost.delete(entry.machine)
    } else if (entry._tag === "session") {
      if (entry.open) open.set(entry.machine, entry.at)
      else open.delete(entry.machine)
      if (entry.open && leads.size > 0 && leader !== entry.machine)
        found.push({ invariant: "I7", detail: `${entry.machine} opened its session at ${entry.at}, led by ${leader}` })
    } else if (leads.size > 0 && (entry._tag === "send" || entry._tag === "handled")) {
      const since = lost.get(entry.machine)
      const thawed = entry._tag === "send" && entry.thawed
      if (since !== undefined && !thawed && entry.at > since && open.has(entry.machine)) {
        if (entry._tag === "send" || entry.at > since + lease + closing)
          found.push({
            invariant: "I7",
            detail: `${entry.machine} acted at ${entry.at}, though ${leader} leads since ${since}`
          })
      }
    }
  }
  return found
}
