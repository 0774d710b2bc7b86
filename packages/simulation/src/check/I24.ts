/**
 * I24: nothing is silent. What a replica was given it has handled or dropped for a reason it told, once; and what it told
 * as a duplicate it had taken before.
 */
import type { Checker, Violation } from "../History.ts"

export const i24: Checker = (history) => {
  const fates = new Map<string, number>()
  const given = new Map<string, number>()
  const taken = new Set<string>()
  const found: Array<Violation> = []
  const add = (to: Map<string, number>, name: string): void => {
    to.set(name, (to.get(name) ?? 0) + 1)
  }
  for (const entry of history) {
    switch (entry._tag) {
      case "given":
        add(given, entry.machine)
        break
      case "handled":
        add(fates, entry.machine)
        break
      case "dropped":
        add(fates, entry.machine)
        break
      case "answered":
        if (entry.taken) taken.add(`${entry.machine} ${entry.id}`)
        break
      case "account": {
        const told = fates.get(entry.machine) ?? 0
        const got = given.get(entry.machine) ?? 0
        if (entry.received !== got || entry.handled + entry.dropped !== told || (entry.waiting === 0 && got !== told))
          found.push({
            invariant: "I24",
            detail: `${entry.machine} was given ${got} and told of ${told}; it counts ${entry.received} in, ${entry.handled} handled, ${entry.dropped} dropped`
          })
        break
      }
      default:
    }
  }
  return found
}
