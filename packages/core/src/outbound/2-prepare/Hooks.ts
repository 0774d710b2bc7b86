/** The send hooks around a delivery (B7): a hook that fails is reported and the send goes on, it must not lose a reply. */
import { type Cause, Effect } from "effect"
import type { Hook, HookList } from "../../hooks/Hooks.ts"
import type { Outgoing, Receipt } from "../../model/Content.ts"

/** Returned by a before-send hook to stop the send; the sender gets a receipt with an empty id. */
export const stopSend: unique symbol = Symbol.for("@botmesh/core/stopSend")

/** What a before-send hook may return: a changed message, nothing (it passes as it is), or `stopSend`. */
export type SendHookResult = Outgoing | typeof stopSend | void

export interface SendHooks<Failure> {
  readonly before: HookList<Outgoing, SendHookResult>
  readonly after: HookList<{ readonly message: Outgoing; readonly receipt: Receipt }>
  readonly onError: HookList<{ readonly message: Outgoing; readonly error: Failure }>
}
export type HookFailed = (cause: Cause.Cause<unknown>) => void

/** The message as the before hooks left it. */
export const beforeSend = Effect.fnUntraced(function* (
  hooks: ReadonlyArray<Hook<Outgoing, SendHookResult>>,
  message: Outgoing,
  failed: HookFailed
) {
  let current = message
  for (const hook of hooks) {
    const result = yield* Effect.catchCause(
      Effect.suspend(() => hook.bind(hook.run(current))),
      (cause) =>
        Effect.sync((): SendHookResult => {
          failed(cause)
          return current
        })
    )
    if (result === stopSend) return stopSend
    if (result !== undefined) current = result
  }
  return current
})

/** Runs what comes after a send, or after its failure. */
export const runAll = <In>(hooks: ReadonlyArray<Hook<In>>, input: In, failed: HookFailed): Effect.Effect<void> =>
  Effect.forEach(
    hooks,
    (hook) =>
      Effect.catchCause(
        Effect.suspend(() => hook.bind(hook.run(input))),
        (cause) => Effect.sync(() => failed(cause))
      ),
    { discard: true }
  )
