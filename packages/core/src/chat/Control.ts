/**
 * How user code leaves its place: pass to the next handler, stop the message, go to another flow, end, go back. Carried
 * as a defect, so the error channel of handlers stays theirs and `Effect.catch` cannot swallow a jump by accident.
 */
import { type Cause, Effect } from "effect"

export type Jump =
  | { readonly _tag: "pass" }
  | { readonly _tag: "stop" }
  | { readonly _tag: "end"; readonly text?: string | undefined }
  | { readonly _tag: "goto"; readonly flow: string; readonly state?: Readonly<Record<string, unknown>> | undefined }
  | { readonly _tag: "cancel" }
  | { readonly _tag: "back" }
  | { readonly _tag: "changed"; readonly detail: string }

export class Control {
  readonly jump: Jump
  constructor(jump: Jump) {
    this.jump = jump
  }
}

export const raise = (jump: Jump): Effect.Effect<never> => Effect.die(new Control(jump))

/** The jump in a cause, when that is all it holds besides interruptions. */
export const jumpOf = (cause: Cause.Cause<unknown>): Jump | undefined => {
  for (const reason of cause.reasons) {
    if (reason._tag === "Die" && reason.defect instanceof Control) return reason.defect.jump
  }
  return undefined
}
