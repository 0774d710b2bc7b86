/** Runs one handler of the user's: it consumes the message unless it passes; a failure is reported and consumes (A18, A19). */
import { Cause, Effect } from "effect"
import type { Chat } from "../../chat/Chat.ts"
import { jumpOf } from "../../chat/Control.ts"
import { whenDone } from "../../model/Direct.ts"
import { begin, type Bound } from "../../model/Erased.ts"
import type { InboundPort } from "../InboundPort.ts"
import { passed, type Verdict } from "../Passage.ts"

const pass = (): Effect.Effect<Verdict> => Effect.succeed(passed)

export const runHandler = (
  port: InboundPort,
  chat: Chat,
  where: string,
  handler: Bound<Chat, unknown>,
  during: "message" | "call" = "message",
  /** What comes next when it passes. */
  onPass: () => Effect.Effect<Verdict> = pass
): Effect.Effect<Verdict> =>
  whenDone(begin(handler, chat), {
    onSuccess: (_) => Effect.succeed<Verdict>({ _tag: "consumed", by: where }),
    onFailure: (cause) => {
      const jump = jumpOf(cause)
      if (jump?._tag === "pass") return onPass()
      if (jump !== undefined) return Effect.succeed<Verdict>({ _tag: "consumed", by: where })
      // Suspended: the turn's own closing tells what became of it (R17). One that interrupts itself has failed.
      if (Cause.hasInterruptsOnly(cause) && chat.holder.turn?.suspended !== undefined) {
        return Effect.failCause(Cause.interrupt())
      }
      return Effect.as(port.failed({ cause, where, chat, during }), { _tag: "consumed", by: where })
    }
  })
