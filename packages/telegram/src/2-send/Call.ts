/** One call of the Bot API as data: what a content turns into before anything goes out. */
import type { Params, Upload } from "../native/Api.ts"

export interface Call {
  readonly method: string
  readonly params: Params
  readonly upload?: Upload
  /** The message that the call acts on: its receipt, for calls that do not make a message. */
  readonly target?: string
  /** Refusals that mean it is already so: an edit or delete that a former try applied. */
  readonly alreadySo?: string
  /** Another method for the same, when the refusal says so. */
  readonly otherwise?: { readonly on: string; readonly call: Call }
}

export interface Plan {
  /** In order; each waits for the one before. */
  readonly calls: readonly [Call, ...ReadonlyArray<Call>]
  /** Keys of buttons that may need a token. */
  readonly keys: ReadonlyArray<string>
}
