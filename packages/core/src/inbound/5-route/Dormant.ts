/** A stored conversation without a fiber resumes at its step (A14). */
import { Effect, Result } from "effect"
import type { InboundPort } from "../InboundPort.ts"
import { passed } from "../Passage.ts"
import type { Fallback } from "./Fallback.ts"
import type { Stage } from "./Route.ts"

export const makeDormant = (port: InboundPort, active: Stage, fallback: Fallback): Stage => ({
  name: "dormant",
  applies: (passage) => passage.view?.dormant !== undefined && !port.conversations.lives.has(passage.key),
  run: (passage) =>
    Effect.suspend(() => {
      const checkpoint = passage.view?.dormant
      const { turn } = passage
      if (checkpoint === undefined || turn === undefined || passage.view === undefined) return Effect.succeed(passed)
      passage.view.dormant = undefined
      const awake = port.conversations.awaken(passage.key, checkpoint, turn)
      if (Result.isSuccess(awake)) return active.run(passage)
      const { reason } = awake.failure
      return Effect.matchCauseEffect(port.conversations.dropStored(passage.key, checkpoint, turn, awake.failure), {
        onSuccess: () => fallback(passage, checkpoint, reason),
        onFailure: (cause) =>
          Effect.as(port.failed({ cause, where: `the checkpoint of ${checkpoint.flow}`, chat: passage.chat }), passed)
      })
    })
})
