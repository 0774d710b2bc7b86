/** Makes a bot of a flow document, with the other documents of its folder around it. */
import { Bot } from "@botmesh/core"
import { Effect, Layer, Predicate } from "effect"
import { besides, type DocumentFile, readDocument } from "../flow/Files.ts"
import { refused } from "../Refused.ts"
import type { Loaded } from "./LoadBot.ts"

/** The ids that a document names as subflows and goto targets. */
const namedIn = (value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap(namedIn)
  if (!Predicate.isObject(value)) return []
  const id = value["kind"] === "goto" ? value["target"] : value["kind"] === "subflow" ? value["flow"] : undefined
  return [...(typeof id === "string" ? [id] : []), ...Object.values(value).flatMap(namedIn)]
}

/** A document and those it comes to lead to: what else lies in the folder is no part of the bot. */
const around = (own: DocumentFile, others: ReadonlyArray<DocumentFile>): ReadonlyArray<DocumentFile> => {
  const found = [own]
  for (const { document } of found) {
    const ids = namedIn(document)
    const next = others.filter((one) => !found.includes(one) && ids.some((id) => id === idOf(one.document)))
    found.push(...next)
  }
  return found
}
const idOf = (document: unknown): unknown => (Predicate.isObject(document) ? document["id"] : undefined)

const isEmpty = (trigger: unknown): boolean => Array.isArray(trigger) && trigger.length === 0

/**
 * A bot of the flow in a JSON file. What it names as subflow or goto is looked for in the same folder, and theirs; the rest of it is left alone. A flow without a
 * trigger starts at any message.
 *
 * Fails, in words, when the file cannot be read or a document does not compile.
 */
export const loadDocument = Effect.fn("botmesh.loadDocument")(function* (file: string) {
  const { compile, isFlowDocument } = yield* Effect.promise(() => import("@botmesh/flows"))
  const own = yield* readDocument(file)
  const others = (yield* besides(file)).filter(({ document }) => isFlowDocument(document))
  const read = around(own, others)
  const flows = read.map(({ document }) => document)
  const compiled = yield* Effect.forEach(read, (one) =>
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
