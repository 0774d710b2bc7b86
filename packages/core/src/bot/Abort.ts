/**
 * Ends the conversation of a key, live or stored, under the key's turn: the running one, or one of its own. Inside a turn
 * of another key it is queued and answers at once: a turn never waits for a turn (R18).
 */
import { Effect } from "effect"
import type { ChatPort } from "../chat/Chat.ts"
import type { Conversations } from "../conversation/Runtime.ts"
import type { Turns } from "../conversation/Turns.ts"
import { CurrentTurn, type TurnHolder } from "../outbound/Turn.ts"
import type { Parts } from "./Parts.ts"

export const makeAbort = ({ views }: Parts, turns: Turns, conversations: Conversations): ChatPort["abort"] => {
  const under = Effect.fnUntraced(function* (key: string, holder: TurnHolder) {
    const { turn } = holder
    if (turn === undefined) return false
    const live = conversations.lives.get(key)
    if (live !== undefined) {
      yield* conversations.abort(live, turn, "aborted")
      return true
    }
    const checkpoint = yield* views.stored(turn.lease, key)
    views.forget(key)
    return checkpoint === undefined ? false : yield* conversations.clearStored(key, checkpoint, turn, "aborted")
  })
  const attempt = (key: string, holder: TurnHolder) =>
    Effect.catchTag(under(key, holder), "LeaseLostError", () => Effect.succeed(false))

  type Result = ReturnType<ChatPort["abort"]>
  const submit = (key: string, tell: (result: Result) => Effect.Effect<unknown>): void => {
    const holder: TurnHolder = { key, turn: undefined }
    const told = (result: Result): Effect.Effect<void> => Effect.asVoid(tell(result))
    turns.submit({
      holder,
      run: () =>
        Effect.matchCauseEffect(attempt(key, holder), {
          onSuccess: (done) => told(Effect.succeed(done)),
          onFailure: (cause) => told(Effect.failCause(cause))
        }),
      cut: () => told(Effect.succeed(false)),
      unavailable: (error) => told(Effect.fail(error)),
      over: () => {}
    })
  }

  return (key) =>
    Effect.flatMap(CurrentTurn, (current) => {
      if (current?.key === key && current.turn !== undefined) return attempt(key, current)
      if (current?.turn !== undefined) {
        submit(key, (result) => Effect.catchCause(result, (cause) => Effect.logError(`${key} was not aborted`, cause)))
        return Effect.succeed(true)
      }
      return Effect.callback((resume) => submit(key, (result) => Effect.sync(() => resume(result))))
    })
}
