/** Finds the bot in a file of the user's. */
import { pathToFileURL } from "node:url"
import type { Bot } from "@botmesh/core"
import type { NodeServices } from "@effect/platform-node/NodeServices"
import { Effect, FileSystem, Layer, Path, Predicate } from "effect"
import type { CliError } from "effect/cli"
import { refused } from "../Refused.ts"

/** A definition whose services are in `layer`, or missing: a file says nothing about types. */
export type LoadedBot = Bot.Definition<string, unknown, never>

export interface Loaded {
  readonly bot: LoadedBot
  readonly services: Layer.Layer<never, unknown, NodeServices>
}

const isBot = (value: unknown): value is LoadedBot =>
  Predicate.hasProperty(value, "id") &&
  typeof value.id === "string" &&
  Predicate.hasProperty(value, "handlers") &&
  Array.isArray(value.handlers) &&
  Predicate.hasProperty(value, "options") &&
  Predicate.hasProperty(value, "recover") &&
  Predicate.hasProperty(value, "key")

const isServices = (value: unknown): value is Loaded["services"] => Layer.isLayer(value)

const example = 'export default Bot.make("shop", [Bot.when("hola", (chat) => chat.reply("¡Hola!"))])'

const described = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "an array" : `a value of type ${typeof value}`

const codeOf = (error: unknown): unknown => (Predicate.hasProperty(error, "code") ? error.code : undefined)

const reasonOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error)
  switch (codeOf(error)) {
    case "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX":
      return `${message}\nNode runs TypeScript by taking the types away: use no enum, namespace or parameter property`
    case "ERR_UNKNOWN_FILE_EXTENSION":
      return `${message}\nGive a .ts, .mts, .js or .mjs file`
    case "ERR_MODULE_NOT_FOUND":
      return `${message}\nInstall the package, or write the whole name of a file of your own, with its ending`
    default:
      return message
  }
}

const importFile = (path: string): Effect.Effect<object, CliError.UserError> =>
  Effect.tryPromise({
    try: async (): Promise<object> => await import(pathToFileURL(path).href),
    catch: (error) => refused(`${path} cannot be loaded: ${reasonOf(error)}`)
  })

/**
 * The default export of a file as a bot, and its export `layer` as the services the bot needs.
 *
 * Fails, in words, when the file is missing or cannot be loaded, has no default export, or it is no bot.
 */
export const loadBot = Effect.fn("botmesh.loadBot")(function* (file: string) {
  const files = yield* FileSystem.FileSystem
  const path = (yield* Path.Path).resolve(file)
  const exists = yield* Effect.orElseSucceed(files.exists(path), () => false)
  if (!exists) return yield* refused(`There is no file ${path}: give the file that exports your bot`)
  const module = yield* importFile(path)
  if (!("default" in module)) {
    const found = Object.keys(module)
    const others = found.length === 0 ? "it exports nothing" : `it exports ${found.join(", ")}`
    return yield* refused(`${path} has no default export (${others}). Write\n\n  ${example}`)
  }
  const bot = module.default
  if (!isBot(bot)) {
    return yield* refused(
      `The default export of ${path} is ${described(bot)} and no bot: export what Bot.make gives. Write\n\n  ${example}`
    )
  }
  const services = "layer" in module ? module.layer : Layer.empty
  if (!isServices(services)) {
    return yield* refused(
      `The export "layer" of ${path} is ${described(services)} and no Layer: it gives the services that the bot needs`
    )
  }
  return { bot, services }
})
