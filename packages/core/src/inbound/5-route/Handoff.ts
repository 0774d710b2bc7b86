/** A chat held by a person: nothing of the bot's answers, but the commands it is allowed to (A11, I19). */
import { Effect } from "effect"
import { parseCommand } from "../../handlers/Commands.ts"
import type { InboundPort } from "../InboundPort.ts"
import type { Verdict } from "../Passage.ts"
import type { Stage } from "./Route.ts"
import { runCommand } from "./Command.ts"

const silent: Verdict = { _tag: "consumed", by: "handoff" }

export const makeHandoff = (port: InboundPort): Stage => ({
  name: "handoff",
  applies: (passage) => passage.view?.handoff !== undefined,
  run: (passage) => {
    const parsed = passage.chat === undefined ? undefined : parseCommand(passage.chat.body)
    if (parsed === undefined || !port.handoffCommands.has(parsed.name)) return Effect.succeed(silent)
    return Effect.map(runCommand(port, passage, parsed), (verdict) => (verdict._tag === "passed" ? silent : verdict))
  }
})
