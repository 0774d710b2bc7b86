/** Makes a bot of a flow document, with the other documents of its folder around it. */
import { Bot } from "@botmesh/core"
import { Effect, Layer } from "effect"
import { besides, readDocument } from "../flow/Files.ts"
import { refused } from "../Refused.ts"
import type { Loaded } from "./LoadBot.ts"

const isEmpty = (trigger: unknown): boolean => Array.isArray(trigger) && trigger.length === 0

/**
 * A bot of the flow in a JSON file. What it names as subflow or goto is looked for in the same folder. A flow without a
 * trigger starts at any message.
 *
 * Fails, in words, when the file cannot be read or a document does not compile.
 */
export const loadDocument = Effect.fn("botmesh.loadDocument")(function* (file: string) {
  const { compile, isFlowDocument } = yield* Effect.promise(() => import("@botmesh/flows"))
  const own = yield* readDocument(file)
  const others = (yield* besides(file)).filter(({ document }) => isFlowDocument(document))
  const flows = [own, ...others].map(({ document }) => document)
  const compiled = yield* Effect.forEach([own, ...others], (one) =>
    Effect.mapError(compile(one.document, { flows }), (error) => refused(`${one.file}: ${error.message}`))
  )
  const [main] = compiled
  if (main === undefined) return yield* refused(`${file} holds no flow document`)
  const unique = compiled.filter(({ id }, index) => compiled.findIndex((one) => one.id === id) === index)
  const handlers = unique.map(({ flow, trigger }) => Bot.flow(flow, { trigger }))
  const start = Bot.onMessage((chat) => chat.trigger(main.id))
  const bot = Bot.make(main.id, isEmpty(main.trigger) ? [...handlers, start] : handlers)
  return { bot, services: Layer.empty } satisfies Loaded
})
