import type { Fault } from "../wire/Entry.ts"

/** Something that must not be, and where in the log it shows. */
export interface Hit {
  readonly said: string
  readonly chat: string
  readonly from: number
  readonly to: number
}
export type Hits = ReadonlyArray<Hit>

export const hit = (said: string, chat: string, from: number, to: number): Hit => ({ said, chat, from, to })

/** ms that a fault may show after it, by the clock of another process. */
const echo = 50

/** Did a fault of these verbs touch the replica, or Redis itself, in this span? */
export const touched = (
  faults: ReadonlyArray<Fault>,
  pid: number,
  from: number,
  to: number,
  verbs?: ReadonlySet<Fault["verb"]>
): boolean =>
  faults.some(
    (fault) =>
      (fault.pid === undefined || fault.pid === pid) &&
      (verbs === undefined || verbs.has(fault.verb)) &&
      fault.from <= to + echo &&
      fault.to >= from - echo
  )
