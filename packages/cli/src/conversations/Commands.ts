/** `botmesh conversations list | show | abort`: on the file, whether the bot runs or not. */
import { Effect, type Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { refused } from "../Refused.ts"

const shared = {
  data: Flag.String("data").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("SQLite file that the bot keeps its data in")
  ),
  bot: Flag.String("bot").pipe(
    Flag.withMetavar("TENANT/ID"),
    Flag.withDescription("Which bot, where the file holds several; the tenant is `default` unless given"),
    Flag.optional
  )
}
const key = Argument.String("key").pipe(Argument.withDescription("The conversation's key, as `list` shows it"))

interface Shared {
  readonly data: string
  readonly bot: Option.Option<string>
}

const loaded = Effect.promise(() => import("./Act.ts"))
const said = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.mapError(self, (error) => refused(error instanceof Error ? error.message : String(error)))

const json = Flag.Boolean("json").pipe(Flag.withDescription("As JSON, for programs"), Flag.withDefault(false))

const list = Command.make("list", { ...shared, json }, (options: Shared & { readonly json: boolean }) =>
  said(Effect.flatMap(loaded, (act) => act.list(options)))
).pipe(Command.withDescription("List the stored conversations of a bot"))

const show = Command.make("show", { ...shared, key }, (options: Shared & { readonly key: string }) =>
  said(Effect.flatMap(loaded, (act) => act.show(options)))
).pipe(Command.withDescription("Print the checkpoint of a conversation as JSON"))

const yes = Flag.Boolean("yes").pipe(
  Flag.withAlias("y"),
  Flag.withDescription("Do not ask whether you are sure"),
  Flag.withDefault(false)
)
const abort = Command.make(
  "abort",
  { ...shared, key, yes },
  (options: Shared & { readonly key: string; readonly yes: boolean }) =>
    said(Effect.flatMap(loaded, (act) => act.abort(options)))
).pipe(
  Command.withDescription(
    "End a conversation. A bot that runs on the same file gives its live copy up at its next write"
  )
)

/** Looks after stored conversations. Source: B26 */
export const conversations = Command.make("conversations").pipe(
  Command.withDescription("List, show and end the stored conversations of a bot"),
  Command.withSubcommands([list, show, abort])
)
