/** Ends the conversation of a key, live or stored, under the key's turn: the running one, or one of its own (R18). */
import { Effect } from "effect"
import type { ChatPort } from "../chat/Chat.ts"
import type { Conversations } from "../conversation/Runtime.ts"
import type { Turns } from "../conversation/Turns.ts"
import { CurrentTurn, type TurnHolder } from "../outbound/Turn.ts"
import type { Parts } from "./Parts.ts"

export const makeAbort = (
  { scope, store, views }: Parts,
  turns: Turns,
  conversations: Conversations
): ChatPort["abort"] => {
  const under = Effect.fnUntraced(function* (key: string, holder: TurnHolder) {
    const { turn } = holder
    if (turn === undefined) return false
    const live = conversations.lives.get(key)
    if (live !== undefined) {
      yield* conversations.abort(live, turn, "aborted")
      return true
    }
    const { checkpoint } = yield* store.getCheckpoint(scope, key)
    views.forget(key)
    return checkpoint === undefined ? false : yield* conversations.clearStored(key, checkpoint, turn, "aborted")
  })
  const attempt = (key: string, holder: TurnHolder) =>
    Effect.catchTag(under(key, holder), "LeaseLostError", () => Effect.succeed(false))

  return (key) =>
    Effect.flatMap(CurrentTurn, (current) => {
      if (current?.key === key && current.turn !== undefined) return attempt(key, current)
      return Effect.callback((resume) => {
        const holder: TurnHolder = { key, turn: undefined }
        turns.submit({
          holder,
          run: () =>
            Effect.matchCauseEffect(attempt(key, holder), {
              onSuccess: (done) => Effect.sync(() => resume(Effect.succeed(done))),
              onFailure: (cause) => Effect.sync(() => resume(Effect.failCause(cause)))
            }),
          cut: () => Effect.sync(() => resume(Effect.succeed(false))),
          unavailable: (error) => Effect.sync(() => resume(Effect.fail(error))),
          over: () => {}
        })
      })
    })
}
