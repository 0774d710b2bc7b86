/** `botmesh dev FILE` */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { refused } from "../Refused.ts"

const file = Argument.String("file").pipe(
  Argument.withDescription(
    "TypeScript or JavaScript file: a bot as default export, its services as export `layer`; or a flow document (.json)"
  )
)
const data = Flag.String("data").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription("SQLite file that keeps chats and conversations; without it everything is in memory"),
  Flag.optional
)
const watch = Flag.Boolean("watch").pipe(
  Flag.withDescription("Start again whenever a source beside the file or below changes"),
  Flag.withDefault(false)
)

interface Options {
  readonly file: string
  readonly data: Option.Option<string>
  readonly watch: boolean
}

/** The same command without `--watch`, in a process of its own: modules that were loaded once stay as they were. */
const again = (options: Options): ReadonlyArray<string> => [
  ...process.execArgv,
  process.argv[1] ?? "",
  "dev",
  options.file,
  ...Option.match(options.data, { onNone: () => [], onSome: (path) => ["--data", path] })
]

/** A flow document makes a bot of its own. */
const load = Effect.fnUntraced(function* (file: string) {
  if (file.endsWith(".json")) {
    const { loadDocument } = yield* Effect.promise(() => import("./LoadDocument.ts"))
    return yield* loadDocument(file)
  }
  const { loadBot } = yield* Effect.promise(() => import("./LoadBot.ts"))
  return yield* loadBot(file)
})

const run = Effect.fn("botmesh.dev")(function* (options: Options) {
  if (options.watch) {
    const { watch } = yield* Effect.promise(() => import("./Watch.ts"))
    return yield* watch(options.file, process.execPath, again(options))
  }
  const loaded = yield* load(options.file)
  const { talk } = yield* Effect.promise(() => import("./Talk.ts"))
  return yield* talk(loaded, options.data)
})

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Talks to a bot in the terminal. Source: B21, B26 */
export const dev = Command.make("dev", { file, data, watch }, (options) =>
  Effect.mapError(run(options), (error) => refused(textOf(error)))
).pipe(
  Command.withDescription(
    "Talk to a bot in the terminal, with no transport; /sim lists what the simulator itself knows"
  ),
  Command.withExamples([
    { command: "botmesh dev shop.ts", description: "Talk to the bot that shop.ts exports" },
    { command: "botmesh dev shop.ts --data shop.db --watch", description: "Keep its data, start again on changes" },
    { command: "botmesh dev order.json", description: "Talk to a flow document" },
    { command: "printf 'hola\\n' | botmesh dev shop.ts", description: "Say one line and leave" }
  ])
)
