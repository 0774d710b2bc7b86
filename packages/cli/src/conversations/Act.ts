/** What the commands do, loaded when one of them is run. */
import { Store } from "@botmesh/core"
import type { BotScope, Checkpoint } from "@botmesh/core/spi"
import { Console, Effect, type Option, Stdio } from "effect"
import { Prompt } from "effect/cli"
import { refused } from "../Refused.ts"
import { checkpointOf, chosenBot, layerData } from "./File.ts"
import { rowsOf, table } from "./List.ts"

interface Shared {
  readonly data: string
  readonly bot: Option.Option<string>
}

/** Prints the stored conversations. Safe to repeat. Source: B26 */
export const list = Effect.fn("botmesh.conversations.list")(function* (options: Shared & { readonly json: boolean }) {
  yield* Effect.gen(function* () {
    const scope = yield* chosenBot(options.bot)
    const rows = yield* rowsOf(scope)
    if (options.json) return yield* Console.log(JSON.stringify(rows, undefined, 2))
    yield* Console.log(rows.length === 0 ? `${scope} has no stored conversation` : table(rows))
  }).pipe(Effect.provide(layerData(options.data)))
})

/** Prints one as it is stored. Safe to repeat. Source: B26 */
export const show = Effect.fn("botmesh.conversations.show")(function* (options: Shared & { readonly key: string }) {
  yield* Effect.gen(function* () {
    const scope = yield* chosenBot(options.bot)
    const checkpoint = yield* checkpointOf(scope, options.key)
    yield* Console.log(JSON.stringify(checkpoint, undefined, 2))
  }).pipe(Effect.provide(layerData(options.data)))
})

const sure = Effect.fnUntraced(function* (question: string) {
  const stdio = yield* Stdio.Stdio
  if (!((yield* stdio.stdinIsTerminal) && (yield* stdio.stdoutIsTerminal))) {
    return yield* refused("There is nobody to ask whether you are sure: give --yes")
  }
  return yield* Prompt.run(Prompt.Confirm({ message: question }))
})

/** Clears the row if it is still this checkpoint, by compare-and-set: one that has moved is left alone. */
export const clear = Effect.fnUntraced(function* (scope: BotScope, key: string, checkpoint: Checkpoint) {
  const store = yield* Store
  const { applied, fence, flow, id, revision, stepId } = checkpoint
  const what = `the conversation ${key} (${flow}, at ${stepId})`
  const cleared = yield* store.clearCheckpointIf(scope, key, { id, revision: revision + 1, fence, applied })
  if (cleared) return `Ended ${what}`
  return yield* refused(`${what} has moved in the meantime and was left alone: look again with list or show`)
})

/** Ends one, when whoever is asked is sure of it; says what came of it. Source: B26, B17 */
export const abort = Effect.fn("botmesh.conversations.abort")(function* (
  options: Shared & { readonly key: string; readonly yes: boolean }
) {
  yield* Effect.gen(function* () {
    const scope = yield* chosenBot(options.bot)
    const checkpoint = yield* checkpointOf(scope, options.key)
    const question = `End the conversation ${options.key} (${checkpoint.flow}, at ${checkpoint.stepId})?`
    const ending = options.yes || (yield* sure(question))
    yield* Console.log(ending ? yield* clear(scope, options.key, checkpoint) : "Nothing was ended")
  }).pipe(Effect.provide(layerData(options.data)))
})
