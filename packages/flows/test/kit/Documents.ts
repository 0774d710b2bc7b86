import { readFileSync } from "node:fs"
import { Bot, MemoryStore, Store } from "@botmesh/core"
import { fromDriver } from "@botmesh/core/spi"
import { TestBot } from "@botmesh/core/testing"
import { compile } from "@botmesh/flows"
import { Effect, Layer } from "effect"

/** A document of the folder beside, as JSON. */
export const documentNamed = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../documents/${name}.json`, import.meta.url), "utf8"))

export type AnyStep = Readonly<Record<string, unknown>>
/** The least document around some steps. */
export const documentOf = (steps: ReadonlyArray<AnyStep>, more: AnyStep = {}): AnyStep => ({
  version: 2,
  id: "doc",
  trigger: "go",
  steps,
  ...more
})
export const say = (text: string): AnyStep => ({ kind: "say", text })
export const ask = (stateKey: string, more: AnyStep = {}): AnyStep => ({
  kind: "ask",
  text: `¿${stateKey}?`,
  stateKey,
  ...more
})

/** A bot of documents alone, with somebody to talk to it. */
export const botOf = Effect.fnUntraced(function* (
  documents: ReadonlyArray<unknown>,
  options: Parameters<typeof TestBot.make>[1] = {}
) {
  const compiled = yield* Effect.forEach(documents, (document) => compile(document, { flows: documents }))
  const handlers = compiled.map(({ flow, trigger }) => Bot.flow(flow, { trigger }))
  return yield* TestBot.make(Bot.make("docs", handlers, { apology: false }), options)
})

/** A store that several lives of a bot share. */
export const sharedStore = (): Layer.Layer<Store> => {
  const driver = MemoryStore.make()
  return Layer.sync(Store, () => fromDriver(driver))
}
