/** The registered triggers, by specificity; a handler that passes yields to the next that matches (A15, A18). */
import { Effect } from "effect"
import type { Entry } from "../../handlers/Matchers.ts"
import type { InboundPort } from "../InboundPort.ts"
import { passed, type Passage, type Verdict } from "../Passage.ts"
import type { Stage } from "./Route.ts"
import { runHandler } from "./RunHandler.ts"
import { startFlow } from "./StartFlow.ts"

/** The first state of every flow that a message starts. */
const nothing = {}

export const makeMatching = (port: InboundPort): Stage => {
  const attempt = (passage: Passage, last: Entry | undefined): Effect.Effect<Verdict> => {
    const { chat } = passage
    if (chat === undefined) return Effect.succeed(passed)
    const found = port.matchers.find(chat, passage.firstContact, last)
    if (found === undefined) return Effect.succeed(passed)
    const { reaction } = found.entry
    if (reaction._tag === "flow") {
      return Effect.as(startFlow(port, passage, reaction.flow, nothing), {
        _tag: "consumed",
        by: `flow ${reaction.flow}`
      })
    }
    const matched = found.match === undefined ? chat : chat.with({ match: found.match })
    return runHandler(port, matched, found.entry.where, reaction, "message", () => attempt(passage, found.entry))
  }
  return { name: "matchers", applies: () => true, run: (passage) => attempt(passage, undefined) }
}
