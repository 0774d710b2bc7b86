/** What the key of a send says: which run of which conversation, which visit of a step, which op. */
import type { EntryOf } from "../History.ts"

export interface Position {
  readonly id: string
  readonly visit: number
  readonly op: string
}

/** Undefined for a send that is no conversation's. */
export const positionOf = ({ op }: EntryOf<"send">): Position | undefined => {
  const last = op.lastIndexOf(":")
  const middle = op.lastIndexOf(":", last - 1)
  const visit = Number(op.slice(middle + 1, last))
  return last < 0 || middle < 0 || !Number.isInteger(visit)
    ? undefined
    : { id: op.slice(0, middle), visit, op: op.slice(last + 1) }
}

/** Said by a timer: a reminder, a time-out, or what stands for one. */
export const isTimed = (send: EntryOf<"send">): boolean => {
  const op = positionOf(send)?.op
  return op !== undefined && (op === "timeout" || /\.(?:idle\d*|instead)$/u.test(op))
}
