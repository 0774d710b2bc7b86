/** What is left when nothing consumed the message (A16). */
import { Effect } from "effect"
import type { InboundPort } from "../InboundPort.ts"
import { passed, type Passage, type Verdict } from "../Passage.ts"
import type { Stage } from "./Route.ts"
import { runHandler } from "./RunHandler.ts"

export const makeCatchAll = (port: InboundPort): Stage => {
  const attempt = (passage: Passage, index: number): Effect.Effect<Verdict> => {
    const handler = port.catchAlls.items[index]
    if (handler === undefined || passage.chat === undefined) return Effect.succeed(passed)
    return runHandler(port, passage.chat, "onMessage", handler, "message", () => attempt(passage, index + 1))
  }
  return {
    name: "catch-all",
    applies: () => port.catchAlls.items.length > 0,
    run: (passage) => attempt(passage, 0)
  }
}
