/** The command line of the demo. */
import { layer as layerNode } from "@effect/platform-node/NodeServices"
import { runMain } from "@effect/platform-node/NodeRuntime"
import { Cause, Config, Effect, Exit, Logger } from "effect"
import { CliError, Command, Flag } from "effect/cli"

const data = Flag.String("data").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription(
    "SQLite file that keeps chats and conversations, shop.db by default; charges.log is written beside it"
  ),
  Flag.withDefault("shop.db")
)
const port = Flag.Int("port").pipe(
  Flag.withDescription("Port of the Telegram webhook, 3000 by default"),
  Flag.filter(
    (value) => value >= 0 && value <= 65_535,
    (value) => `${value} is no port: 0 to 65535`
  ),
  Flag.withDefault(3000)
)

const given = (name: string) => Effect.map(Config.String(name).pipe(Config.withDefault("")), (value) => value !== "")

/** Each way is loaded when it is taken: the terminal needs no HTTP. */
const run = Effect.fn("demo")(function* (options: { readonly data: string; readonly port: number }) {
  const token = yield* given("TELEGRAM_TOKEN")
  const secret = yield* given("TELEGRAM_SECRET")
  if (token !== secret) {
    return yield* new CliError.UserError({
      cause: `${token ? "TELEGRAM_SECRET" : "TELEGRAM_TOKEN"} is not set: set both to run on Telegram, or none to talk here`
    })
  }
  if (token) {
    const { serve } = yield* Effect.promise(() => import("./serve.ts"))
    return yield* serve(options.data, options.port)
  }
  const { simulate } = yield* Effect.promise(() => import("./simulate.ts"))
  return yield* simulate(options.data)
})

/** What went wrong in its own words; the stack is of no use to somebody who tries a demo. */
const said = (error: Effect.Error<ReturnType<typeof run>>) =>
  error._tag === "UserError"
    ? error
    : new CliError.UserError({ cause: error._tag === "ServeError" ? String(error.cause) : error.message })

const demo = Command.make("demo", { data, port }, (options) => Effect.mapError(run(options), said)).pipe(
  Command.withDescription(
    "A shop's bot. Talks here; with TELEGRAM_TOKEN and TELEGRAM_SECRET set it serves POST /telegram instead, " +
      "until SIGTERM or SIGINT (TELEGRAM_API_URL: another Bot API, TELEGRAM_WEBHOOK_URL: registers this webhook)."
  ),
  Command.withExamples([
    { command: "demo --data shop.db", description: "Talk here, and go on tomorrow" },
    { command: "TELEGRAM_TOKEN=… TELEGRAM_SECRET=… demo --port 8080", description: "Serve Telegram" }
  ])
)

demo.pipe(
  Command.run({ version: "0.1.0" }),
  Effect.provide(layerNode),
  // Replies go to standard output, everything else does not.
  Effect.provideService(Logger.LogToStderr, true),
  (main) =>
    runMain(main, {
      teardown: (exit, done) => {
        // After /quit the input may still be open: it must not keep the process.
        process.stdin.destroy()
        // Told to stop is no failure.
        done(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
      }
    })
)
