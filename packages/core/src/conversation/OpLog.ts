/**
 * The recorded acts of one step (R2, R22).
 *
 * L1 ops are begun one at a time, in the order of the program; a replay meets them in the same order or the code changed.
 * L2 an op once done stays done: its result is what a replay sees.
 * L3 an op the program itself cut never completes in a replay.
 * L4 the log is bounded in ops and bytes.
 */
import type { Op } from "../model/Checkpoint.ts"

export type OpKind = Op["kind"]
type Mutable<T> = { -readonly [K in keyof T]: T[K] }
export type LiveOp = Mutable<Op>

export const maxOps = 256
export const maxBytes = 64 * 1024

export type Begun =
  | { readonly _tag: "op"; readonly op: LiveOp; readonly replayed: boolean }
  | { readonly _tag: "busy"; readonly open: string }
  | { readonly _tag: "changed"; readonly detail: string }
  | { readonly _tag: "full"; readonly ops: number; readonly bytes: number }

export class OpLog {
  readonly ops: Array<LiveOp>
  private cursor = 0
  private open: LiveOp | undefined = undefined
  private bytes = 0

  constructor(ops: ReadonlyArray<Op> = []) {
    this.ops = ops.map((op) => ({ ...op }))
    for (const op of this.ops) this.bytes += weigh(op)
  }

  /** @param name what the program calls the op; a repeat within the step gets a number behind it */
  begin(kind: OpKind, name: string): Begun {
    if (this.open !== undefined) return { _tag: "busy", open: this.open.name }
    const unique = this.numbered(name)
    const recorded = this.ops[this.cursor]
    if (recorded !== undefined) {
      if (recorded.kind !== kind || recorded.name !== unique) {
        return {
          _tag: "changed",
          detail: `the log has ${recorded.kind} "${recorded.name}" where the code does ${kind} "${unique}"`
        }
      }
      this.cursor++
      if (!recorded.done) this.open = recorded
      return { _tag: "op", op: recorded, replayed: true }
    }
    if (this.ops.length >= maxOps || this.bytes >= maxBytes) {
      return { _tag: "full", ops: this.ops.length, bytes: this.bytes }
    }
    const op: LiveOp = { kind, name: unique, done: false }
    this.ops.push(op)
    this.cursor++
    this.open = op
    return { _tag: "op", op, replayed: false }
  }

  /** L2. */
  done(op: LiveOp): void {
    op.done = true
    this.bytes += weigh(op)
    if (this.open === op) this.open = undefined
  }

  /** L3: the program gave the op up (a timeout, a race). */
  cut(op: LiveOp): void {
    op.cut = true
    this.done(op)
  }

  /** The op whose result is missing: where a resumed step goes on. */
  get pendingOp(): LiveOp | undefined {
    return this.open
  }

  private numbered(name: string): string {
    let count = 1
    for (let i = 0; i < this.cursor; i++) {
      const seen = this.ops[i]?.name
      if (seen === name || seen?.startsWith(`${name}#`) === true) count++
    }
    return count === 1 ? name : `${name}#${count}`
  }
}

const weigh = (op: Op): number =>
  op.result === undefined && op.answer === undefined
    ? 32 + op.name.length
    : 32 + op.name.length + JSON.stringify(op.result ?? "").length + JSON.stringify(op.answer ?? "").length
