/** Slash commands win, even over a conversation in progress (A12). */
import { Effect } from "effect"
import { parseCommand, type ParsedCommand } from "../../handlers/Commands.ts"
import type { InboundPort } from "../InboundPort.ts"
import { passed, type Passage, type Verdict } from "../Passage.ts"
import type { Stage } from "./Route.ts"
import { runHandler } from "./RunHandler.ts"

export const runCommand = (port: InboundPort, passage: Passage, parsed: ParsedCommand): Effect.Effect<Verdict> => {
  const command = port.commands.get(parsed.name)
  if (command === undefined || passage.chat === undefined) return Effect.succeed(passed)
  const chat = passage.chat.with({ args: parsed.args })
  return runHandler(port, chat, `command /${command.name}`, command)
}

export const makeCommand = (port: InboundPort): Stage => ({
  name: "command",
  applies: (passage) => passage.chat?.type === "text" && passage.chat.body.charCodeAt(0) === 47,
  run: (passage) => {
    const parsed = passage.chat === undefined ? undefined : parseCommand(passage.chat.body)
    return parsed === undefined ? Effect.succeed(passed) : runCommand(port, passage, parsed)
  }
})
