/** I18: no turn is held longer than settle + 5 s from its grant. Judged where nothing broke meanwhile: what ends is told at once. */
import type { Checker, EntryOf, Violation } from "../History.ts"

/** ms: to end the work and to tell the backend. */
const slack = 500

export const i18: Checker = (history, { lease, settle }) => {
  const granted = new Map<string, EntryOf<"granted">>()
  const faults: Array<EntryOf<"fault">> = []
  const found: Array<Violation> = []
  /** A fault strikes until its end; what it broke is mended by the renewals after it. */
  const isDisturbed = (machine: string, from: number, to: number): boolean =>
    faults.some((fault) => fault.machine === machine && fault.at <= to && fault.until + lease + 3000 >= from)
  const judge = (grant: EntryOf<"granted">, to: number): void => {
    const { at, key, machine } = grant
    if (key.startsWith("lead/") || to - at <= settle + 5000 + slack || isDisturbed(machine, at, to)) return
    found.push({ invariant: "I18", detail: `${machine} held ${key} for ${to - at} ms from ${at}` })
  }
  for (const entry of history) {
    if (entry._tag === "fault") faults.push(entry)
    else if (entry._tag === "granted") granted.set(entry.key, entry)
    else if (entry._tag === "freed") {
      const grant = granted.get(entry.key)
      if (grant?.fence === entry.fence) {
        granted.delete(entry.key)
        judge(grant, entry.at)
      }
    } else if (entry._tag === "end") for (const grant of granted.values()) judge(grant, entry.at)
  }
  return found
}
