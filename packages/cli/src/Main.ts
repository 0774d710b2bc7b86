/** The command line: what there is, and how it ends. */
import { runMain } from "@effect/platform-node/NodeRuntime"
import { layer as layerNode } from "@effect/platform-node/NodeServices"
import { Cause, Effect, Exit, Logger, type Runtime } from "effect"
import { Command } from "effect/cli"
import { conversations } from "./conversations/Commands.ts"
import { dev } from "./dev/Command.ts"
import { flow } from "./flow/Commands.ts"
import { version } from "./Version.ts"

/** The command with all its subcommands, to be run or to be made part of another. Source: B21, B26 */
export const botmesh = Command.make("botmesh").pipe(
  Command.withDescription("Chat bots on Effect: talk to a bot in the terminal, look after its flows and conversations"),
  Command.withSubcommands([dev, flow, conversations])
)

/** Told to stop is no failure. An input that is still open must not keep the process. */
const teardown: Runtime.Teardown = (exit, done) => {
  process.stdin.destroy()
  done(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
}

/**
 * Runs the command with the arguments of this process, and ends it: 0 when it is done or was told to stop, 1 after an
 * error, which was said in words. Not safe to repeat.
 */
export const main = (): void =>
  botmesh.pipe(
    Command.run({ version }),
    Effect.provide(layerNode),
    // What a command says goes to standard output, what it logs does not.
    Effect.provideService(Logger.LogToStderr, true),
    (program) => runMain(program, { teardown })
  )
