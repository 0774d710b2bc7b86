/**
 * The recorded acts of one step (R2, R22).
 *
 * L1 ops are begun one at a time, in the order of the program; a replay meets them in the same order or the code changed.
 * L2 an op once done stays done: its result is what a replay sees.
 * L3 an op the program itself cut never completes in a replay.
 * L4 the log is bounded in ops and bytes.
 * L5 an op that failed and was survived fails the same way in a replay; what is begun after it is another op, also under
 *    the same name. A run begun again right after it failed is a further try: an op of its own under the id of the first.
 */
import type { Op } from "../model/Checkpoint.ts"
import { recordFailure } from "./RecordedFailure.ts"

export type OpKind = Op["kind"]
type Mutable<T> = { -readonly [K in keyof T]: T[K] }
export type LiveOp = Mutable<Op>

export const maxOps = 256
export const maxBytes = 64 * 1024

export type Begun =
  | { readonly _tag: "op"; readonly op: LiveOp }
  | { readonly _tag: "failed"; readonly failure: NonNullable<Op["failed"]> }
  | { readonly _tag: "busy"; readonly open: string }
  | { readonly _tag: "changed"; readonly detail: string }
  | { readonly _tag: "full"; readonly ops: number; readonly bytes: number }

export class OpLog {
  ops: Array<LiveOp>
  private cursor = 0
  private open: LiveOp | undefined = undefined
  private bytes = 0
  /** What the program called the op at `cursor - 1`, and where its first try stands: further back for a run tried again. */
  private last = ""
  private first = 0

  constructor(ops: ReadonlyArray<Op> = none) {
    this.ops = ops.length === 0 ? [] : ops.map((op) => ({ ...op }))
    for (const op of this.ops) if (isOver(op)) this.bytes += weigh(op)
  }

  /** @param name what the program calls the op; a repeat within the step gets a number behind it */
  begin(kind: OpKind, name: string): Begun {
    if (this.open !== undefined) return { _tag: "busy", open: this.open.name }
    const recorded = this.ops[this.cursor]
    const unique = this.numbered(name)
    if (recorded !== undefined) {
      if (recorded.kind !== kind || recorded.name !== unique) {
        return {
          _tag: "changed",
          detail: `the log has ${recorded.kind} "${recorded.name}" where the code does ${kind} "${unique}"`
        }
      }
      this.meet(kind, name)
      if (recorded.done) return { _tag: "op", op: recorded }
      if (recorded.failed !== undefined) return { _tag: "failed", failure: recorded.failed }
      this.open = recorded
      return { _tag: "op", op: recorded }
    }
    if (this.ops.length >= maxOps || this.bytes >= maxBytes) {
      return { _tag: "full", ops: this.ops.length, bytes: this.bytes }
    }
    // A question counts its tries: room for that from the start weighs less than what is added later.
    const op: LiveOp =
      kind === "ask" ? { kind, name: unique, done: false, attempts: 0 } : { kind, name: unique, done: false }
    // One of its own size: what is pushed to an empty list makes room for seventeen.
    if (this.ops.length === 0) this.ops = [op]
    else this.ops.push(op)
    this.meet(kind, name)
    this.open = op
    return { _tag: "op", op }
  }

  /** L2. */
  done(op: LiveOp): void {
    op.done = true
    this.bytes += weigh(op)
    this.shut(op)
  }
  /** L3: the program gave the op up (a timeout, a race). */
  cut(op: LiveOp): void {
    op.cut = true
    this.done(op)
  }
  /** L5: the op failed, and the program may survive that. */
  fail(op: LiveOp, error: unknown, died: boolean): void {
    op.failed = recordFailure(error, died)
    this.bytes += weigh(op)
    this.shut(op)
  }

  /** The step is tried again: the failure that ended it was no answer, its op is still to be done. */
  forgive(): void {
    const op = this.ops.at(-1)
    if (op?.failed === undefined || op.done) return
    this.bytes -= weigh(op)
    delete op.failed
  }

  /** Before a replay: the program starts its step over. */
  rewind(): void {
    this.cursor = 0
    this.open = undefined
    this.last = ""
    this.first = 0
  }
  /** Nothing was begun yet, though the log holds something: the step is being resumed. */
  get isResumed(): boolean {
    return this.cursor === 0 && this.ops.length > 0
  }
  /** The op whose result is missing: where a resumed step goes on. */
  get pendingOp(): LiveOp | undefined {
    return this.open
  }
  /** What came before the last question that was answered in this step; `undefined` when there is none to go back to. */
  beforeLastAnswer(): ReadonlyArray<Op> | undefined {
    const at = this.ops.findLastIndex((op) => op.kind === "ask" && op.done && op.answer !== undefined)
    return at < 0 ? undefined : this.ops.slice(0, at)
  }

  /** L5: the first try of the run that is begun, and how often it was started in all tries before this op. */
  get tries(): { readonly first: LiveOp | undefined; readonly before: number } {
    let before = 0
    for (let i = this.first; i < this.cursor - 1; i++) before += this.ops[i]?.attempts ?? 0
    return { first: this.ops[this.first], before }
  }
  private meet(kind: OpKind, name: string): void {
    const before = this.ops[this.cursor - 1]
    const again = kind === "run" && before?.kind === "run" && before.failed !== undefined && this.last === name
    if (!again) this.first = this.cursor
    this.cursor++
    this.last = name
  }
  private shut(op: LiveOp): void {
    if (this.open === op) this.open = undefined
  }

  /** A name that no earlier op of the step has. */
  private numbered(name: string): string {
    if (!this.isTaken(name)) return name
    for (let n = 2; ; n++) {
      const candidate = `${name}#${n}`
      if (!this.isTaken(candidate)) return candidate
    }
  }
  private isTaken(name: string): boolean {
    for (let i = 0; i < this.cursor; i++) if (this.ops[i]?.name === name) return true
    return false
  }
}

const none: ReadonlyArray<Op> = []
const isOver = (op: Op): boolean => op.done || op.failed !== undefined

/** About how much it takes in a checkpoint, without writing it out where that would cost. */
const weigh = (op: Op): number =>
  64 +
  op.name.length +
  (op.answer === undefined ? 0 : 256 + op.answer.body.length + sizeOf(op.answer.media)) +
  sizeOf(op.result) +
  sizeOf(op.failed?.error)

const sizeOf = (value: unknown): number => {
  switch (typeof value) {
    case "undefined":
      return 0
    case "string":
      return value.length
    case "object":
      return JSON.stringify(value).length
    default:
      return 24
  }
}
